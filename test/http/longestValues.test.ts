/** The longest values that the API takes are stored, where an index goes over them: none is an error of ours. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ACTOR, create } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: { user: string };
beforeAll(async () => {
  api = await startPeopleApi();
  org = await api.makeOrg();
  admin = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
});
afterAll(() => api.close());

/** Text that does not become shorter by compression. */
const noise = (length: number) => randomBytes(length).toString("hex").slice(0, length);

test("an access rule of as many long domains as it may have, and a conflict for the same set again", async () => {
  const source = await api.call("POST", `/api/v1/orgs/${org}/identity-sources`, {
    ...admin,
    body: { provider_key: "workspace", source_slug: "w", display_name: "w" },
  });
  const domains = Array.from({ length: 50 }, () => `${noise(249)}.xyz`);
  const path = `/api/v1/orgs/${org}/identity-sources/${source.body.id}/access-rules`;
  const create = (all: string[]) =>
    api.call("POST", path, { ...admin, body: { rule_type: "workspace_hd", domains: all } });
  const made = await create(domains);
  expect([made.status, made.text]).toEqual([201, expect.anything()]);
  expect((await create([...domains].reverse())).status).toBe(409);
});

test("a stack whose runs select by as many long labels as it may have can run, twice by one selector", async () => {
  const labels = Object.fromEntries(
    Array.from({ length: 60 }, () => [`svc:runner-group:${noise(110)}`, noise(256)] as const),
  );
  const settings = { name: "labelled", repository_url: "https://git.example/r", branch: "main", labels };
  const made = await api.call("POST", `/api/v1/orgs/${org}/stacks`, { ...admin, body: settings });
  expect([made.status, made.text]).toEqual([201, expect.anything()]);
  const [stack] = await api.database.sql`select stack_key from stacks where org_id = ${org} and slug = 'labelled'`;
  await create(api.service, stack?.stack_key, { actor: ACTOR });
  await create(api.service, stack?.stack_key, { actor: ACTOR });
  const selectors = await api.database.sql`select labels from runner_selectors where org_id = ${org}`;
  expect(selectors).toHaveLength(1);
  expect(Object.keys(selectors[0]?.labels)).toHaveLength(60);
});

test("a repeated request of somebody with the longest id, by the longest key", async () => {
  const user = `oidc-${noise(12)}:${noise(960)}:${noise(960)}`;
  await api.database.sql`insert into users (id, provider_key, issuer, subject, login)
    values (${user}, 'oidc', ${noise(1_500)}, ${noise(960)}, ${noise(960)})`;
  await api.database.sql`
    insert into idempotency_keys (principal_id, method, path, key, body_sha256)
    values (${user}, 'POST', ${`/${noise(8_000)}`}, ${"é".repeat(255)}, 'x')`;
  await api.database.sql`
    insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
    values (${user}, 'oidc', ${noise(1_500)}, ${noise(500)}, ${noise(200)}, ${noise(500)}, svc_now())`;
  const operator = await api.makeUser({ superAdmin: true });
  const found = await api.call("GET", "/api/v1/users?limit=1&sort=login", operator);
  expect(found.status).toBe(200);
});
