/**
 * A list shows exactly what single reads would, for grants without a target and with patterns, whatever characters
 * names and globs hold (docs/rules/permissions.md#lists). Group grants alone list nothing, though single reads honour
 * them.
 */
import fc from "fast-check";
import { expect } from "vitest";
import { insertGroup } from "../../bench/harness/rows.ts";
import { mintToken } from "../../src/people/serviceAccounts/tokens.ts";
import { create } from "../support/fixtures.ts";
import type { Grant } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const ids = { stacks: new Map<string, string>(), "runner-groups": new Map<string, string>() };
const runnersOf = new Map<string, string>();

const NAMES = [
  "net",
  "net\na",
  "\n",
  "net-a",
  "net-b",
  "n%t",
  "n_t",
  "a\\b",
  "A\\*",
  "%",
  "_",
  "back\\",
  "ünï",
  "net a",
  "-",
  "*?",
];

/** Globs near the names, so that matches are common; written through the API, as people do. */
const glob = fc.oneof(
  // A line break is in no glob that the API takes, but "*" must go over it.
  fc.constantFrom(...NAMES.filter((name) => !name.includes("\n"))),
  fc.constantFrom("*", "net*", "n?t", "?", "*\\*", "*-?", "%*", "_", "*_*", "*%", "net-[ab]"),
  fc.string({ unit: fc.constantFrom(..."net-ab%_\\*?"), minLength: 1, maxLength: 4 }),
);

const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg();
  const listed = async (family: string, token: string): Promise<string[]> => {
    const { body } = await api.call("GET", `/api/v1/orgs/${org}/${family}?limit=200`, { token });
    return body.items.map((item: { id: string }) => item.id).sort();
  };
  const readable = async (family: keyof typeof ids, token: string): Promise<string[]> => {
    const answers = await Promise.all(
      [...ids[family].keys()].map(async (id) => {
        const { status } = await api.call("GET", `/api/v1/orgs/${org}/${family}/${id}`, { token });
        return status === 200 ? [id] : [];
      }),
    );
    return answers.flat().sort();
  };

  async function withRole(permissions: object[]): Promise<string> {
    const { id } = await api.makeAccount(org, []);
    const root = await api.makeUser({ superAdmin: true });
    const body = { name: crypto.randomUUID(), permissions };
    const { body: role } = await api.call("POST", `/api/v1/orgs/${org}/roles`, { ...root, body });
    expect(role.id).toBeDefined();
    const assignment = { role_id: role.id, service_account_id: id };
    await api.call("POST", `/api/v1/orgs/${org}/role-assignments`, { ...root, body: assignment });
    // A token does not outgrow its minting: one of before holds nothing.
    const minted = await mintToken(api.database.db, id, { name: "later", lifetime: 3_600_000, createdBy: null });
    return minted.token;
  }

  return { listed, readable, withRole, org };
});

test.beforeAll(async ({ api, world }) => {
  const { sql } = api.database;
  const [stack] = await sql`insert into stacks (org_id, slug, name, repository_url, branch)
    values (${await api.makeOrg()}, 'x', 'x', 'https://git.example/r', 'main') returning stack_key`;
  const deployment = await create(api.service, stack?.stack_key);
  const [run] = await sql`select id from runs where deployment_id = ${deployment}`;
  for (const [i, name] of NAMES.entries()) {
    await sql`insert into stacks (org_id, slug, name, repository_url, branch, authz_groups)
      values (${world.org}, ${`s${i}`}, ${name}, 'https://git.example/r', 'main', ${["g"]})`;
    ids.stacks.set(`s${i}`, name);
    const { groupId } = await insertGroup(sql, world.org, { name });
    ids["runner-groups"].set(groupId, name);
    const [runner] = await sql`insert into runners (org_id, group_id, run_id, claim_seq)
      values (${world.org}, ${groupId}, ${run?.id}, ${i}) returning id`;
    runnersOf.set(runner?.id, groupId);
  }
});

test("listing equals checking each, for any set of pattern grants", { timeout: 120_000 }, async ({ world }) => {
  let shown = 0;
  let hidden = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(glob, { minLength: 1, maxLength: 3 }), async (globs) => {
      const permissions = ["stack", "runner_group", "runner"].flatMap((resource_type) =>
        globs.map((resource_pattern) => ({ resource_type, action: "read", resource_pattern })),
      );
      const token = await world.withRole(permissions);
      for (const family of ["stacks", "runner-groups"] as const) {
        const [all, each] = [await world.listed(family, token), await world.readable(family, token)];
        expect([globs, family, all]).toEqual([globs, family, each]);
        shown += all.length;
        hidden += NAMES.length - all.length;
      }
      // A runner has no read of its own; it is known by its group's name.
      const groups = await world.listed("runner-groups", token);
      const runners = (await world.listed("runners", token)).map((id) => runnersOf.get(id)).sort();
      expect([globs, runners]).toEqual([globs, groups]);
    }),
    { numRuns: 40 },
  );
  expect(shown).toBeGreaterThan(40);
  expect(hidden).toBeGreaterThan(40);
});

test("an untargeted grant lists all, also beside patterns; a grant of another action lists nothing", async ({
  world,
}) => {
  const read = (more: object) => ({ resource_type: "stack", action: "read", ...more });
  expect(
    await world.listed("stacks", await world.withRole([read({}), read({ resource_pattern: "none" })])),
  ).toHaveLength(NAMES.length);
  expect(await world.listed("stacks", await world.withRole([read({ action: "deploy" })]))).toEqual([]);
});

test("group grants list nothing, though each stack can be read", async ({ api, world }) => {
  const grants: Grant[] = [["stack", "read", { group: "g" }]];
  const { token } = await api.makeAccount(world.org, grants);
  expect(await world.listed("stacks", token)).toEqual([]);
  expect(await world.readable("stacks", token)).toHaveLength(NAMES.length);
  const both: Grant[] = [...grants, ["stack", "read", { pattern: "net" }]];
  expect(await world.listed("stacks", (await api.makeAccount(world.org, both)).token)).toHaveLength(1);
});

test("a stranger's list is 200 and empty, in each family", async ({ api, world }) => {
  const { token } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
  for (const family of ["stacks", "runner-groups", "runners"]) {
    const answer = await api.call("GET", `/api/v1/orgs/${world.org}/${family}`, { token });
    expect([family, answer.status, answer.body]).toEqual([family, 200, { items: [], next_cursor: null }]);
  }
});
