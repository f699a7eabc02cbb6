/**
 * The outbox between database and Temporal: nothing lost, nothing started twice, no idle load
 * (docs/rules/workflows.md#the-outbox).
 */
import { sql as query } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Relay, type RelayOptions, startRelay } from "../../src/orchestration/relay/relay.ts";
import { orderingKey, outboxSender } from "../../src/orchestration/relay/send.ts";
import { openTemporal, type Temporal } from "../../src/orchestration/temporal/client.ts";
import { TemporalUnavailable } from "../../src/orchestration/temporal/errors.ts";
import { connect } from "../../src/platform/db/client.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import type { OutboxMessage } from "../../src/work/message.ts";
import type { OutboxRow } from "../../src/work/schema.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

let database: TestDatabase;
let namespace: TestTemporal;
let temporal: Temporal;
beforeAll(async () => {
  [database, namespace] = await Promise.all([freshDatabase(), freshNamespace()]);
  temporal = openPort(namespace.address, namespace.namespace);
});
afterAll(async () => {
  await temporal.close();
  await namespace.close();
  await database.close();
});

const relays: Relay[] = [];
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.close()));
  await database.sql`delete from outbox`;
});

function openPort(address: string, name: string): Temporal {
  return openTemporal({
    address,
    namespace: name,
    tlsCaFile: undefined,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
  });
}

function relay(options: Omit<RelayOptions, "db"> & { db?: RelayOptions["db"] }): Relay {
  const started = startRelay({ db: database.db, ...options });
  relays.push(started);
  return started;
}

