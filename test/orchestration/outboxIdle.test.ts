/** Workflows that sleep, and relays with nothing to do (docs/rules/workflows.md#the-outbox). */
import { describe, expect } from "vitest";
import { startRelay } from "../../src/orchestration/relay/relay.ts";
import { outboxSender } from "../../src/orchestration/relay/send.ts";
import { deploymentStart } from "../../src/orchestration/temporal/starts.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import type { OutboxMessage } from "../../src/work/message.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { relays, signal, start, subject, test, uuid } from "../support/outboxTest.ts";
import { waitFor } from "../support/waitFor.ts";

test.afterEach(async ({ database }) => {
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
  await database.sql`delete from outbox`;
});

describe("a workflow that sleeps", () => {
  const sleeping = (n: number, sleepMs: number): OutboxMessage =>
    ({ ...(start(n) as object), sleepMs }) as OutboxMessage;

  test("takes no task for its start, nor for its end", async ({ temporal, world }) => {
    world.relay({ send: outboxSender(temporal, async () => {}), idlePollMs: 100 });
    await world.write([sleeping(501, 3_600_000)], 0);
    await world.drained();
    expect(await world.history(501)).toHaveLength(1);
    await world.write([{ kind: "endDeployment", orgId: uuid(1), deploymentId: uuid(501), status: "cancelled" }], 0);
    await world.drained();
    const events = await world.history(501);
    expect(events).toHaveLength(2);
    expect(events[1]?.workflowExecutionTerminatedEventAttributes?.reason).toBe(
      "nothing was due before it ended: cancelled",
    );
  });

  test("ends at once when its end was sent before its start", async ({ temporal, world }) => {
    world.relay({
      send: outboxSender(
        temporal,
        async () => {},
        async () => "finished",
      ),
      idlePollMs: 100,
    });
    await world.write([sleeping(503, 3_600_000)], 0);
    await world.drained();
    const events = await world.history(503);
    expect(events.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason).toBe(
      "nothing was due before it ended: finished",
    );
  });

  test("sleeps less when its start was late", async ({ database, temporal, world }) => {
    world.relay({ send: outboxSender(temporal, async () => {}), idlePollMs: 100 });
    await database.sql`insert into outbox (message, due_at, created_at)
      values (${database.sql.json(sleeping(502, 3_600_000) as never)}, svc_now(), svc_now() - interval '1 hour')`;
    await world.drained();
    const [started, scheduled] = await world.history(502);
    expect(Number(started?.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff?.seconds ?? 0)).toBe(0);
    expect(scheduled?.workflowTaskScheduledEventAttributes).toBeTruthy();
  });
});

describe("what overtakes a start", () => {
  test("wakes a deployment whose start, asleep, came in between", async ({ temporal, world }) => {
    const woken: string[] = [];
    const port = {
      ...temporal,
      async wake(workflowId: string) {
        woken.push(workflowId);
        if (woken.length > 1) return "delivered" as const;
        await temporal.start(deploymentStart(subject(504), 3_600_000));
        return "missing" as const;
      },
    };
    const wake = { kind: "wakeDeployment", ...subject(504), signal: "reread" } as OutboxMessage;
    await outboxSender(port, async () => {})(wake, 0);
    expect(woken).toHaveLength(2);
    expect(await world.history(504)).toHaveLength(1);
  });

  test("ends a lease whose start was still on its way", async ({ database, temporal, world }) => {
    const runId = uuid(505);
    world.relay({ send: outboxSender(temporal, async () => {}), idlePollMs: 100 });
    await world.write([{ kind: "endLease", orgId: uuid(1), runId, status: "success" } as OutboxMessage], 0);
    await waitFor(async () => (await database.sql`select 1 from outbox where attempts > 0`).length === 1, {
      what: "one try",
    });
    await world.write([{ kind: "assignLease", runId, sleepMs: 3_600_000, ...subject(505) } as OutboxMessage], 0);
    await world.drained();
    const { events } = await temporal.sdk.workflow.getHandle(workflowIds.lease(runId)).fetchHistory();
    expect(events?.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason).toBe(
      "nothing was due before it ended: success",
    );
  });

  test("no lease is asked for ever", async ({ world, temporal, database }) => {
    world.relay({ send: outboxSender(temporal, async () => {}), idlePollMs: 100 });
    await database.sql`insert into outbox (message, due_at, created_at)
      values (${database.sql.json({ kind: "endLease", orgId: uuid(1), runId: uuid(506), status: "success" } as never)}, svc_now(), svc_now() - interval '6 seconds')`;
    await world.drained();
  });
});

describe("an idle relay", () => {
  test("sends at most one statement a second, and none at all where only hints wake it", async ({ database }) => {
    const idle = async (idlePollMs?: number) => {
      const { statements } = await countStatements(async () => {
        const started = startRelay({ db: database.db, send: async () => {}, ...(idlePollMs && { idlePollMs }) });
        await new Promise((resolve) => setTimeout(resolve, 3_200));
        await started.close();
      });
      return statements.length;
    };
    const [polling, hinted] = await Promise.all([idle(1_000), idle()]);
    expect(polling).toBeLessThanOrEqual(4);
    expect(hinted).toBe(1);
  });

  test("reads its claim from an index, however many rows wait in back-off", async ({ database }) => {
    await database.sql`
      insert into outbox (message, due_at) select ${database.sql.json(signal(1))}, svc_now() + interval '1 hour' from generate_series(1, 20000)`;
    await database.sql`analyze outbox`;
    const urgent = await database.sql`explain (analyze, buffers off, timing off, format json)
      select id from outbox where class = 1 and due_at <= (select svc_now()) order by due_at, id limit 100`;
    expect(JSON.stringify(urgent)).toMatch(/"Index Name": ?"outbox_urgent"/);
    expect(JSON.stringify(urgent)).not.toMatch(/Rows Removed by Filter/);
  });

  test("closes while it rests, and finishes what it sends", async ({ database, world }) => {
    let finished = false;
    const busy = startRelay({
      db: database.db,
      send: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        finished = true;
      },
      idlePollMs: 60_000,
    });
    busy.sendSoon(await world.write([signal(1)]));
    await busy.close();
    expect(finished).toBe(true);
    expect(await world.left()).toBe(0);
  });
});
