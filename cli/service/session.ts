/** A service as this person calls it: everything that commands are given. */
import { type Api, answerOf, apiClient } from "../../clients/api/client.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import { profileFolder } from "../profiles/folder.ts";
import { readProfiles } from "../profiles/profiles.ts";
import { openTokens } from "../profiles/tokens.ts";
import { gitPlace } from "../target/gitPlace.ts";
import { noStack, stackOfPlace } from "../target/stackChoice.ts";
import { stackOfFile } from "../target/stackFile.ts";
import { type Asked, targetOf } from "../target/target.ts";
import { missingCall } from "./missingCall.ts";
import { type Fetch, persistentFetch } from "./persistentFetch.ts";
import type { Stack } from "./types.ts";

export type Service = {
  host: string;
  api: Api;
  /** For what is no JSON: with the token, to a path of this service. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Once, without asking again. */
  send(path: string, init?: RequestInit): Promise<Response>;
};
export type Session = Service & { orgId: string };

export type SessionOptions = { onTrouble?: (why: string) => void; env?: NodeJS.ProcessEnv };

/** @throws Failure */
export async function openService(asked: Asked, { onTrouble, env = process.env }: SessionOptions = {}) {
  const folder = profileFolder(env);
  const target = targetOf(asked, env, await readProfiles(folder));
  const token = "given" in target.token ? target.token.given : await tokenOf(folder, target.token.profile, env);
  return { ...serviceAt(target.host, token, onTrouble), org: target.org };
}

export function serviceAt(host: string, token: string, onTrouble?: (why: string) => void): Service {
  const send: Fetch = (request) => fetch(request);
  const persistent = persistentFetch(send, onTrouble);
  const api = apiClient({
    baseUrl: host,
    fetch: persistent,
    credentials: () => ({ authorization: `Bearer ${token}` }),
  });
  api.use(missingCall(host, persistent));
  const requestOf = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return new Request(`${host}${path}`, { ...init, headers });
  };
  return {
    host,
    api,
    fetch: (path, init) => persistent(requestOf(path, init)),
    send: (path, init) => send(requestOf(path, init)),
  };
}

async function tokenOf(folder: string, profile: string, env: NodeJS.ProcessEnv): Promise<string> {
  const token = await (await openTokens(folder, env)).read(profile);
  if (token === null)
    throw new Failure(EXIT.notSignedIn, `The token of profile ${profile} is gone.`, "Run: deploy login");
  return token;
}

/** With the organization. @throws Failure */
export async function openSession(asked: Asked, options: SessionOptions = {}): Promise<Session> {
  const { org, ...service } = await openService(asked, options);
  return { ...service, orgId: await orgIdOf(service, org) };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** An id as it is, a name looked up, and nothing said: the token's own organization. */
async function orgIdOf({ api }: Service, org: string | null): Promise<string> {
  if (org !== null && isUuid(org)) return org;
  if (org === null) {
    const me = await answerOf(api.GET("/api/v1/auth/me"));
    if (me.pat_org_id !== undefined) return me.pat_org_id;
  }
  const { items, next_cursor } = await answerOf(api.GET("/api/v1/orgs", { params: { query: { limit: 200 } } }));
  const found = org === null ? items : items.filter(({ name }) => name.toLowerCase() === org.toLowerCase());
  if (found.length === 1 && (org !== null || next_cursor === null)) return found[0]!.id;
  if (org !== null && found.length === 0) throw new Failure(EXIT.notFound, `There is no organization ${org} for you.`);
  throw usage("Which organization?", "Set DEPLOY_ORG, or use --org, with its name or id");
}

const MOST_PAGES = 25;

/** The stack that is meant: named, in the environment, in a file, or the one of this repository. @throws Failure */
export async function stackIdOf(session: Session, named: string | undefined, env = process.env): Promise<string> {
  const plain = named ?? (env.DEPLOY_STACK || (await stackOfFile(process.cwd())));
  if (plain) return plain;
  const place = await gitPlace(process.cwd());
  if (place === null) throw noStack();
  return stackOfPlace(place, await allStacks(session));
}

async function allStacks({ api, orgId }: Session): Promise<Stack[]> {
  const stacks: Stack[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
    const params = { path: { org_id: orgId }, query };
    const { items, next_cursor } = await answerOf(api.GET("/api/v1/orgs/{org_id}/stacks", { params }));
    stacks.push(...items);
    if (next_cursor === null) return stacks;
    cursor = next_cursor;
  }
  throw usage("There are too many stacks to look through.", 'Name one, or write {"stack": "..."} to .deploy.json');
}
