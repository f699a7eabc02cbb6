/** Commands about oneself: login, logout, whoami, profile. */
import { hostname } from "node:os";
import { text } from "node:stream/consumers";
import { answerOf } from "../../clients/api/client.ts";
import { type Action, attendanceOf, type Context } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import { profileFolder } from "../profiles/folder.ts";
import { type Profile, readProfiles, writeProfiles } from "../profiles/profiles.ts";
import { openTokens } from "../profiles/tokens.ts";
import { openService, type Service, serviceAt } from "../service/session.ts";
import { hostOf } from "../target/target.ts";
import { askText } from "../terminal/ask.ts";
import { facts, table } from "../terminal/table.ts";
import { beginLogin, collectToken } from "./deviceFlow.ts";
import { openBrowser } from "./openPage.ts";

export type LoginOptions = { withToken?: boolean; browser?: boolean };

export const login: Action<LoginOptions> = async (context) => {
  const { options, screen } = context;
  const host = await chosenHost(context);
  const token = options.withToken === true ? (await text(process.stdin)).trim() : await byDevice(context, host);
  if (token === "") throw usage("No token came on stdin.");
  const profile = await profileOf(serviceAt(host, token), options.org);
  const folder = profileFolder(process.env);
  const { profiles } = await readProfiles(folder);
  const name = options.profile ?? (await nameFor(profile, profiles));
  const place = await (await openTokens(folder, process.env)).write(name, token);
  await writeProfiles(folder, { current: name, profiles: { ...profiles, [name]: profile } });
  screen.value({ profile: name, host, org_id: profile.orgId, expires_at: profile.expiresAt });
  screen.note(`Signed in as ${profile.login} at ${host}, for ${profile.orgName}. The token is in ${place}.`);
  return EXIT.done;
};

/** The option, the environment, the profile that was used last, or a question. */
async function chosenHost({ options, screen }: Context<LoginOptions>): Promise<string> {
  const { current, profiles } = await readProfiles(profileFolder(process.env));
  const known = options.host ?? (process.env.DEPLOY_HOST || profiles[options.profile ?? current ?? ""]?.host);
  if (known !== undefined) return hostOf(known, process.env);
  const typed = screen.terminal.interactive
    ? await askText(screen, "Where is the service?", "https://deploy.example.com")
    : null;
  if (!typed) throw usage("Where is the service? --host https://...");
  return hostOf(typed, process.env);
}

async function byDevice(context: Context<LoginOptions>, host: string): Promise<string> {
  const { options, screen } = context;
  using attendance = attendanceOf(context);
  const begun = await beginLogin(host, { client: "deploy", host: hostname() });
  const { user_code, verification_uri, verification_uri_complete } = begun;
  screen.error(`Open ${verification_uri} and compare this code: ${user_code}`);
  if (screen.terminal.interactive && options.browser !== false)
    await openBrowser(verification_uri_complete, process.env);
  await screen.status(
    () => `waiting for your word in the browser; the code is ${user_code}`,
    "Waiting for your word in the browser.",
  );
  try {
    return (await collectToken(host, begun, attendance.signal)).access_token;
  } finally {
    await screen.status(null);
  }
}

