/** Delete and forced delete, and a new incarnation under an old name (docs/rules/stacks.md). */
import { describe, expect } from "vitest";
import { handBack } from "../../src/core/deployments/transitions/handBack.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { passRunDeadline } from "../../src/core/deployments/transitions/runDeadline.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { claim, create, decide, makeStack, statuses } from "../support/fixtures.ts";
import { test } from "../support/stackLifeTest.ts";

describe("delete", () => {
  test("is refused while a runner works, forced it ends everything, and other stacks go on", async ({ api, world }) => {
    const { key, path } = await world.newStack();
    const { id, runId, runnerId } = await world.running(key);
    const queued = await create(api.service, key);
    expect(await world.call("DELETE", path)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await statuses(api.database, queued)).deployment).toBe("queued");
    expect((await world.call("DELETE", `${path}?force=yes`)).status).toBe(422);
    expect((await world.call("DELETE", `${path}?force=true`)).status).toBe(204);
    expect(await statuses(api.database, id)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
    expect(await statuses(api.database, queued)).toMatchObject({
      deployment: "cancelled",
      runs: ["plan_run:cancelled"],
    });
    expect((await world.call("GET", path)).status).toBe(404);
    expect((await world.call("DELETE", path)).status).toBe(404);
    expect(api.service.sent).toContainEqual({
      kind: "endLease",
      orgId: expect.any(String),
      runId,
      status: "cancelled",
    });
    expect(await reportDone(api.service, runId, runnerId, { status: "success" })).toMatchObject({
      code: "run_already_terminal",
    });
    const other = await world.newStack();
    expect((await statuses(api.database, await create(api.service, other.key))).deployment).toBe("pending");
  });

  test("without a runner at work needs no force, a claimed run included", async ({ api, world }) => {
    const { key, path } = await world.newStack();
    const id = await create(api.service, key);
    await claim(api.database, world.org, id);
    expect((await world.call("DELETE", path)).status).toBe(204);
    expect(await statuses(api.database, id)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
  });

  test("of a long queue takes as many statements as of a short one, and leaves what a cancel of each would", async ({
    api,
    world,
  }) => {
    const { sql } = api.database;
    const one = await world.newStack();
    await create(api.service, one.key);
    const alone = await create(api.service, one.key, { mode: "destroy" });
    await decide(api.service, api.database, alone, "cancel");
    const trace = async (id: string, key: string) => {
      const named = (value: unknown) => JSON.stringify(value).replaceAll(id, "ID").replaceAll(key, "STACK");
      const [row] =
        await sql`select status, skipped_reason, error, cancel_requested_at, completed_at is not null as ended from deployments where id = ${id}`;
      const runs =
        await sql`select status, exit_code, error, completed_at is not null as ended, assigned_expires_at from runs where deployment_id = ${id}`;
      const stages =
        await sql`select kind, phase, completed_at is not null as ended from stages where deployment_id = ${id}`;
      const events =
        await sql`select kind, stage_id, details from deployment_events where deployment_id = ${id} order by created_at, id`;
      const facts =
        await sql`select name, run_id is not null as run, data from domain_events where deployment_id = ${id} order by occurred_at, id`;
      const audit =
        await sql`select action, resource_type, details - 'stack_id' as details from audit_log where resource_id = ${id} order by occurred_at, id`;
      const sent = api.service.sent.filter((message) => JSON.stringify(message).includes(id));
      return [row, runs, stages, events, facts, audit, sent].map(named);
    };
    const deleted = async (count: number) => {
      const { key, path } = await world.newStack();
      const holder = await create(api.service, key);
      const queued = await Promise.all(
        Array.from({ length: count }, () => create(api.service, key, { mode: "destroy" })),
      );
      const headers = { authorization: `Bearer ${world.token}` };
      const { result, statements } = await countStatements(
        async () => await api.app.request(path, { method: "DELETE", headers }),
      );
      expect(result.status).toBe(204);
      expect((await statuses(api.database, holder)).deployment).toBe("cancelled");
      return { key, queued, statements: statements.length };
    };
    const [short, long] = [await deleted(2), await deleted(60)];
    expect(long.statements).toBe(short.statements);
    const expected = await trace(alone, one.key);
    for (const id of long.queued) expect(await trace(id, long.key)).toEqual(expected);
  });

  test("a stack re-created under the old id is another one: late timers and reports do not reach it", async ({
    api,
    world,
  }) => {
    const { key, path } = await world.newStack();
    const name = path.split("/").at(-1) as string;
    const { id, runId, runnerId } = await world.running(key);
    await world.call("DELETE", `${path}?force=true`);
    const reborn = await makeStack(api.database, world.org.orgId, { slug: name, name });
    const fresh = await create(api.service, reborn);
    await reportDone(api.service, runId, runnerId, { status: "success" });
    await passRunDeadline(api.service, runId);
    expect(await handBack(api.service, runId, 1, async () => {})).toBe(false);
    expect((await statuses(api.database, fresh)).deployment).toBe("pending");
    expect((await world.call("GET", `${path}/deployments/${id}`)).status).toBe(404);
    expect((await world.call("GET", `${path}/deployments/${fresh}`)).status).toBe(200);
  });

  test("racing with creates leaves nothing alive", async ({ api, world }) => {
    for (let round = 0; round < 20; round++) {
      const { key, path } = await world.newStack();
      await create(api.service, key);
      const created = await Promise.allSettled([
        create(api.service, key),
        create(api.service, key),
        world.call("DELETE", path),
        create(api.service, key),
      ]);
      expect(created[2]).toMatchObject({ value: { status: 204 } });
      const alive = await api.database
        .sql`select id from deployments where stack_key = ${key} and completed_at is null`;
      expect(alive).toHaveLength(0);
    }
  });
});
