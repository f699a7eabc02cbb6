/** Messages that cannot be sent, and those that may wait (docs/rules/workflows.md#the-outbox). */
import { describe, expect } from "vitest";
import { orderingKey, outboxSender } from "../../src/orchestration/relay/send.ts";
import type { OutboxMessage } from "../../src/work/message.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { openPort, relays, signal, test, uuid } from "../support/outboxTest.ts";
import { waitFor } from "../support/waitFor.ts";

test.afterEach(async ({ database }) => {
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
  await database.sql`delete from outbox`;
});

describe("a message that cannot be sent", () => {
  test("is tried again ever more slowly, and holds no other back", async ({ world }) => {
    const tries: number[] = [];
    const sent: OutboxMessage[] = [];
    world.relay({
      idlePollMs: 1_000,
      send: async (message) => {
        if (orderingKey(message) !== workflowIds.deployment(uuid(1))) return void sent.push(message);
        tries.push(performance.now());
        if (tries.length < 4) throw new Error("no");
        sent.push(message);
      },
    });
    await world.write([signal(1), signal(2)], 0);
    await waitFor(() => sent.length >= 1, { what: "the other one" });
    expect(tries.length).toBeLessThanOrEqual(2);
    await world.drained();
    expect(sent).toHaveLength(2);
    expect((tries[3] as number) - (tries[2] as number)).toBeGreaterThan((tries[1] as number) - (tries[0] as number));
  });

  test("is kept while the namespace is missing, and sent when it is there", async ({ namespace, world }) => {
    const name = `late-${uuid(7)}`;
    const port = openPort(namespace.address, name);
    const failures: string[] = [];
    world.relay({
      send: outboxSender(port, async () => {}),
      idlePollMs: 1_000,
      count: (_path, outcome) => void failures.push(outcome),
    });
    await world.write([signal(3)], 0);
    await waitFor(() => failures.includes("failed"), { what: "a failure" });
    expect(await world.left()).toBe(1);
    await namespace.client.workflowService.registerNamespace({
      namespace: name,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await world.drained();
    await port.close();
  });

  test("is delivered when its workflow has ended or never was", async ({ temporal, world }) => {
    const results = await Promise.all([
      temporal.signal(workflowIds.deployment(uuid(9)), "reread"),
      temporal.signal(workflowIds.lease(uuid(9)), "finished"),
    ]);
    expect(results).toEqual(["missing", "missing"]);
    const outcomes: string[] = [];
    world.relay({
      send: outboxSender(temporal, async () => {}),
      idlePollMs: 1_000,
      count: (_path, outcome) => void outcomes.push(outcome),
    });
    await world.write([signal(9)], 0);
    await world.drained();
    expect(outcomes).toEqual(["sent"]);
  });
});

describe("patient messages", () => {
  const notice = (org: number, n: number): OutboxMessage => ({
    kind: "startNotification",
    orgId: uuid(1_000 + org),
    deliveryId: uuid(org * 10_000 + n),
  });

  test("go by organization in turn: one organization's thousand stand before nobody else's first", async ({
    world,
  }) => {
    const sent: OutboxMessage[] = [];
    await world.write(
      [...Array.from({ length: 1_000 }, (_, n) => notice(1, n)), notice(2, 1), notice(3, 1), notice(3, 2)],
      0,
    );
    world.relay({ send: async (message) => void sent.push(message), idlePollMs: 100 });
    await world.drained();
    const places = sent.flatMap((message, place) =>
      "orgId" in message && message.orgId !== uuid(1_001) ? [place] : [],
    );
    expect(places).toHaveLength(3);
    expect(Math.max(...places)).toBeLessThan(20);
  });

  test("wait while the workers have enough to do, and urgent ones do not", async ({ world }) => {
    let backlogMs = 10_000;
    const sent: string[] = [];
    world.relay({ send: async ({ kind }) => void sent.push(kind), backlog: async () => backlogMs, idlePollMs: 100 });
    await world.write([...Array.from({ length: 50 }, (_, n) => notice(1, n)), signal(1)], 0);
    await waitFor(() => sent.includes("signalDeployment"), { what: "the urgent one" });
    expect(sent).toEqual(["signalDeployment"]);
    backlogMs = 0;
    await world.drained();
    expect(sent).toHaveLength(51);
  });

  test("find the next organization by an index, however many rows one has", async ({ database }) => {
    await database.sql`
      insert into outbox (message, due_at) select ${database.sql.json(notice(1, 1))}, svc_now() from generate_series(1, 20000)`;
    await database.sql`analyze outbox`;
    const plan = await database.sql`explain (analyze, buffers off, timing off, format json)
      select org_id from outbox where class = 3 and org_id > ${uuid(1)} order by org_id limit 1`;
    expect(JSON.stringify(plan)).toMatch(/"Index Name": ?"outbox_patient"/);
  });
});
