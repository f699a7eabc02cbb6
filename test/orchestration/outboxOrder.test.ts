/**
 * The outbox between database and Temporal: nothing lost, nothing started twice (docs/rules/workflows.md#the-outbox).
 */
import { describe, expect } from "vitest";
import { startRelay } from "../../src/orchestration/relay/relay.ts";
import { orderingKey, outboxSender } from "../../src/orchestration/relay/send.ts";
import { TemporalUnavailable } from "../../src/orchestration/temporal/errors.ts";
import { connect } from "../../src/platform/db/client.ts";
import type { OutboxMessage } from "../../src/work/message.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { relays, signal, start, test, uuid } from "../support/outboxTest.ts";
import { waitFor } from "../support/waitFor.ts";

test.afterEach(async ({ database }) => {
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
  await database.sql`delete from outbox`;
});

describe("a writer", () => {
  test("sends its rows at once and deletes them", async ({ world }) => {
    const sent: OutboxMessage[] = [];
    const writer = world.relay({ send: async (message) => void sent.push(message) });
    const rows = await world.write([start(1), signal(1), signal(2)]);
    writer.sendSoon(rows);
    await waitFor(async () => (await world.left()) === 0, { what: "deletion", timeoutMs: 1_000 });
    expect(sent).toHaveLength(3);
  });

  test("leaves no request waiting for Temporal, and none without its message, when sending hangs", async ({
    world,
  }) => {
    let hang = true;
    const sent: OutboxMessage[] = [];
    const never = new Promise<void>((resolve) => setTimeout(resolve, 4_000));
    const writer = world.relay({
      send: (message) => {
        if (hang) return never.then(() => Promise.reject(new TemporalUnavailable("deadline")));
        sent.push(message);
        return Promise.resolve();
      },
      idlePollMs: 1_000,
    });
    const began = performance.now();
    writer.sendSoon(await world.write([signal(1)]));
    expect(performance.now() - began).toBeLessThan(500);
    hang = false;
    await world.drained();
    expect(sent).toEqual([signal(1)]);
    await never;
  });

  test("that is killed between commit and send is stood in for within 3 s", async ({ world }) => {
    const sentAt: number[] = [];
    world.relay({ send: async () => void sentAt.push(performance.now()), idlePollMs: 1_000 });
    const began = performance.now();
    await world.write([signal(1), signal(2)]);
    await world.drained();
    expect(sentAt).toHaveLength(2);
    expect(Math.max(...sentAt) - began).toBeLessThan(3_000);
  });

  test("that was killed is stood in for by its own restart, without polling", async ({ world }) => {
    await world.write([signal(1)]);
    const sent: OutboxMessage[] = [];
    const began = performance.now();
    world.relay({ send: async (message) => void sent.push(message) });
    await world.drained();
    expect(sent).toEqual([signal(1)]);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe("two relays", () => {
  test("share 300 messages: each is sent once, in order for each workflow", async ({ world }) => {
    const sent: { by: string; message: OutboxMessage }[] = [];
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (const by of ["one", "two"]) {
      world.relay({
        idlePollMs: 50,
        send: async (message) => {
          const key = orderingKey(message);
          if (message.kind === "signalDeployment" && !seen.has(key)) wrong.push(key);
          if (message.kind === "startDeployment") seen.add(key);
          sent.push({ by, message });
          await new Promise((resolve) => setTimeout(resolve, 20));
        },
      });
    }
    await world.write(Array.from({ length: 150 }, (_, n) => [start(n), signal(n)]).flat(), 0);
    await world.drained();
    expect(sent).toHaveLength(300);
    // A batch ends where it ends: only a workflow whose two messages were split between batches may be out of order.
    expect(wrong.length).toBeLessThanOrEqual(3);
    expect(new Set(sent.map(({ by }) => by)).size).toBe(2);
  });

  test("and a writer with the same rows start one workflow, and a signal that arrives twice is one more read", async ({
    temporal,
    namespace,
    world,
  }) => {
    const send = outboxSender(temporal, async () => {});
    const rows = await world.write([start(500), signal(500)], 0);
    const both = ["one", "two"].map(() => world.relay({ send, idlePollMs: 1_000 }));
    for (const each of both) each.sendSoon(rows);
    await world.drained();
    const workflowId = workflowIds.deployment(uuid(500));
    await waitFor(async () => (await world.executions(workflowId)) === 1, { what: "one execution" });
    expect(await world.signals(workflowId)).toBeGreaterThanOrEqual(1);
    await namespace.client.workflow.getHandle(workflowId).terminate();
  });

  test("survive the death of one in the middle of a batch", async ({ database, world }) => {
    const sent = new Set<string>();
    const dying = connect(database.url, { max: 2 });
    // Claims its rows and never comes back, as a killed process does.
    const killed = startRelay({ db: dying, send: () => new Promise(() => {}), idlePollMs: 1_000 });
    await world.write(
      Array.from({ length: 20 }, (_, n) => signal(n)),
      0,
    );
    await waitFor(async () => (await database.sql`select 1 from outbox where attempts = 1`).length === 20, {
      what: "a claim",
    });
    await dying.$client.end({ timeout: 0 });
    world.relay({ send: async (message) => void sent.add(orderingKey(message)), idlePollMs: 1_000 });
    await world.drained();
    expect(sent.size).toBe(20);
    // Its promise hangs with the sends that never end; nothing of it holds the process.
    void killed;
  });
});