function uuid(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

function start(n: number): OutboxMessage {
  return {
    kind: "startDeployment",
    deploymentId: uuid(n),
    orgId: uuid(1),
    stackKey: uuid(2),
    mode: "plan",
    origin: "manual",
  };
}

function signal(n: number): OutboxMessage {
  return { kind: "signalDeployment", deploymentId: uuid(n), signal: "reread" };
}

/** Commit messages as a transition does: the writer owns them for 2 s. */
async function write(messages: OutboxMessage[], dueInMs = 2_000): Promise<OutboxRow[]> {
  return await database.db.execute<OutboxRow>(query`
    insert into outbox (message, due_at) select m, svc_now() + ${dueInMs}::int * interval '1 millisecond'
    from jsonb_array_elements(${JSON.stringify(messages)}::jsonb) m returning id, message`);
}

const left = async () => (await database.sql`select count(*)::int as n from outbox`)[0]?.n as number;
const drained = () => waitFor(async () => (await left()) === 0, { what: "the outbox to be empty", timeoutMs: 20_000 });

async function signals(workflowId: string): Promise<number> {
  const { events } = await namespace.client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
}

async function executions(workflowId: string): Promise<number> {
  let found = 0;
  for await (const _ of namespace.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) found++;
  return found;
}

describe("a writer", () => {
  it("sends its rows at once and deletes them", async () => {
    const sent: OutboxMessage[] = [];
    const writer = relay({ send: async (message) => void sent.push(message) });
    const rows = await write([start(1), signal(1), signal(2)]);
    writer.sendSoon(rows);
    await waitFor(async () => (await left()) === 0, { what: "deletion", timeoutMs: 1_000 });
    expect(sent).toHaveLength(3);
  });

  it("leaves no request waiting for Temporal, and none without its message, when sending hangs", async () => {
    let hang = true;
    const sent: OutboxMessage[] = [];
    const never = new Promise<void>((resolve) => setTimeout(resolve, 4_000));
    const writer = relay({
      send: (message) => {
        if (hang) return never.then(() => Promise.reject(new TemporalUnavailable("deadline")));
        sent.push(message);
        return Promise.resolve();
      },
      idlePollMs: 1_000,
    });
    const began = performance.now();
    writer.sendSoon(await write([signal(1)]));
    expect(performance.now() - began).toBeLessThan(500);
    hang = false;
    await drained();
    expect(sent).toEqual([signal(1)]);
    await never;
  });

  it("that is killed between commit and send is stood in for within 3 s", async () => {
    const sentAt: number[] = [];
    relay({ send: async () => void sentAt.push(performance.now()), idlePollMs: 1_000 });
    const began = performance.now();
    await write([signal(1), signal(2)]);
    await drained();
    expect(sentAt).toHaveLength(2);
    expect(Math.max(...sentAt) - began).toBeLessThan(3_000);
  });

  it("that was killed is stood in for by its own restart, without polling", async () => {
    await write([signal(1)]);
    const sent: OutboxMessage[] = [];
    const began = performance.now();
    relay({ send: async (message) => void sent.push(message) });
    await drained();
    expect(sent).toEqual([signal(1)]);
    expect(performance.now() - began).toBeLessThan(3_000);
  });
});

describe("two relays", () => {
  it("share 300 messages: each is sent once, in order for each workflow", async () => {
    const sent: { by: string; message: OutboxMessage }[] = [];
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (const by of ["one", "two"]) {
      relay({
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
    await write(Array.from({ length: 150 }, (_, n) => [start(n), signal(n)]).flat(), 0);
    await drained();
    expect(sent).toHaveLength(300);
    // A batch ends where it ends: only a workflow whose two messages were split between batches may be out of order.
    expect(wrong.length).toBeLessThanOrEqual(3);
    expect(new Set(sent.map(({ by }) => by)).size).toBe(2);
  });

  it("and a writer with the same rows start one workflow, and a signal that arrives twice is one more read", async () => {
    const send = outboxSender(temporal, async () => {});
    const rows = await write([start(500), signal(500)], 0);
    const both = ["one", "two"].map(() => relay({ send, idlePollMs: 1_000 }));
    for (const each of both) each.sendSoon(rows);
    await drained();
    const workflowId = workflowIds.deployment(uuid(500));
    await waitFor(async () => (await executions(workflowId)) === 1, { what: "one execution" });
    expect(await signals(workflowId)).toBeGreaterThanOrEqual(1);
    await namespace.client.workflow.getHandle(workflowId).terminate();
  });

  it("survive the death of one in the middle of a batch", async () => {
    const sent = new Set<string>();
    const dying = connect(database.url, { max: 2 });
    // Claims its rows and never comes back, as a killed process does.
    const killed = startRelay({ db: dying, send: () => new Promise(() => {}), idlePollMs: 1_000 });
    await write(
      Array.from({ length: 20 }, (_, n) => signal(n)),
      0,
    );
    await waitFor(async () => (await database.sql`select 1 from outbox where attempts = 1`).length === 20, {
      what: "a claim",
    });
    await dying.$client.end({ timeout: 0 });
    relay({ send: async (message) => void sent.add(orderingKey(message)), idlePollMs: 1_000 });
    await drained();
    expect(sent.size).toBe(20);
    // Its promise hangs with the sends that never end; nothing of it holds the process.
    void killed;
  });
});

describe("a message that cannot be sent", () => {
  it("is tried again ever more slowly, and holds no other back", async () => {
    const tries: number[] = [];
    const sent: OutboxMessage[] = [];
    relay({
      idlePollMs: 1_000,
      send: async (message) => {
        if (orderingKey(message) !== workflowIds.deployment(uuid(1))) return void sent.push(message);
        tries.push(performance.now());
        if (tries.length < 4) throw new Error("no");
        sent.push(message);
      },
    });
    await write([signal(1), signal(2)], 0);
    await waitFor(() => sent.length >= 1, { what: "the other one" });
    expect(tries.length).toBeLessThanOrEqual(2);
    await drained();
    expect(sent).toHaveLength(2);
    expect((tries[3] as number) - (tries[2] as number)).toBeGreaterThan((tries[1] as number) - (tries[0] as number));
  });

  it("is kept while the namespace is missing, and sent when it is there", async () => {
    const name = `late-${uuid(7)}`;
    const port = openPort(namespace.address, name);
    const failures: string[] = [];
    relay({
      send: outboxSender(port, async () => {}),
      idlePollMs: 1_000,
      count: (_path, outcome) => void failures.push(outcome),
    });
    await write([signal(3)], 0);
    await waitFor(() => failures.includes("failed"), { what: "a failure" });
    expect(await left()).toBe(1);
    await namespace.client.workflowService.registerNamespace({
      namespace: name,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    await drained();
    await port.close();
  });

  it("is delivered when its workflow has ended or never was", async () => {
    const results = await Promise.all([
      temporal.signal(workflowIds.deployment(uuid(9)), "reread"),
      temporal.signal(workflowIds.lease(uuid(9)), "finished"),
    ]);
    expect(results).toEqual(["missing", "missing"]);
    const outcomes: string[] = [];
    relay({
      send: outboxSender(temporal, async () => {}),
      idlePollMs: 1_000,
      count: (_path, outcome) => void outcomes.push(outcome),
    });
    await write([signal(9)], 0);
    await drained();
    expect(outcomes).toEqual(["sent"]);
  });
});

describe("patient messages", () => {
  const notice = (org: number, n: number): OutboxMessage => ({
    kind: "startNotification",
    orgId: uuid(1_000 + org),
    deliveryId: uuid(org * 10_000 + n),
  });

  it("go by organization in turn: one organization's thousand stand before nobody else's first", async () => {
    const sent: OutboxMessage[] = [];
    await write(
      [...Array.from({ length: 1_000 }, (_, n) => notice(1, n)), notice(2, 1), notice(3, 1), notice(3, 2)],
      0,
    );
    relay({ send: async (message) => void sent.push(message), idlePollMs: 100 });
    await drained();
    const places = sent.flatMap((message, place) =>
      "orgId" in message && message.orgId !== uuid(1_001) ? [place] : [],
    );
    expect(places).toHaveLength(3);
    expect(Math.max(...places)).toBeLessThan(20);
  });

  it("wait while the workers have enough to do, and urgent ones do not", async () => {
    let backlogMs = 10_000;
    const sent: string[] = [];
    relay({ send: async ({ kind }) => void sent.push(kind), backlog: async () => backlogMs, idlePollMs: 100 });
    await write([...Array.from({ length: 50 }, (_, n) => notice(1, n)), signal(1)], 0);
    await waitFor(() => sent.includes("signalDeployment"), { what: "the urgent one" });
    expect(sent).toEqual(["signalDeployment"]);
    backlogMs = 0;
    await drained();
    expect(sent).toHaveLength(51);
  });

  it("find the next organization by an index, however many rows one has", async () => {
    await database.sql`
      insert into outbox (message, due_at) select ${database.sql.json(notice(1, 1))}, svc_now() from generate_series(1, 20000)`;
    await database.sql`analyze outbox`;
    const plan = await database.sql`explain (analyze, buffers off, timing off, format json)
      select org_id from outbox where class = 3 and org_id > ${uuid(1)} order by org_id limit 1`;
    expect(JSON.stringify(plan)).toMatch(/"Index Name": ?"outbox_patient"/);
  });
});

describe("a workflow that sleeps", () => {
  const sleeping = (n: number, sleepMs: number): OutboxMessage =>
    ({ ...(start(n) as object), sleepMs }) as OutboxMessage;
  const history = async (n: number) =>
    (await namespace.client.workflow.getHandle(workflowIds.deployment(uuid(n))).fetchHistory()).events ?? [];

  it("takes no task for its start, nor for its end", async () => {
    relay({ send: outboxSender(temporal, async () => {}), idlePollMs: 100 });
    await write([sleeping(501, 3_600_000)], 0);
    await drained();
    expect(await history(501)).toHaveLength(1);
    await write([{ kind: "endDeployment", orgId: uuid(1), deploymentId: uuid(501), status: "cancelled" }], 0);
    await drained();
    const events = await history(501);
    expect(events).toHaveLength(2);
    expect(events[1]?.workflowExecutionTerminatedEventAttributes?.reason).toBe(
      "nothing was due before it ended: cancelled",
    );
  });

  it("ends at once when its end was sent before its start", async () => {
    relay({
      send: outboxSender(
        temporal,
        async () => {},
        async () => "finished",
      ),
      idlePollMs: 100,
    });
    await write([sleeping(503, 3_600_000)], 0);
    await drained();
    const events = await history(503);
    expect(events.at(-1)?.workflowExecutionTerminatedEventAttributes?.reason).toBe(
      "nothing was due before it ended: finished",
    );
  });

  it("sleeps less when its start was late", async () => {
    relay({ send: outboxSender(temporal, async () => {}), idlePollMs: 100 });
    await database.sql`insert into outbox (message, due_at, created_at)
      values (${database.sql.json(sleeping(502, 3_600_000) as never)}, svc_now(), svc_now() - interval '1 hour')`;
    await drained();
    const [started, scheduled] = await history(502);
    expect(Number(started?.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff?.seconds ?? 0)).toBe(0);
    expect(scheduled?.workflowTaskScheduledEventAttributes).toBeTruthy();
  });
});

describe("an idle relay", () => {
  it("sends at most one statement a second, and none at all where only hints wake it", async () => {
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

  it("reads its claim from an index, however many rows wait in back-off", async () => {
    await database.sql`
      insert into outbox (message, due_at) select ${database.sql.json(signal(1))}, svc_now() + interval '1 hour' from generate_series(1, 20000)`;
    await database.sql`analyze outbox`;
    const urgent = await database.sql`explain (analyze, buffers off, timing off, format json)
      select id from outbox where class = 1 and due_at <= (select svc_now()) order by due_at, id limit 100`;
    expect(JSON.stringify(urgent)).toMatch(/"Index Name": ?"outbox_urgent"/);
    expect(JSON.stringify(urgent)).not.toMatch(/Rows Removed by Filter/);
  });

  it("closes while it rests, and finishes what it sends", async () => {
    let finished = false;
    const busy = startRelay({
      db: database.db,
      send: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        finished = true;
      },
      idlePollMs: 60_000,
    });
    busy.sendSoon(await write([signal(1)]));
    await busy.close();
    expect(finished).toBe(true);
    expect(await left()).toBe(0);
  });
});
