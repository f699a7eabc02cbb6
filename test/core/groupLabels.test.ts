/** Labels give what names are guarded for (docs/rules/dispatch.md#who-may-give-labels). */
import { expect } from "vitest";
import { create, makeStack } from "../support/fixtures.ts";
import type { Grant } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

type Labels = Record<string, string>;

const dev: Grant[] = ["create", "update", "read"].map((action) => ["runner_group", action, { pattern: "dev-%" }]);

/** An organization with a production group that a stack selects, and somebody who has the groups `dev-*`. */
const test = peopleTest().extend("world", async ({ api }) => {
  const org = await api.makeOrg();
  const path = (id = "") => `/api/v1/orgs/${org}/runner-groups${id === "" ? "" : `/${id}`}`;
  const admin = (await api.makeAccount(org, [["*", "*"]])).token;
  const post = (token: string, name: string, labels: Labels) =>
    api.call("POST", path(), { token, body: { name, labels } });
  const patch = (token: string, id: string, body: object) => api.call("PATCH", path(id), { token, body });
  const group = async (name: string, labels: Labels = {}) => (await post(admin, name, labels)).body.group.id as string;
  const stack = (selector: Labels) =>
    makeStack(api.database, org, {
      labels: Object.fromEntries(Object.entries(selector).map(([k, v]) => [`svc:runner-group:${k}`, v])),
    });
  const holding = async (grants: Grant[]) => (await api.makeAccount(org, grants)).token;
  const entries = async (action: string) => {
    const rows = await api.database.sql`
      select details from audit_log where org_id = ${org} and action = ${action} order by id`;
    return rows.map((row) => row.details);
  };
  await group("prod-1", { env: "prod", zone: "a" });
  await stack({ env: "prod" });
  return { org, admin, post, patch, group, stack, holding, entries, token: await holding(dev) };
});

test("who has some groups by pattern gives none of them what other groups serve", async ({ world }) => {
  const { post, patch, token } = world;
  const id = (await post(token, "dev-1", {})).body.group.id;
  for (const labels of [{ env: "prod" }, { env: "prod", team: "x" }, { zone: "a" }]) {
    expect((await patch(token, id, { labels })).status).toBe(404);
    expect((await post(token, "dev-2", labels)).status).toBe(403);
  }
  expect((await patch(token, id, { labels: { env: "dev", zone: "b" } })).status).toBe(200);
  // Labels that it has already are no gain, and a name or a bound of its own stays changeable.
  expect((await patch(token, id, { max_concurrent_runs: 3, labels: { zone: "b" } })).status).toBe(200);
});

test("what a group had before it may keep, and gets back only like anything else", async ({ world }) => {
  const { patch, group, token } = world;
  const id = await group("dev-1", { env: "prod" });
  expect((await patch(token, id, { labels: { env: "prod", team: "x" } })).status).toBe(200);
  expect((await patch(token, id, { labels: {} })).status).toBe(200);
  expect((await patch(token, id, { labels: { env: "prod" } })).status).toBe(404);
});

test("runs that nobody serves are not taken by whoever comes first", async ({ api, world }) => {
  const { post, stack, token, admin } = world;
  await create(api.service, await stack({ env: "staging" }));
  expect((await post(token, "dev-1", { env: "staging" })).status).toBe(403);
  expect((await post(admin, "staging-1", { env: "staging" })).status).toBe(201);
});

test("where all groups that serve a selector are one's own, so may a further one", async ({ world }) => {
  const { post, stack, token, admin } = world;
  expect((await post(token, "dev-1", { pool: "big" })).status).toBe(201);
  await stack({ pool: "big" });
  expect((await post(token, "dev-2", { pool: "big" })).status).toBe(201);
  expect((await post(admin, "ops-1", { pool: "big" })).status).toBe(201);
  expect((await post(token, "dev-3", { pool: "big" })).status).toBe(403);
});

test("a permission that no pattern bounds is enough, and the audit trail names what was gained", async ({ world }) => {
  const { post, patch, holding, entries, stack } = world;
  await stack({ env: "prod", zone: "z" });
  const creator = await holding([["runner_group", "create"]]);
  expect((await post(creator, "any-1", { env: "prod" })).status).toBe(201);
  const both = await holding([...dev, ["runner_group", "update"]]);
  const { id } = (await post(both, "dev-1", {})).body.group;
  expect((await patch(both, id, { labels: { env: "prod", zone: "z" } })).status).toBe(200);
  expect((await entries("runner_group.create")).map(({ selectors_gained }) => selectors_gained)).toEqual([
    undefined,
    [{ env: "prod" }],
    undefined,
  ]);
  expect(await entries("runner_group.update")).toEqual([
    expect.objectContaining({ selectors_gained: [{ env: "prod" }, { env: "prod", zone: "z" }] }),
  ]);
});
