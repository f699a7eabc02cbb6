/** The others: an organization whose people create, sign in and push, and whose coordinators poll, at a steady pace. */
import type postgres from "postgres";
import { atPace } from "../burst/pace.ts";
import type { BenchContext } from "../harness/bench.ts";
import { type Fleet, openFleet } from "../harness/runner.ts";
import { until } from "../harness/until.ts";
import { ask } from "./ask.ts";
import { integrate } from "./codeHost.ts";
import { CLIENT, type Outside } from "./outside.ts";
import type { Tenant } from "./tenant.ts";

export const ASKED = ["create", "sign_in", "poll", "webhook"] as const;
export type Asked = (typeof ASKED)[number];

/** Milliseconds of each answer, and how many were not what they should be. */
export type Seen = Record<Asked, number[]> & { refused: Record<Asked, number>; processed: number[] };

/** Between two calls of a kind. */
const EVERY_MS: Record<Asked, number> = { create: 200, sign_in: 250, poll: 100, webhook: 250 };
const STACKS = 50;
const BRANCHES = Array.from({ length: 20 }, (_, i) => `branch-${i}`);

export type Quiet = { watch(ms: number): Promise<Seen> };

export async function openQuiet(
  context: BenchContext,
  sql: postgres.Sql,
  tenant: Tenant,
  { codeHost, issuer }: Outside,
): Promise<Quiet> {
  const { org, baseUrl } = tenant;
  const hooks = await integrate(sql, tenant, codeHost, [...BRANCHES, ...Array(STACKS).fill("main")]);
  const stacks = hooks.slugs.slice(BRANCHES.length);
  const start = await addSource(sql, tenant, issuer);
  const fleets: Fleet[] = [];
  for (let i = 0; i < 2; i++) fleets.push(await openFleet(baseUrl(), org.group, context.folder));
  let turn = 0;

  const calls: Record<Asked, (seen: Seen) => Promise<void>> = {
    create: (seen) =>
      timed(seen, "create", async () => {
        const slug = stacks[turn++ % STACKS];
        const answer = await ask(`${baseUrl()}/api/v1/orgs/${org.orgId}/stacks/${slug}/deployments`, {
          method: "POST",
          headers: { authorization: `Bearer ${org.adminToken}`, "content-type": "application/json" },
          body: JSON.stringify({ mode: "plan_unlocked" }),
        });
        return (await answer.text()) !== "" && answer.status === 201;
      }),
    sign_in: (seen) => timed(seen, "sign_in", () => signIn(baseUrl(), start)),
    poll: (seen) =>
      timed(seen, "poll", async () => {
        await fleets[turn++ % fleets.length]!.group.poll(0, AbortSignal.timeout(30_000));
        return true;
      }),
    async webhook(seen) {
      const began = performance.now();
      const { ms, status, eventIds } = await hooks.push(BRANCHES[turn++ % BRANCHES.length] as string);
      seen.webhook.push(ms);
      if (status !== 202 || eventIds.length !== 1) seen.refused.webhook += 1;
      await until("a push to be processed", 120_000, async () => {
        const rows = await sql`select 1 from scm_events where id = any(${eventIds}) and status = 'processed'`;
        return rows.length === eventIds.length;
      });
      seen.processed.push(performance.now() - began);
    },
  };
  return {
    async watch(ms) {
      const seen = nothing();
      const stop = AbortSignal.any([AbortSignal.timeout(ms), context.signal]);
      const paces = ASKED.map((kind) =>
        atPace({ everyMs: EVERY_MS[kind], most: Number.POSITIVE_INFINITY, stop }, () => calls[kind](seen)),
      );
      await Promise.all(paces);
      return seen;
    },
  };
}

export function nothing(): Seen {
  const none = () => Object.fromEntries(ASKED.map((kind) => [kind, 0])) as Record<Asked, number>;
  return { create: [], sign_in: [], poll: [], webhook: [], processed: [], refused: none() };
}

async function timed(seen: Seen, kind: Asked, call: () => Promise<boolean>): Promise<void> {
  const began = performance.now();
  const well = await call().catch(() => false);
  seen[kind].push(performance.now() - began);
  if (!well) seen.refused[kind] += 1;
}

/** @returns the path at which a sign-in begins */
async function addSource(sql: postgres.Sql, { org, person }: Tenant, issuer: string): Promise<string> {
  const handle = `h-${org.orgId.slice(-12)}`;
  await sql`update organizations set login_handle = ${handle}, max_users = 100 where id = ${org.orgId}`;
  const made = await person.call("POST", "identity-sources", {
    provider_key: "oidc",
    source_slug: "bench",
    display_name: "Bench",
    oidc_issuer: issuer,
    oidc_client_id: CLIENT.id,
    client_secret: CLIENT.secret,
    oidc_groups_claim: "groups",
  });
  if (made.status !== 201) throw new Error(`no identity source: ${JSON.stringify(made.body)}`);
  return `/api/v1/auth/sso/orgs/${handle}/sources/bench/start`;
}

/** The whole way: to the provider, and back with a code, which here is the nonce. */
async function signIn(base: string, start: string): Promise<boolean> {
  const begun = await ask(base + start, { redirect: "manual" });
  const asked = new URL(begun.headers.get("location") ?? "", base).searchParams;
  const cookie = begun.headers.getSetCookie().map((one) => one.split(";")[0]);
  const query = new URLSearchParams({ state: asked.get("state") ?? "", code: asked.get("nonce") ?? "" });
  const path = new URL(asked.get("redirect_uri") ?? base).pathname;
  const back = await ask(`${base}${path}?${query}`, { redirect: "manual", headers: { cookie: cookie.join("; ") } });
  return begun.status === 302 && back.status === 302;
}
