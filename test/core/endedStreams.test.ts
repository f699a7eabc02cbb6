/**
 * Whose access ends is told nothing more: the database's own hint ends open event streams long before the check that
 * guarantees it.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEventStream } from "../support/eventStream.ts";
import { ACTOR, create, makeStack } from "../support/fixtures.ts";
import { type Caller, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

/** The check that needs no hint comes every 15 s. */
const SOON_MS = 6_000;

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi({ hints: true });
});
afterAll(() => api.close());

type Reader = { org: string; stackKey: string; slug: string; account: string; user: string };

/** A stack with a log that goes on, an account and a person who may read it. */
async function world(): Promise<Reader & { path: string; token: string }> {
  const org = await api.makeOrg();
  const stackKey = await makeStack(api.database, org);
  const [stack] = await api.database.sql`select slug, name from stacks where stack_key = ${stackKey}`;
  const deployment = await create(api.service, stackKey, { actor: ACTOR });
  const grants: Parameters<PeopleApi["makeAccount"]>[1] = [["stack", "read", { pattern: stack?.name }]];
  const account = await api.makeAccount(org, grants);
  const { user } = await api.makeUser({ orgs: [org], grants });
  const path = `/api/v1/orgs/${org}/stacks/${stack?.slug}/deployments/${deployment}/logs`;
  return { org, stackKey, slug: stack?.slug, account: account.id, user, path, token: account.token };
}

const sql = () => api.database.sql;
const ENDS: Record<string, (of: Reader) => Promise<unknown>> = {
  "its token is deleted": ({ account }) =>
    sql()`delete from service_account_tokens where service_account_id = ${account}`,
  "it is disabled": ({ account }) => sql()`update service_accounts set disabled_at = svc_now() where id = ${account}`,
  "it is deleted": ({ account }) => sql()`delete from service_accounts where id = ${account}`,
  "its role is taken away": ({ account }) => sql()`delete from role_assignments where service_account_id = ${account}`,
  "its role gives less": ({ account }) => sql()`delete from role_permissions where role_id in
    (select role_id from role_assignments where service_account_id = ${account})`,
  "the stack has another name": ({ stackKey }) =>
    sql()`update stacks set name = 'elsewhere' where stack_key = ${stackKey}`,
  "the stack is deleted": ({ stackKey }) =>
    sql()`update stacks set deleted_at = svc_now() where stack_key = ${stackKey}`,
};
const PERSON_ENDS: typeof ENDS = {
  "their membership is revoked": ({ user }) => sql()`delete from memberships where user_id = ${user}`,
  "their membership expires": ({ user }) =>
    sql()`update memberships set expires_at = svc_now() where user_id = ${user}`,
};

async function endsSoon(
  of: Reader & { path: string },
  headers: Record<string, string>,
  end: (of: Reader) => Promise<unknown>,
) {
  const stream = await openEventStream(api.baseUrl + of.path, headers);
  expect(stream.status).toBe(200);
  const started = performance.now();
  const ended = stream.next();
  await end(of);
  expect(await ended).toBeNull();
  expect(performance.now() - started).toBeLessThan(SOON_MS);
}

describe.concurrent("an account's stream ends soon after", () => {
  test.each(Object.entries(ENDS))("%s", async (_, end) => {
    const of = await world();
    await endsSoon(of, { authorization: `Bearer ${of.token}` }, end);
  });
});

describe.concurrent("a person's stream ends soon after", () => {
  test.each(Object.entries(PERSON_ENDS))("%s", async (_, end) => {
    const of = await world();
    await endsSoon(of, { "x-test-user": of.user }, end);
  });
});

/** What a credential or a right is read from; rows that are added take nothing away. */
const ACCESS_TABLES = [
  "external_entitlements",
  "group_role_binding_roles",
  "group_role_bindings",
  "identity_sources",
  "memberships",
  "personal_access_tokens",
  "role_assignments",
  "role_permissions",
  "service_account_tokens",
  "service_accounts",
  "sessions",
  "stacks",
  "users",
];

test("every table that access is read from tells of its end", async () => {
  const triggers =
    await sql()`select distinct tgrelid::regclass::text as name from pg_trigger t join pg_proc p on p.oid = t.tgfoid
    where p.proname = 'tell_access_changed' order by 1`;
  expect(triggers.map(({ name }) => name)).toEqual(ACCESS_TABLES);
});

test("whoever keeps their access keeps their stream", async () => {
  const [kept, other] = [await world(), await world()];
  const caller: Caller = { token: kept.token };
  const stream = await openEventStream(api.baseUrl + kept.path, { authorization: `Bearer ${caller.token}` });
  const next = stream.next().then(
    () => "ended",
    () => "left",
  );
  await endsSoon(other, { authorization: `Bearer ${other.token}` }, ENDS["its token is deleted"]!);
  stream.close();
  expect(await next).toBe("left");
});
