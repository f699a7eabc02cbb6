/** What comes by schedule on real Postgres: when, how often, and what is left out (docs/schedules.md). */
import { describe, expect } from "vitest";
import { openCommand } from "../../src/core/deployments/rawCommands/rawCommand.ts";
import { sealScript } from "../../src/core/schedules/script.ts";
import { ProblemError } from "../../src/platform/problems/problem.ts";
import { ACTOR, decide, makeStack, statuses } from "../support/fixtures.ts";
import { HEAD, SETTLED, test } from "../support/schedulesTest.ts";

class AwayError extends ProblemError {
  constructor() {
    super({ status: 502, code: "repository_unreachable", detail: "The host is away." });
  }
}
class NoBranchError extends ProblemError {
  constructor() {
    super({ status: 422, code: "invalid_value", detail: "There is no such branch." });
  }
}

describe("an occurrence", () => {
  test("makes the deployment that somebody would make by hand, and says why", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const id = await world.schedule({ stack_key: stackKey, mode: "destroy" });
    await world.due(id);
    const view = await world.step();
    const [made] = await world.deployments(stackKey);
    expect(made).toMatchObject({ mode: "destroy", status: "pending", origin_type: "schedule", commit_sha: HEAD });
    expect(made).toMatchObject({ created_by: null, provenance: "branch" });
    const [occurrence] = await world.occurrences(id);
    expect(occurrence).toMatchObject({ status: "created", deployment_id: made?.id, reason: null, due_at: null });
    const { eventRows } = await statuses(database, made?.id);
    expect(eventRows[0]).toMatchObject({
      kind: "created",
      details: { schedule: "nightly", schedule_id: id, occurs_at: expect.stringMatching(/Z$/) },
    });
    const next = (await world.row(id)).next_at as Date;
    expect([next.getUTCHours(), next > new Date()]).toEqual([3, true]);
    expect(view).toMatchObject({ schedules: 1, due: 0 });
    expect(view.nextMs).toBeGreaterThan(0);
  });

  test("makes one, however often and by how many at once it is looked at", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const id = await world.schedule({ stack_key: stackKey });
    await world.due(id);
    await Promise.all([world.step(), world.step(), world.step()]);
    // As after a crash between the two statements of a step that was not one transaction.
    const [{ occurs_at } = {}] = await world.occurrences(id);
    await database.sql`update schedules set next_at = ${occurs_at} where id = ${id}`;
    await world.step();
    expect(await world.deployments(stackKey)).toHaveLength(1);
    expect(await world.occurrences(id)).toHaveLength(1);
  });

  test("that was missed many times with the service away comes once", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const id = await world.schedule({ stack_key: stackKey });
    await world.due(id, 10 * 86_400);
    await world.step();
    await world.step();
    expect(await world.deployments(stackKey)).toHaveLength(1);
  });

  test("that comes once leaves nothing behind, and the workflow has nothing left", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const at = new Date(Date.now() - 1_000).toISOString();
    const id = await world.schedule({ stack_key: stackKey, cron: null, once_at: at, next_at: at });
    expect(await world.step()).toMatchObject({ schedules: 0, due: 0, nextMs: null });
    expect((await world.row(id)).next_at).toBeNull();
    expect(await world.deployments(stackKey)).toHaveLength(1);
  });

  test("runs a command, whose script is in no row as it is", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const script = "echo canary-of-the-night";
    const id = "01890000-0000-7000-8000-000000000001";
    const { script: sealed, commandBytes } = await sealScript(world.keyring, id, script);
    await world.schedule({ id, stack_key: stackKey, mode: "raw", script: sealed, command_bytes: commandBytes });
    await world.due(id);
    await world.step();
    const [made] = await world.deployments(stackKey);
    expect(made).toMatchObject({ mode: "raw", command_bytes: script.length });
    const [command] = await database.sql`select id, script from raw_commands where deployment_id = ${made?.id}`;
    expect(await openCommand(world.keyring, command as never)).toBe(script);
  });

  test("runs no command on a stack whose applies are looked at before, and is told", async ({
    world,
    database,
    org,
  }) => {
    const { sql } = database;
    const labels = sql.json({ guarded: "yes" });
    const stackKey = await makeStack(database, org.orgId, { labels });
    const id = "01890000-0000-7000-8000-000000000002";
    const { script, commandBytes } = await sealScript(world.keyring, id, "terraform state rm x");
    await world.schedule({ id, stack_key: stackKey, mode: "raw", script, command_bytes: commandBytes });
    await sql`insert into approval_rules (org_id, name, selector, modes, previews, destructive, count, approvers)
      values (${org.orgId}, 'two', ${labels}, '{plan}', false, false, 2, '{"roles": [], "groups": [], "service_accounts": []}')`;
    await world.due(id);
    await world.step();
    expect(await world.deployments(stackKey)).toEqual([]);
    expect(await world.occurrences(id)).toMatchObject([
      { status: "failed", error: expect.stringContaining("rule two") },
    ]);
  });

  test("comes on every stack that the selector fits", async ({ world, database, org }) => {
    const [prod, dev] = [
      await makeStack(database, org.orgId, { labels: { env: "prod" } }),
      await makeStack(database, org.orgId, { labels: { env: "dev" } }),
    ];
    const other = await makeStack(database, org.orgId, { labels: { env: "prod" } });
    const id = await world.schedule({ selector: { env: "prod" } });
    await world.due(id);
    await world.step();
    const made = await Promise.all([prod, other, dev].map(async (key) => (await world.deployments(key)).length));
    expect(made).toEqual([1, 1, 0]);
    expect(await world.occurrences(id)).toHaveLength(2);
  });
});

