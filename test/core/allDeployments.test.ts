/** The deployments of all stacks: what is shown to whom, narrowed how, and at what cost. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { create } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());

type Listed = { id: string; stack_id: string };
const list = (org: string, token: string, query = "") =>
  api.call("GET", `/api/v1/orgs/${org}/deployments${query}`, { token });
const ids = async (org: string, token: string, query = "") => {
  const { status, body, text } = await list(org, token, query);
  expect([status, text.slice(0, 200)]).toEqual([200, expect.anything()]);
  return (body.items as Listed[]).map(({ id }) => id);
};

/** Three stacks with a deployment each, the newest last; the first waits for a person. */
async function organization() {
  const org = await api.makeOrg();
  const stacks = [
    ...(await insertStacks(api.database.sql, org, 1, { name: "net-a", labels: { env: "prod" } })),
    ...(await insertStacks(api.database.sql, org, 1, { name: "net-b", labels: { env: "dev" }, authz_groups: ["web"] })),
    ...(await insertStacks(api.database.sql, org, 1, { name: "db", labels: { env: "prod", tier: "1" } })),
  ];
  const made: string[] = [];
  for (const { stack_key } of stacks) made.push(await create(api.service, stack_key));
  await api.database
    .sql`update runs set status = 'cancelled', completed_at = svc_now() where deployment_id = ${made[0]!}`;
  for (const status of ["planning", "waiting"]) {
    await api.database
      .sql`update deployments set status = ${status}, waiting_since = ${status === "waiting" ? new Date() : null}
      where id = ${made[0]!}`;
  }
  const [a, b, c] = made as [string, string, string];
  return { org, a, b, c, as: (...grants: Grant[]) => api.makeAccount(org, grants).then(({ token }) => token) };
}

describe("what is shown", () => {
  test("every deployment to whoever may read every stack, newest first and page by page", async () => {
    const { org, a, b, c, as } = await organization();
    const token = await as(["stack", "read"]);
    expect(await ids(org, token)).toEqual([c, b, a]);
    expect(await ids(org, token, "?order=asc")).toEqual([a, b, c]);
    const walked: string[] = [];
    for (let query = "?limit=1"; query !== ""; ) {
      const { items, next_cursor } = (await list(org, token, query)).body;
      walked.push(...items.map(({ id }: Listed) => id));
      query = next_cursor === null ? "" : `?limit=1&cursor=${next_cursor}`;
    }
    expect(walked).toEqual([c, b, a]);
  });

  test("by patterns as in the list of stacks; groups and other permissions show nothing", async () => {
    const { org, a, b, as } = await organization();
    expect(await ids(org, await as(["stack", "read", { pattern: "net-%" }]))).toEqual([b, a]);
    expect(await ids(org, await as(["stack", "read", { group: "web" }]))).toEqual([]);
    expect(await ids(org, await as(["stack", "confirm"]))).toEqual([]);
    expect(await ids(await api.makeOrg(), await as(["*", "*"]))).toEqual([]);
  });

  test("nothing of a stack that was deleted", async () => {
    const { org, b, c, as } = await organization();
    await api.database.sql`update stacks set deleted_at = svc_now() where org_id = ${org} and name = 'net-a'`;
    expect(await ids(org, await as(["stack", "read"]))).toEqual([c, b]);
  });

  test.each([
    ["?labels=env=prod", ["c", "a"]],
    ["?labels=env=prod,tier=1", ["c"]],
    ["?labels=env=none", []],
    ["?status=waiting", ["a"]],
    ["?status=waiting,pending", ["c", "b", "a"]],
    ["?waiting_for=person", ["a"]],
    ["?waiting_for=person&status=pending", []],
    ["?mode=destroy", []],
    ["?origin_type=manual&labels=env=dev", ["b"]],
    ["?commit_sha=0000", []],
  ])("%s", async (query, expected) => {
    const { org, as, ...made } = await organization();
    const token = await as(["stack", "read"]);
    expect(await ids(org, token, query)).toEqual(expected.map((name) => made[name as "a"]));
  });

  test("what the caller may confirm is another's business where the permission is for other stacks", async () => {
    const { org, a, as } = await organization();
    const read: Grant = ["stack", "read"];
    expect(await ids(org, await as(read), "?actionable=me")).toEqual([]);
    expect(await ids(org, await as(read, ["stack", "preview"]), "?actionable=me")).toEqual([]);
    expect(await ids(org, await as(read, ["stack", "confirm"]), "?actionable=me")).toEqual([a]);
    expect(await ids(org, await as(read, ["stack", "confirm", { pattern: "net-_" }]), "?actionable=me")).toEqual([a]);
    expect(await ids(org, await as(read, ["stack", "confirm", { group: "web" }]), "?actionable=me")).toEqual([]);
    await api.database.sql`update stacks set authz_groups = '{web}' where org_id = ${org} and name = 'net-a'`;
    expect(await ids(org, await as(read, ["stack", "confirm", { group: "web" }]), "?actionable=me")).toEqual([a]);
  });

  test.each([
    "?labels=x",
    "?labels=a=b,a=c",
    "?waiting_for=runner",
    "?actionable=all",
    "?sort=completed_at",
    "?search=x",
  ])("%s is refused instead of listing everything", async (query) => {
    const { org, as } = await organization();
    expect((await list(org, await as(["stack", "read"]), query)).status).toBe(422);
  });
});

