/**
 * Carries outbox rows to Temporal. Right after a commit the writer's own process sends them (`sendSoon`, best
 * effort); the relay is the guarantee: it claims what is due, calls Temporal with no lock held, then deletes
 * (docs/rules/workflows.md#the-outbox).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/client.ts";
import { withinTrace } from "../../platform/telemetry/traceContext.ts";
import type { OutboxRow } from "../../work/message.ts";
import { TemporalUnavailable } from "../temporal/errors.ts";
import { CLAIM_MS, type ClaimedRow, claimDue, deleteSent, putOff } from "./claim.ts";
import { orderingKey, type Send } from "./send.ts";

export type RelayOptions = {
  db: Db;
  send: Send;
  /** Longest time between two looks at the table; absent: look at boot and when this process left a row unsent. */
  idlePollMs?: number;
  /** A failure other than one message that could not be sent; the relay goes on. */
  onError?: (error: unknown) => void;
  /** Each message sent and each try that failed: right after its commit, or by the relay. */
  count?: (path: "writer" | "relay", outcome: "sent" | "failed") => void;
};

export type Relay = {
  /** Send rows this process has just committed. Returns at once and never throws. */
  sendSoon(rows: OutboxRow[]): void;
  /** Look for due rows now. */
  wake(): void;
  /** Finish what is being sent, claim nothing more. */
  close(): Promise<void>;
};

/** The writer owns its rows for 2 s; it stops trying well before, so that no row is sent by two at once. */
const WRITER_MS = 1_000;
/** No new call is begun so late that the claim could lapse under it. */
const BATCH_MS = CLAIM_MS - 2_000;
const IN_PARALLEL = 16;
/** While rows of this process fail, look again after this long. */
const RETRY_MS = 500;
/** A row's due time is read at least this often, whatever was seen of it. */
const LONGEST_REST_MS = 30_000;
/** A row that fails is reported at each so many attempts: the first time after about two minutes. */
const REPORT_EACH = 10;
const QUIET_MS = 10_000;
/** Sent rows are deleted together: one statement for all that were sent within this time. */
const DELETE_TOGETHER_MS = 10;

export function startRelay({ db, send, idlePollMs, onError = () => {}, count = () => {} }: RelayOptions): Relay {
  const report = seldom(onError);
  let closed = false;
  let awake = true;
  let wakeUp: () => void = () => {};
  /** Until this moment Temporal counts as away: fresh rows are left to the relay, which tries again then. */
  let awayUntil = 0;
  let retry: NodeJS.Timeout | undefined;
  let sent: string[] = [];
  let deletion: Promise<void> | undefined;
  const writing = new Set<Promise<void>>();
  const sendAsWriter = groupSender(send, (outcome) => count("writer", outcome));
  const sendAsRelay = groupSender(send, (outcome) => count("relay", outcome));

  const wake = () => {
    awake = true;
    wakeUp();
  };

  function wakeLater(): void {
    retry ??= setTimeout(() => {
      retry = undefined;
      wake();
    }, RETRY_MS).unref();
  }

  /** Delete after a moment, with whatever else was sent by then. A row that stays is sent again, which changes nothing. */
  function forget(ids: Iterable<string>): Promise<void> {
    sent.push(...ids);
    deletion ??= deleteTogether();
    return deletion;
  }

  async function deleteTogether(): Promise<void> {
    await sleep(DELETE_TOGETHER_MS);
    const batch = sent;
    sent = [];
    deletion = undefined;
    await deleteSent(db, batch);
  }

  async function asWriter(rows: OutboxRow[]): Promise<void> {
    if (performance.now() < awayUntil) return wakeLater();
    const { done, lastError } = await sendAsWriter(rows, WRITER_MS);
    if (done.size < rows.length) wakeLater();
    if (done.size > 0) await forget(done);
    else noteAway(lastError);
  }

  /** One batch. Returns how long there is nothing to do, in milliseconds; null when there is nothing in sight. */
  async function pass(): Promise<number | null> {
    const { rows, nextDueMs } = await claimDue(db);
    if (rows.length === 0) return nextDueMs;
    const { done, lastError } = await sendAsRelay(rows, BATCH_MS);
    const failed = rows.filter((row) => !done.has(row.id));
    await deleteSent(db, [...done]);
    await putOff(db, failed);
    for (const row of failed) if (row.attempts % REPORT_EACH === 0) report(new StuckMessage(row, lastError));
    if (done.size > 0) return 0;
    noteAway(lastError);
    return RETRY_MS;
  }

  /** A moment's pause for everyone instead of one failed call for each waiting row. */
  function noteAway(error: unknown): void {
    if (error instanceof TemporalUnavailable) awayUntil = performance.now() + RETRY_MS;
  }

  /** Until `wake`, `close` or the time is over. */
  function rest(ms: number | null): Promise<void> {
    if (awake || closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!closed) {
      awake = false;
      const idle = await pass().catch((error: unknown) => {
        report(error);
        return RETRY_MS;
      });
      const limit = idlePollMs ?? Number.POSITIVE_INFINITY;
      await rest(idle === null && idlePollMs === undefined ? null : Math.min(idle ?? limit, limit, LONGEST_REST_MS));
    }
  }

  const running = run();
  return {
    sendSoon(rows) {
      if (closed) return;
      const work: Promise<void> = asWriter(rows)
        .catch(report)
        .finally(() => writing.delete(work));
      writing.add(work);
    },
    wake,
    async close() {
      closed = true;
      clearTimeout(retry);
      wakeUp();
      await Promise.all([running, ...writing]);
    },
  };
}

/** An outage makes the same failure many times a second; an operator needs to hear of it now and then. */
function seldom(onError: (error: unknown) => void): (error: unknown) => void {
  let quietUntil = 0;
  return (error) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    onError(error);
  };
}

/** A message that failed again and again: worth an operator's look. Carries no payload. */
class StuckMessage extends Error {
  override name = "StuckMessage";
  constructor(row: ClaimedRow, cause: unknown) {
    super(`outbox row ${row.id} (${row.message.kind}) could not be sent in ${row.attempts} attempts`, { cause });
  }
}

/**
 * Sends rows in groups side by side, each group in the order of its rows. The first failure of a group leaves its rest
 * unsent, and so does the time limit. Answers with the ids that were sent.
 */
function groupSender(send: Send, count: (outcome: "sent" | "failed") => void) {
  return async (rows: readonly OutboxRow[], limitMs: number) => {
    const until = performance.now() + limitMs;
    const groups = [...Map.groupBy(rows, (row) => orderingKey(row.message)).values()];
    const done = new Set<string>();
    let lastError: unknown;

    async function sendGroup(group: OutboxRow[]): Promise<void> {
      for (const row of group) {
        if (performance.now() > until) return;
        await withinTrace(row.traceparent, () => send(row.message));
        count("sent");
        done.add(row.id);
      }
    }
    async function worker(): Promise<void> {
      for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
        await sendGroup(group).catch((error: unknown) => {
          count("failed");
          lastError = error;
        });
      }
    }
    await Promise.all(Array.from({ length: Math.min(IN_PARALLEL, groups.length) }, worker));
    return { done, lastError };
  };
}
