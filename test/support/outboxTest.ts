/** The outbox and its relays: what those tests begin with. */
import { sql as query } from "drizzle-orm";
import { type Relay, type RelayOptions, startRelay } from "../../src/orchestration/relay/relay.ts";
import { openTemporal, type Temporal } from "../../src/orchestration/temporal/client.ts";
import type { OutboxMessage } from "../../src/work/message.ts";
import type { OutboxRow } from "../../src/work/schema.ts";
import { workflowIds } from "../../workflows/ids.ts";
import { freshNamespace } from "./temporal.ts";
import { databaseTest } from "./test.ts";
import { waitFor } from "./waitFor.ts";

export const relays: Relay[] = [];

export function openPort(address: string, name: string): Temporal {
  return openTemporal({
    address,
    namespace: name,
    tlsCaFile: undefined,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
  });
}

export function uuid(n: number): string {
  return `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
}

export function subject(n: number) {
  return { deploymentId: uuid(n), orgId: uuid(1), stackKey: uuid(2), mode: "plan", origin: "manual" };
}

export function start(n: number): OutboxMessage {
  return { kind: "startDeployment", ...subject(n) };
}

export function signal(n: number): OutboxMessage {
  return { kind: "signalDeployment", deploymentId: uuid(n), signal: "reread" };
}

export const test = databaseTest()
  .extend("namespace", { scope: "file" }, async ({}, { onCleanup }) => {
    const namespace = await freshNamespace();
    onCleanup(() => namespace.close());
    return namespace;
  })
  .extend("temporal", { scope: "file" }, ({ namespace }, { onCleanup }) => {
    const temporal = openPort(namespace.address, namespace.namespace);
    onCleanup(() => temporal.close());
    return temporal;
  })
  .extend("world", ({ database, namespace }) => {
    function relay(options: Omit<RelayOptions, "db"> & { db?: RelayOptions["db"] }): Relay {
      const started = startRelay({ db: database.db, ...options });
      relays.push(started);
      return started;
    }

    /** Commit messages as a transition does: the writer owns them for 2 s. */
    async function write(messages: OutboxMessage[], dueInMs = 2_000): Promise<OutboxRow[]> {
      return await database.db.execute<OutboxRow>(query`
    insert into outbox (message, due_at) select m, svc_now() + ${dueInMs}::int * interval '1 millisecond'
    from jsonb_array_elements(${JSON.stringify(messages)}::jsonb) m returning id, message`);
    }
    const left = async () => (await database.sql`select count(*)::int as n from outbox`)[0]?.n as number;
    const drained = () =>
      waitFor(async () => (await left()) === 0, { what: "the outbox to be empty", timeoutMs: 45_000 });

    async function signals(workflowId: string): Promise<number> {
      const { events } = await namespace.client.workflow.getHandle(workflowId).fetchHistory();
      return (events ?? []).filter((event) => event.workflowExecutionSignaledEventAttributes).length;
    }

    async function executions(workflowId: string): Promise<number> {
      let found = 0;
      for await (const _ of namespace.client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) found++;
      return found;
    }
    const history = async (n: number) =>
      (await namespace.client.workflow.getHandle(workflowIds.deployment(uuid(n))).fetchHistory()).events ?? [];

    return { relay, write, left, drained, signals, executions, history };
  });
