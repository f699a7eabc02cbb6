/**
 * `GET .../explore/resources` and `.../explore/findings`: search, pages, and nothing of stacks that the caller may
 * not read (docs/explore.md).
 */
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pageQuery } from "../../src/graph/explore/listResources.ts";
import type { StackKeys } from "../../src/graph/explore/visibleStacks.ts";
import { listPage } from "../../src/http/listQuery.ts";
import { connect } from "../../src/platform/db/client.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { makeStack } from "../support/fixtures.ts";
import { type Caller, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let orgId: string;
let keys: Record<string, string>;
let everybody: Caller;

beforeAll(async () => {
  api = await startPeopleApi();
  orgId = await api.makeOrg();
  everybody = await api.makeAccount(orgId, [["stack", "read"]]);
  keys = {};
  for (const name of ["net", "app", "db"]) keys[name] = await makeStack(api.database, orgId, { slug: name, name });
  await resources("net", ["aws_vpc.main", "aws_subnet.a", "aws_subnet.b"], { type: "aws_subnet" });
  await resources("app", ["aws_instance.web", "aws_vpc.main"]);
  await resources("db", ["aws_db.50%_off"], { provider: "google", mode: "data", identity: "DB-Identity\\x" });
});
afterAll(() => api.close());

async function resources(
  stack: string,
  addresses: string[],
  change: Record<string, string> = {},
  org = orgId,
): Promise<void> {
  const row = { mode: "managed", type: "aws_vpc", provider: "aws", realm: "r", identity: "i", ...change };
  for (const address of addresses) {
    await api.database.sql`insert into explore.resources ${api.database.sql({
      stack_key: keys[stack] ?? stack,
      org_id: org,
      address,
      identity_hash: Buffer.from("aa", "hex"),
      ...row,
    })}`;
  }
}

async function finding(kind: string, stacks: string[], details: object = {}, org = orgId): Promise<void> {
  await api.database.sql`
    insert into explore.findings (org_id, kind, key, stack_keys, stack_count, details, round)
    values (${org}, ${kind}, ${randomUUID()}, ${stacks.map((name) => keys[name]!)}::uuid[], ${stacks.length}, ${api.database.sql.json(details as never)}, ${randomUUID()})`;
}

const read = (what: string, by: Caller, org = orgId) => api.call("GET", `/api/v1/orgs/${org}/explore/${what}`, by);
const found = async (query: string, by: Caller = everybody) => {
  const { status, body } = await read(`resources?${query}`, by);
  expect(status).toBe(200);
  return body.items.map((row: { stack: { id: string }; address: string }) => `${row.stack.id} ${row.address}`);
};
const only = (pattern: string) => api.makeAccount(orgId, [["stack", "read", { pattern }]]);

describe("resources", () => {
  it("come in the order of addresses, each with its stack; pages neither skip nor repeat", async () => {
    const all = ["net aws_subnet.a", "net aws_subnet.b", "app aws_vpc.main", "net aws_vpc.main"];
    expect(await found("")).toEqual(expect.arrayContaining(all));
    const { body } = await read("resources?stack=db", everybody);
    expect(body.items).toEqual([
      {
        stack: { id: "db", name: "db" },
        address: "aws_db.50%_off",
        mode: "data",
        type: "aws_vpc",
        provider: "google",
        realm: "r",
        identity: "DB-Identity\\x",
      },
    ]);
    const paged: string[] = [];
    for (let cursor = ""; ; ) {
      const page = (await read(`resources?limit=1${cursor}`, everybody)).body;
      paged.push(
        ...page.items.map((row: { stack: { id: string }; address: string }) => `${row.stack.id} ${row.address}`),
      );
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(paged).toEqual(await found(""));
    expect(new Set(paged).size).toBe(6);
    expect(await found("order=desc")).toEqual(paged.toReversed());
  });

  it("are found by part of an address or identity, in any case, with no wildcards, and by each filter", async () => {
    expect(await found("search=SUBNET")).toEqual(["net aws_subnet.a", "net aws_subnet.b"]);
    expect(await found("search=db-ident")).toEqual(["db aws_db.50%_off"]);
    expect(await found(`search=${encodeURIComponent("50%_")}`)).toHaveLength(1);
    for (const literal of ["%", "_b.5", "w_b", "\\y"]) {
      expect(await found(`search=${encodeURIComponent(`${literal}zz`)}`)).toEqual([]);
    }
    expect(await found(`search=${encodeURIComponent("y\\")}`)).toHaveLength(1);
    expect(await found(`search=${encodeURIComponent("y\\x")}`)).toHaveLength(1);
    expect(await found("type=aws_subnet")).toHaveLength(3);
    expect(await found("type=aws_subnet,aws_vpc&stack=app,net&mode=managed")).toHaveLength(5);
    expect(await found("provider=google")).toHaveLength(1);
    expect(await found("stack=missing")).toEqual([]);
    for (const wrong of ["mode=x", "limit=0", "cursor=x", "sort=identity", "nope=1", "search="]) {
      expect((await read(`resources?${wrong}`, everybody)).status).toBe(422);
    }
  });

  it("of stacks that the caller may not read are not there, whatever is asked for", async () => {
    const some = await only("n%");
    expect(await found("", some)).toEqual(["net aws_subnet.a", "net aws_subnet.b", "net aws_vpc.main"]);
    expect(await found("stack=app", some)).toEqual([]);
    expect(await found("search=instance", some)).toEqual([]);
    expect(await found("limit=1", some)).toEqual(["net aws_subnet.a"]);
    const outsiders = [await api.makeAccount(await api.makeOrg(), [["*", "*"]]), await api.makeAccount(orgId, [])];
    for (const by of outsiders) expect(await found("", by)).toEqual([]);
    expect((await read("resources", everybody, "x")).body.items).toEqual([]);
  });

  it("of a deleted stack are gone at once, before they are removed", async () => {
    keys.old = await makeStack(api.database, orgId, { slug: "old", name: "old" });
    await resources("old", ["gone"]);
    expect(await found("search=gone")).toHaveLength(1);
    await api.database.sql`update stacks set deleted_at = svc_now() where stack_key = ${keys.old}`;
    expect(await found("search=gone")).toEqual([]);
    expect(await found("search=gone", await only("%"))).toEqual([]);
    await api.database.sql`delete from explore.resources where stack_key = ${keys.old}`;
  });

  it("and findings are the same for a caller whose patterns match hundreds of stacks", async () => {
    const crowd = await api.makeOrg();
    const made = [];
    for (let i = 0; i < 130; i++) {
      made.push(await makeStack(api.database, crowd, { slug: `mine-${i}`, name: `mine-${i}` }));
    }
    const theirs = await makeStack(api.database, crowd, { slug: "theirs", name: "theirs" });
    await api.database.sql`
      insert into explore.resources (stack_key, org_id, address, mode, type, provider)
      select unnest(${[...made, theirs]}::uuid[]), ${crowd}, 'aws_vpc.main', 'managed', 'aws_vpc', 'aws'`;
    const findings = [
      { kind: "orphan", stacks: [made[0]!, made[1]!], details: { reason: "resource_missing" } },
      { kind: "orphan", stacks: [made[0]!, theirs], details: { reason: "resource_missing" } },
      { kind: "orphan", stacks: [made[2]!], details: { reason: "stack_missing", from_stack: "x" } },
      { kind: "duplicate", stacks: [made[3]!, theirs], details: {} },
      { kind: "duplicate", stacks: [theirs], details: {} },
    ];
    for (const { kind, stacks, details } of findings) {
      await api.database.sql`
        insert into explore.findings (org_id, kind, key, stack_keys, stack_count, details, round)
        values (${crowd}, ${kind}, ${randomUUID()}, ${stacks}, ${stacks.length}, ${JSON.stringify(details)}::text::jsonb, ${randomUUID()})`;
    }
    const by = await api.makeAccount(crowd, [["stack", "read", { pattern: "mine-%" }]]);
    const seen = new Set<string>();
    for (let cursor = ""; ; ) {
      const { body } = await read(`resources?limit=50&search=vpc${cursor}`, by, crowd);
      for (const { stack } of body.items) seen.add(stack.id);
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect([...seen].sort()).toEqual(made.map((_, i) => `mine-${i}`).sort());
    const { body } = await read("findings", by, crowd);
    const shown = body.items.map(({ kind, stacks }: { kind: string; stacks: { id: string | null }[] }) => [
      kind,
      ...stacks.map(({ id }) => id),
    ]);
    expect(shown).toEqual([
      ["duplicate", "mine-3", null],
      ["orphan", "mine-0", "mine-1"],
    ]);
    expect((await read("findings?stack=", by, crowd)).status).toBe(422);
  });

  it("cost three statements at most, over indexes also when there are many", async () => {
    const many = await api.makeOrg();
    const key = await makeStack(api.database, many);
    await api.database.sql`
      insert into explore.resources (stack_key, org_id, address, mode, type, provider, identity, identity_hash)
      select ${key}, ${many}, 'aws_thing.n' || i, 'managed', case when i % 1000 = 0 then 'rare' else 'aws_thing' end, 'aws', md5(i::text), '\\xaa'
      from generate_series(1, 50000) i`;
    await api.database.sql`analyze explore.resources`;
    const plan = async (query: object, within: StackKeys | null = null) => {
      const rules = {
        fields: { address: { value: sql`r.address`, type: "text" } },
        byDefault: "address",
        id: sql`r.stack_key`,
        idType: "uuid",
      } as const;
      const rows = await api.database.db.execute(sql`explain ${pageQuery(many, within, query, listPage({}, rules))}`);
      return JSON.stringify(rows);
    };
    expect(await plan({})).toContain("resources_by_address");
    expect(await plan({ type: "rare" })).toContain("resources_by_type");
    expect(await plan({ search: "c4ca4238a0b9" })).toContain("resources_by_text");
    for (const text of [await plan({}), await plan({ type: "rare" }), await plan({ search: "c4ca4238a0b9" })]) {
      expect(text).not.toContain("Seq Scan");
    }
    // Compared one by one in the recheck of a bitmap, thousands of keys would take a minute; hashed, they cost next to nothing.
    const keysOfMany = [key, ...Array.from({ length: 5_000 }, () => randomUUID())];
    const within = { array: `{${keysOfMany.join(",")}}`, count: keysOfMany.length };
    for (const query of [{}, { search: "c4ca4238a0b9" }, { type: "rare" }]) {
      const text = await plan(query, within);
      expect(text).toContain("hashed SubPlan");
      expect(text).not.toContain("= ANY (");
      expect(text).not.toContain("Seq Scan");
    }
    const by = await api.makeAccount(many, [["stack", "read"]]);
    const some = await api.makeAccount(many, [["stack", "read", { pattern: "stack%" }]]);
    for (const caller of [by, some]) {
      const { statements } = await countStatements(() => Promise.resolve(read("resources?limit=100", caller, many)));
      expect(statements.length).toBeLessThanOrEqual(3 + 1);
    }
  });
});

describe("findings", () => {
  it("say which stacks they concern; those that the caller may not read are restricted, and orphans need both ends", async () => {
    await finding("cycle", ["net", "app"]);
    await finding("duplicate", ["app", "db"], { realm: "r", identity: "vpc-1" });
    await finding("orphan", ["net"], {
      reason: "stack_missing",
      from_stack: "nowhere",
      from_resource: null,
      file: "main.tf",
      line: 3,
    });
    await finding("orphan", ["net", "db"], {
      reason: "resource_missing",
      from_stack: "db",
      from_resource: "aws_db.x",
      file: null,
      line: null,
    });
    await api.database.sql`
      insert into explore_reports (org_id, cycles, orphans, duplicates, cycles_complete, orphans_complete, computed_at)
      values (${orgId}, 1, 2, 1, true, false, svc_now())`;
    const all = (await read("findings", everybody)).body;
    expect(all).toMatchObject({ cycles_complete: true, orphans_complete: false, next_cursor: null });
    expect(all.computed_at).toMatch(/Z$/);
    expect(all.items.map(({ kind }: { kind: string }) => kind)).toEqual(["cycle", "duplicate", "orphan", "orphan"]);
    expect(all.items[0]).toMatchObject({
      stacks: [
        { id: "app", name: "app", restricted: false },
        { id: "net", name: "net", restricted: false },
      ],
      stack_count: 2,
    });
    expect(all.items[1]).toMatchObject({ realm: "r", identity: "vpc-1" });
    expect(all.items[2].stacks[0].id).toBe("net");

    const some = (await read("findings", await only("n%"))).body.items;
    expect(some).toHaveLength(1);
    expect(some[0].stacks).toEqual([
      { id: "net", name: "net", restricted: false },
      { id: null, name: null, restricted: true },
    ]);
    const both = await api.makeAccount(orgId, [
      ["stack", "read", { pattern: "net" }],
      ["stack", "read", { pattern: "db" }],
    ]);
    const visible = (await read("findings", both)).body.items;
    expect(visible.map(({ kind, reason }: { kind: string; reason: string }) => [kind, reason])).toEqual([
      ["cycle", null],
      ["duplicate", null],
      ["orphan", "resource_missing"],
    ]);
    expect(JSON.stringify(visible)).not.toContain("nowhere");
    for (const by of [await api.makeAccount(await api.makeOrg(), [["*", "*"]]), await api.makeAccount(orgId, [])]) {
      expect((await read("findings", by)).body.items).toEqual([]);
    }
  });

  it("are filtered by kind and stack, and paged", async () => {
    const kinds = async (query: string, by: Caller = everybody) =>
      (await read(`findings?${query}`, by)).body.items.map(({ kind }: { kind: string }) => kind);
    expect(await kinds("kind=cycle,duplicate")).toEqual(["cycle", "duplicate"]);
    expect(await kinds("stack=db")).toEqual(["duplicate", "orphan"]);
    expect(await kinds("stack=db", await only("n%"))).toEqual([]);
    expect(await kinds("stack=missing")).toEqual([]);
    const first = (await read("findings?limit=3", everybody)).body;
    const rest = (await read(`findings?limit=3&cursor=${first.next_cursor}`, everybody)).body;
    expect(new Set([...first.items, ...rest.items].map(({ id }) => id)).size).toBe(4);
    expect(rest.next_cursor).toBeNull();
    expect((await read("findings?kind=x", everybody)).status).toBe(422);
  });
});

describe("the explore database being away", () => {
  it("makes its own reads answer 503, and nothing else", async () => {
    const away = connect("postgres://nobody@127.0.0.1:1/none", { max: 1 });
    const other = await startPeopleApi({ explore: away });
    const org = await other.makeOrg();
    await makeStack(other.database, org);
    const by = await other.makeAccount(org, [["stack", "read"]]);
    for (const what of ["resources", "findings"]) {
      const answer = await other.call("GET", `/api/v1/orgs/${org}/explore/${what}`, by);
      expect([answer.status, answer.body.code]).toEqual([503, "database_unavailable"]);
    }
    expect((await other.call("GET", `/api/v1/orgs/${org}/stacks`, by)).body.items).toHaveLength(1);
    expect((await other.call("GET", "/readyz")).status).toBe(200);
    await other.close();
    await away.$client.end({ timeout: 1 });
  });
});
