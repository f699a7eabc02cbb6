/**
 * `GET .../explore/resources`: search, pages, and nothing of stacks that the caller may not read (docs/explore.md).
 */
import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { pageQuery } from "../../src/graph/explore/listResources.ts";
import type { StackKeys } from "../../src/graph/explore/visibleStacks.ts";
import { listPage } from "../../src/http/listQuery.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { test } from "../support/exploreTest.ts";
import { makeStack } from "../support/fixtures.ts";

describe("resources", () => {
  test("come in the order of addresses, each with its stack; pages neither skip nor repeat", async ({ world }) => {
    const all = ["net aws_subnet.a", "net aws_subnet.b", "app aws_vpc.main", "net aws_vpc.main"];
    expect(await world.found("")).toEqual(expect.arrayContaining(all));
    const { body } = await world.read("resources?stack=db", world.everybody);
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
      const page = (await world.read(`resources?limit=1${cursor}`, world.everybody)).body;
      paged.push(
        ...page.items.map((row: { stack: { id: string }; address: string }) => `${row.stack.id} ${row.address}`),
      );
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(paged).toEqual(await world.found(""));
    expect(new Set(paged).size).toBe(6);
    expect(await world.found("order=desc")).toEqual(paged.toReversed());
  });

  test("are found by part of an address or identity, in any case, with no wildcards, and by each filter", async ({
    world,
  }) => {
    expect(await world.found("search=SUBNET")).toEqual(["net aws_subnet.a", "net aws_subnet.b"]);
    expect(await world.found("search=db-ident")).toEqual(["db aws_db.50%_off"]);
    expect(await world.found(`search=${encodeURIComponent("50%_")}`)).toHaveLength(1);
    for (const literal of ["%", "_b.5", "w_b", "\\y"]) {
      expect(await world.found(`search=${encodeURIComponent(`${literal}zz`)}`)).toEqual([]);
    }
    expect(await world.found(`search=${encodeURIComponent("y\\")}`)).toHaveLength(1);
    expect(await world.found(`search=${encodeURIComponent("y\\x")}`)).toHaveLength(1);
    expect(await world.found("type=aws_subnet")).toHaveLength(3);
    expect(await world.found("type=aws_subnet,aws_vpc&stack=app,net&mode=managed")).toHaveLength(5);
    expect(await world.found("provider=google")).toHaveLength(1);
    expect(await world.found("stack=missing")).toEqual([]);
    for (const wrong of ["mode=x", "limit=0", "cursor=x", "sort=identity", "nope=1", "search="]) {
      expect((await world.read(`resources?${wrong}`, world.everybody)).status).toBe(422);
    }
  });

  test("of stacks that the caller may not read are not there, whatever is asked for", async ({ api, world }) => {
    const some = await world.only("n%");
    expect(await world.found("", some)).toEqual(["net aws_subnet.a", "net aws_subnet.b", "net aws_vpc.main"]);
    expect(await world.found("stack=app", some)).toEqual([]);
    expect(await world.found("search=instance", some)).toEqual([]);
    expect(await world.found("limit=1", some)).toEqual(["net aws_subnet.a"]);
    const outsiders = [
      await api.makeAccount(await api.makeOrg(), [["*", "*"]]),
      await api.makeAccount(world.orgId, []),
    ];
    for (const by of outsiders) expect(await world.found("", by)).toEqual([]);
    expect((await world.read("resources", world.everybody, "x")).body.items).toEqual([]);
  });

  test("of a deleted stack are gone at once, before they are removed", async ({ api, world }) => {
    world.keys.old = await makeStack(api.database, world.orgId, { slug: "old", name: "old" });
    await world.resources("old", ["gone"]);
    expect(await world.found("search=gone")).toHaveLength(1);
    await api.database.sql`update stacks set deleted_at = svc_now() where stack_key = ${world.keys.old}`;
    expect(await world.found("search=gone")).toEqual([]);
    expect(await world.found("search=gone", await world.only("%"))).toEqual([]);
    await api.database.sql`delete from explore.resources where stack_key = ${world.keys.old}`;
  });

  test("and findings are the same for a caller whose patterns match hundreds of stacks", async ({ api, world }) => {
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
      const { body } = await world.read(`resources?limit=50&search=vpc${cursor}`, by, crowd);
      for (const { stack } of body.items) seen.add(stack.id);
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect([...seen].sort()).toEqual(made.map((_, i) => `mine-${i}`).sort());
    const { body } = await world.read("findings", by, crowd);
    const shown = body.items.map(({ kind, stacks }: { kind: string; stacks: { id: string | null }[] }) => [
      kind,
      ...stacks.map(({ id }) => id),
    ]);
    expect(shown).toEqual([
      ["duplicate", "mine-3", null],
      ["orphan", "mine-0", "mine-1"],
    ]);
    expect((await world.read("findings?stack=", by, crowd)).status).toBe(422);
  });

  test("cost three statements at most, over indexes also when there are many", async ({ api, world }) => {
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
    // Compared one by one in the recheck of a bitmap, thousands of keys would take a minute; hashed, they cost next to
    // nothing.
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
      const { statements } = await countStatements(() =>
        Promise.resolve(world.read("resources?limit=100", caller, many)),
      );
      expect(statements.length).toBeLessThanOrEqual(3 + 1);
    }
  });
});