describe("an occurrence is left out", () => {
  test("of a stack on hold, which is told once and not every night", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId, { held_at: new Date(), held_by: ACTOR.id });
    const id = await world.schedule({ stack_key: stackKey });
    for (const seconds of [20, 10, 1]) {
      await world.due(id, seconds);
      await world.step();
    }
    expect((await world.occurrences(id)).map(({ status, reason }) => [status, reason])).toEqual(
      Array(3).fill(["skipped", "held"]),
    );
    const news = await world.news(stackKey);
    expect(news.map(({ name, data }) => [name, data.schedule, data.reason])).toEqual([
      ["schedule_missed", "nightly", "held"],
    ]);
    await database.sql`update stacks set held_at = null, held_by = null where stack_key = ${stackKey}`;
    await world.due(id, 0);
    await world.step();
    expect(await world.deployments(stackKey)).toHaveLength(1);
  });

  test("of a stack that is deleted, whose schedule is over", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const id = await world.schedule({ stack_key: stackKey });
    await world.due(id);
    await database.sql`update stacks set deleted_at = svc_now() where stack_key = ${stackKey}`;
    expect(await world.step()).toMatchObject({ nextMs: null });
    expect((await world.occurrences(id))[0]).toMatchObject({ status: "skipped", reason: "deleted" });
    expect((await world.row(id)).next_at).toBeNull();
  });

  test("while the deployment of the time before has not ended", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const id = await world.schedule({ stack_key: stackKey });
    await world.due(id, 20);
    await world.step();
    await world.due(id, 10);
    await world.step();
    const [, second] = await world.occurrences(id);
    expect(second).toMatchObject({ status: "skipped", reason: "earlier_open" });
    const [first] = await world.deployments(stackKey);
    await world.run(first?.id, SETTLED);
    await world.due(id, 1);
    await world.step();
    expect(await world.deployments(stackKey)).toHaveLength(2);
  });
});

describe("a host", () => {
  test("that is away is asked again, and the next time overtakes what it did not answer", async ({
    world,
    database,
    org,
  }) => {
    const stackKey = await makeStack(database, org.orgId);
    const id = await world.schedule({ stack_key: stackKey });
    world.asks(async () => {
      throw new AwayError();
    });
    await world.due(id, 20);
    const view = await world.step();
    expect([view.due, (view.nextMs ?? 0) > 30_000]).toEqual([1, true]);
    expect((await world.occurrences(id))[0]).toMatchObject({ status: "due", tries: 1, error: "The host is away." });
    await world.due(id, 10);
    await world.step();
    expect((await world.occurrences(id)).map(({ status, reason }) => [status, reason])).toEqual([
      ["skipped", "overtaken"],
      ["due", null],
    ]);
    world.asks(async () => ({ sha: HEAD, message: null, author: null }));
    await database.sql`update schedule_occurrences set due_at = svc_now() where due_at is not null and schedule_id = ${id}`;
    await world.step();
    expect((await world.occurrences(id))[1]).toMatchObject({ status: "created", error: null });
    expect((await world.news(stackKey)).map(({ data }) => [data.reason, data.error])).toEqual([
      ["overtaken", "The host is away."],
    ]);
  });

  test("that knows no such branch is not asked again; others of the step are made", async ({
    world,
    database,
    org,
  }) => {
    const gone = await makeStack(database, org.orgId, { branch: "gone" });
    const there = await makeStack(database, org.orgId);
    const ids = [await world.schedule({ stack_key: gone }), await world.schedule({ stack_key: there })];
    world.asks(async ({ branch }) => {
      if (branch === "gone") throw new NoBranchError();
      return { sha: HEAD, message: null, author: null };
    });
    for (const id of ids) await world.due(id);
    expect(await world.step()).toMatchObject({ due: 0 });
    expect((await world.occurrences(ids[0] as string))[0]).toMatchObject({ status: "failed", due_at: null });
    expect(await world.deployments(there)).toHaveLength(1);
    expect((await world.news(gone)).map(({ data }) => data.error)).toEqual(["There is no such branch."]);
  });

  test("whose client fails unforeseen holds up nothing, and is reported", async ({ world, database, org }) => {
    const stackKey = await makeStack(database, org.orgId);
    const id = await world.schedule({ stack_key: stackKey });
    world.asks(async () => {
      throw new TypeError("oops");
    });
    await world.due(id);
    await world.step();
    expect((await world.occurrences(id))[0]).toMatchObject({ status: "due", error: "internal error" });
    expect(world.unexpected).toHaveLength(1);
  });
});

test("a retry of what a schedule made is a deployment like any other", async ({ world, database, org, service }) => {
  const stackKey = await makeStack(database, org.orgId);
  await world.due(await world.schedule({ stack_key: stackKey }));
  await world.step();
  const [made] = await world.deployments(stackKey);
  expect(await decide(service, database, made?.id, "cancel")).toMatchObject({ outcome: "done" });
  expect((await statuses(database, made?.id)).deployment).toBe("cancelled");
});
