/** A service as this person calls it: everything that commands are given. */
import { type Api, answerOf } from "../../clients/api/client.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import { profileFolder } from "../profiles/folder.ts";
import { expiryNote, readProfiles } from "../profiles/profiles.ts";
import { openTokens } from "../profiles/tokens.ts";
import { gitPlace } from "../target/gitPlace.ts";
import { noStack, stackOfPlace } from "../target/stackChoice.ts";
import { stackOfFile } from "../target/stackFile.ts";
import { type Asked, targetOf } from "../target/target.ts";
import { checkedClient } from "./checkedClient.ts";
import { callCheck } from "./missingCall.ts";
import { answeredInTime, type Fetch, persistentFetch } from "./persistentFetch.ts";
import type { Stack } from "./types.ts";
import { moved } from "./unreachable.ts";

export type Service = {
  host: string;
  api: Api;
  /** For what is no JSON: with the token, to a path of this service. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The same, of a call that somebody typed: whatever is answered is theirs. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Once, without asking again. */
  send(path: string, init?: RequestInit): Promise<Response>;
};
export type Session = Service & { orgId: string };

export type SessionOptions = {
  /** Told why it takes longer, and with null at each answer. */
  onTrouble?: (why: string | null) => void;
  /** Told what a person should know beforehand. */
  onNote?: (text: string) => void;
  env?: NodeJS.ProcessEnv;
};

/** @throws Failure */
export async function openService(asked: Asked, { onTrouble, onNote, env = process.env }: SessionOptions = {}) {
  const folder = profileFolder(env);
  const profiles = await readProfiles(folder);
  const target = targetOf(asked, env, profiles);
  if ("profile" in target.token) {
    const note = expiryNote(target.token.profile, profiles.profiles[target.token.profile]?.expiresAt ?? null);
    if (note !== null) onNote?.(note);
  }
  const token = "given" in target.token ? target.token.given : await tokenOf(folder, target.token.profile, env);
  const known = Object.values(profiles.profiles).find(
    ({ host, orgId }) => host === target.host && orgId === target.org,
  );
  return { ...serviceAt(target.host, token, onTrouble), org: target.org, orgName: known?.orgName ?? null };
}

export function serviceAt(host: string, token: string, onTrouble?: (why: string | null) => void): Service {
  const send = sendTo(host);
  const persistent = persistentFetch(send, onTrouble);
  const check = callCheck(host, persistent);
  const credentials = () => ({ authorization: `Bearer ${token}` });
  const api = checkedClient({ baseUrl: host, fetch: persistent, credentials }, check);
  const requestOf = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return new Request(`${host}${path}`, { ...init, headers });
  };
  const checked = async (path: string, request: Request, sendBy: Fetch) => {
    const response = await sendBy(request);
    await check({ method: request.method, path: path.replace(/\?.*$/, ""), response });
    return response;
  };
  const once: Fetch = (request) => (request.method === "GET" ? answeredInTime(send, request) : send(request));
  return {
    host,
    api,
    fetch: (path, init) => checked(path, requestOf(path, init), persistent),
    send: (path, init) => checked(path, requestOf(path, init), once),
    call: (path, init) => persistent(requestOf(path, init)),
  };
}

/** What sends elsewhere is not followed there: the token is for this service alone. */
export function sendTo(host: string): Fetch {
  return async (request) => {
    const response = await fetch(request, { redirect: "manual" });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) throw moved(host, location);
    return response;
  };
}

async function tokenOf(folder: string, profile: string, env: NodeJS.ProcessEnv): Promise<string> {
  const token = await (await openTokens(folder, env)).read(profile);
  if (token === null)
    throw Failure.of(EXIT.notSignedIn, `The token of profile ${profile} is gone.`, "Run: deploy login");
  return token;
}

/** With the organization. @throws Failure */
export async function openSession(asked: Asked, options: SessionOptions = {}): Promise<Session> {
  const { org, orgName: _, ...service } = await openService(asked, options);
  return { ...service, orgId: await orgIdOf(service, org) };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function isUuid(text: string): boolean {
  return UUID.test(text);
}

const OWN_ORGS = "deploy api GET /orgs lists yours";

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
  if (org !== null && found.length === 0)
    throw Failure.of(EXIT.notFound, `There is no organization ${org} for you.`, OWN_ORGS);
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