/** @throws ApiError for a token that is of no use there */
async function profileOf({ host, api }: Service, org: string | undefined): Promise<Profile> {
  const me = await answerOf(api.GET("/api/v1/auth/me"));
  const { items } = await answerOf(api.GET("/api/v1/orgs", { params: { query: { limit: 200 } } }));
  const wanted = org ?? me.pat_org_id;
  const found = items.filter(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  if (found.length !== 1) throw usage("Which organization?", "Use --org with its name or id");
  const [{ id: orgId, name: orgName }] = found as [(typeof items)[number]];
  // A service account's token is its organization's to end.
  const tokenId = me.kind === "user" ? (me.pat_id ?? null) : null;
  return { host, orgId, orgName, login: me.name, tokenId, expiresAt: await expiryOf(api, tokenId) };
}

async function expiryOf(api: Service["api"], tokenId: string | null): Promise<string | null> {
  if (tokenId === null) return null;
  const { items } = await answerOf(api.GET("/api/v1/me/tokens", { params: { query: { limit: 200, order: "desc" } } }));
  return items.find(({ id }) => id === tokenId)?.expires_at ?? null;
}

/** One profile for each service and organization; signing in again replaces it. */
async function nameFor({ host, orgId, orgName }: Profile, profiles: Record<string, Profile>): Promise<string> {
  const same = Object.entries(profiles).find(([, other]) => other.host === host && other.orgId === orgId);
  if (same !== undefined) return same[0];
  const plain =
    orgName
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "default";
  for (let n = 1; ; n++) {
    const name = n === 1 ? plain : `${plain}-${n}`;
    if (profiles[name] === undefined) return name;
  }
}

/** The token ends at the service too. */
export const logout: Action = async ({ options, screen }) => {
  const folder = profileFolder(process.env);
  const { current, profiles } = await readProfiles(folder);
  const name = options.profile ?? (process.env.DEPLOY_PROFILE || current);
  const profile = name === null ? undefined : profiles[name];
  if (name === null || profile === undefined) {
    screen.note("You are not signed in.");
    return EXIT.done;
  }
  const tokens = await openTokens(folder, process.env);
  const token = await tokens.read(name);
  if (token !== null && profile.tokenId !== null) {
    const params = { path: { token_id: profile.tokenId } };
    await serviceAt(profile.host, token)
      .api.DELETE("/api/v1/me/tokens/{token_id}", { params })
      .catch((error: unknown) => {
        const { status } = error as { status?: number };
        if (status !== 401 && status !== 404)
          screen.note(`The token could not be deleted at ${profile.host}; it ends by itself.`);
      });
  }
  await tokens.remove(name);
  const { [name]: _, ...rest } = profiles;
  await writeProfiles(folder, { current: current === name ? (Object.keys(rest)[0] ?? null) : current, profiles: rest });
  screen.value({ profile: name });
  screen.note(`Signed out of ${profile.host}.`);
  return EXIT.done;
};

export const whoami: Action = async ({ options, screen }) => {
  const service = await openService(options, { onTrouble: (why) => screen.note(why) });
  const { csrf_token: _, ...me } = await answerOf(service.api.GET("/api/v1/auth/me"));
  const orgId = service.org ?? me.pat_org_id ?? null;
  screen.value({ ...me, host: service.host, org_id: orgId });
  screen.out(
    facts([
      ["service", service.host],
      ["name", me.name],
      ["id", me.id],
      ["kind", me.kind],
      ["organization", orgId],
      ["token", me.pat_name],
    ]),
  );
  return EXIT.done;
};

export const listProfiles: Action = async ({ screen }) => {
  const { current, profiles } = await readProfiles(profileFolder(process.env));
  const rows = Object.entries(profiles).map(([name, profile]) => ({ name, current: name === current, ...profile }));
  screen.value({ items: rows });
  screen.out(
    table(rows, [
      { title: "", value: (row) => (row.current ? "*" : "") },
      { title: "profile", value: ({ name }) => name },
      { title: "service", value: ({ host }) => host },
      { title: "organization", value: ({ orgName }) => orgName },
      { title: "as", value: (row) => row.login },
      { title: "until", value: ({ expiresAt }) => expiresAt?.slice(0, 10) },
    ]),
  );
  if (rows.length === 0) screen.note("None: deploy login");
  return EXIT.done;
};

export const useProfile: Action = async ({ screen }, name) => {
  const folder = profileFolder(process.env);
  const { profiles } = await readProfiles(folder);
  if (name === undefined || profiles[name] === undefined)
    throw new Failure(EXIT.notFound, `There is no profile ${name}.`);
  await writeProfiles(folder, { current: name, profiles });
  screen.value({ profile: name });
  screen.note(`${name} is used from now on.`);
  return EXIT.done;
};