describe("cost", () => {
  let org: string;
  let token: string;
  const ask = (query: string, by = token) =>
    countStatements(async () => {
      const headers = { authorization: `Bearer ${by}` };
      const answer = await api.app.request(`/api/v1/orgs/${org}/deployments?limit=100${query}`, { headers });
      return (await answer.json()) as { items: Listed[]; next_cursor: string };
    });
  beforeAll(async () => {
    org = await api.makeOrg();
    token = (await api.makeAccount(org, [["stack", "read"]])).token;
    const { sql } = api.database;
    await sql`insert into stacks (org_id, slug, name, repository_url, branch)
      select ${org}, 'many-' || i, 'many-' || i, 'https://git.example/r', 'main' from generate_series(1, 300) i`;
    await sql`insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha, created_at)
      select ${org}, stack_key, 'plan', 'queued', 'https://git.example/r', 'main', '.', 'tofu', ${"ab".repeat(20)},
        svc_now() - i * interval '1 minute' from stacks, generate_series(1, 30) i where org_id = ${org}`;
    await sql`update deployments set status = 'cancelled', completed_at = svc_now() where org_id = ${org}`;
    await sql`analyze stacks, deployments`;
  });

  test("authentication, what the caller holds, and the page; with few stacks one more", async () => {
    const { result, statements } = await ask("");
    expect([result.items.length, statements.length]).toEqual([100, 3]);
    for (const query of [`&cursor=${result.next_cursor}`, "&status=failed", "&mode=plan", "&actionable=me"]) {
      expect([query, (await ask(query)).statements.length]).toEqual([query, 3]);
    }
    const narrow = (await api.makeAccount(org, [["stack", "read", { pattern: "many-7%" }]])).token;
    const few = await ask("", narrow);
    expect([few.result.items.length, few.statements.length]).toEqual([100, 4]);
  });

  test("the page is read off the index in its order, never sorted whole", async () => {
    const { result } = await ask("");
    for (const query of ["", `&cursor=${result.next_cursor}`, "&order=asc", "&mode=plan"]) {
      // One status alone, since those that nothing has may be sorted as well as not.
      const { statements } = await ask(`&status=cancelled${query}`);
      const rows = await api.database.sql.unsafe(`explain (generic_plan) ${statements.at(-1)!}`);
      const [, page] =
        rows
          .map((row) => row["QUERY PLAN"])
          .join("\n")
          .match(/CTE page\n([\s\S]*?)\n {2,9}->/) ?? [];
      expect(page).toMatch(/Index Scan (Backward )?using deployments_by_org/);
      expect([query, page]).toEqual([query, expect.not.stringMatching(/(?<!Incremental )Sort {2}|Seq Scan|Bitmap/)]);
    }
  });
});
