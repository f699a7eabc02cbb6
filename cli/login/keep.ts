/** What a token signs in to, and where it is kept. */
import { answerOf } from "../../clients/api/client.ts";
import { usage } from "../exit/failure.ts";
import { type Profile, readProfiles, writeProfiles } from "../profiles/profiles.ts";
import { openTokens } from "../profiles/tokens.ts";
import { type Service, serviceAt } from "../service/session.ts";

/** @throws ApiError for a token that is of no use there */
export async function profileOf({ host, api }: Service, org: string | undefined): Promise<Profile> {
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
function nameFor({ host, orgId, orgName }: Profile, profiles: Record<string, Profile>): string {
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

/** The token that was made for this name before is of no use any more, and ends at its service. */
export async function keep(folder: string, profile: Profile, token: string, asked: string | undefined) {
  const { profiles } = await readProfiles(folder);
  const name = asked ?? nameFor(profile, profiles);
  const tokens = await openTokens(folder, process.env);
  const before = profiles[name];
  const old = before === undefined ? null : await tokens.read(name);
  const place = await tokens.write(name, token);
  await writeProfiles(folder, { current: name, profiles: { ...profiles, [name]: profile } });
  if (before?.made && before.tokenId !== null && old !== null && old !== token) {
    await endToken(serviceAt(before.host, old), before.tokenId).catch(() => {});
  }
  return { name, place };
}

export async function endOwnToken(service: Service): Promise<void> {
  const me = await answerOf(service.api.GET("/api/v1/auth/me")).catch(() => null);
  if (me?.kind === "user" && me.pat_id !== undefined) await endToken(service, me.pat_id).catch(() => {});
}

export function endToken({ api }: Service, tokenId: string): Promise<unknown> {
  return api.DELETE("/api/v1/me/tokens/{token_id}", { params: { path: { token_id: tokenId } } });
}
