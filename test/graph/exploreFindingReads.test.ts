/** `GET .../explore/findings`, and answers while the explore database is away (docs/explore.md). */
import { describe, expect } from "vitest";
import { connect } from "../../src/platform/db/client.ts";
import { test } from "../support/exploreTest.ts";
import { makeStack } from "../support/fixtures.ts";
import { type Caller, startPeopleApi } from "../support/peopleApi.ts";

describe("findings", () => {
  test("say which stacks they concern; those that the caller may not read are restricted, and orphans need both ends", async ({
    api,
    world,
  }) => {
    await world.finding("cycle", ["net", "app"]);
    await world.finding("duplicate", ["app", "db"], { realm: "r", identity: "vpc-1" });
    await world.finding("orphan", ["net"], {
      reason: "stack_missing",
      from_stack: "nowhere",
      from_resource: null,
      file: "main.tf",
      line: 3,
    });
    await world.finding("orphan", ["net", "db"], {
      reason: "resource_missing",
      from_stack: "db",
      from_resource: "aws_db.x",
      file: null,
      line: null,
    });
    await api.database.sql`
      insert into explore_reports (org_id, cycles, orphans, duplicates, cycles_complete, orphans_complete, computed_at)
      values (${world.orgId}, 1, 2, 1, true, false, svc_now())`;
    const all = (await world.read("findings", world.everybody)).body;
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

    const some = (await world.read("findings", await world.only("n%"))).body.items;
    expect(some).toHaveLength(1);
    expect(some[0].stacks).toEqual([
      { id: "net", name: "net", restricted: false },
      { id: null, name: null, restricted: true },
    ]);
    const both = await api.makeAccount(world.orgId, [
      ["stack", "read", { pattern: "net" }],
      ["stack", "read", { pattern: "db" }],
    ]);
    const visible = (await world.read("findings", both)).body.items;
    expect(visible.map(({ kind, reason }: { kind: string; reason: string }) => [kind, reason])).toEqual([
      ["cycle", null],
      ["duplicate", null],
      ["orphan", "resource_missing"],
    ]);
    expect(JSON.stringify(visible)).not.toContain("nowhere");
    for (const by of [
      await api.makeAccount(await api.makeOrg(), [["*", "*"]]),
      await api.makeAccount(world.orgId, []),
    ]) {
      expect((await world.read("findings", by)).body.items).toEqual([]);
    }
  });

  test("are filtered by kind and stack, and paged", async ({ world }) => {
    const kinds = async (query: string, by: Caller = world.everybody) =>
      (await world.read(`findings?${query}`, by)).body.items.map(({ kind }: { kind: string }) => kind);
    expect(await kinds("kind=cycle,duplicate")).toEqual(["cycle", "duplicate"]);
    expect(await kinds("stack=db")).toEqual(["duplicate", "orphan"]);
    expect(await kinds("stack=db", await world.only("n%"))).toEqual([]);
    expect(await kinds("stack=missing")).toEqual([]);
    const first = (await world.read("findings?limit=3", world.everybody)).body;
    const rest = (await world.read(`findings?limit=3&cursor=${first.next_cursor}`, world.everybody)).body;
    expect(new Set([...first.items, ...rest.items].map(({ id }) => id)).size).toBe(4);
    expect(rest.next_cursor).toBeNull();
    expect((await world.read("findings?kind=x", world.everybody)).status).toBe(422);
  });
});

describe("the explore database being away", () => {
  test("makes its own reads answer 503, and nothing else", async () => {
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
    expect((await other.call("GET", "/healthz")).status).toBe(200);
    await other.close();
    await away.$client.end({ timeout: 1 });
  });
});
