/**
 * Carries outbox rows to Temporal, and is the scheduler of what goes there. Right after a commit the writer's own
 * process sends what is urgent (`sendSoon`, best effort). The relay's loops are the guarantee: they claim what is due,
 * call Temporal with no lock held, then delete. What is patient is sent by the loops alone, by organization in turn and
 * no faster than the server and the workers keep up with (docs/rules/workflows.md#the-relay-is-the-scheduler).
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../platform/db/client.ts";
import { seldom } from "../../platform/telemetry/seldom.ts";
import type { OutboxRow } from "../../work/schema.ts";
import { type Claim, claimPatient, claimUrgent, deleteSent, dueClasses, putOff } from "./claim.ts";
import { groupSender } from "./groupSender.ts";
import { isAway, type Loop, RETRY_MS, startLoop } from "./loop.ts";
import { type Backlog, type Pacer, pacer } from "./pace.ts";
import type { Send } from "./send.ts";

export type RelayOptions = {
  db: Db;
  send: Send;
  /** What the workers have not taken yet; absent: only the calls say how much there is to do. */
  backlog?: Backlog;
  /**
   * Longest time between two looks at the table. Absent: look at boot, when this process wrote what is patient, and
   * when it left a row unsent.
   */
  idlePollMs?: number;
  /** A failure other than one message that could not be sent; the relay goes on. */
  onError?: (error: unknown) => void;
  /** How many messages of a patient class go to Temporal together, whenever that is decided. */
  window?: (urgency: 2 | 3, size: number) => void;
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
const URGENT_AT_ONCE = 16;
const URGENT_BATCH = 100;
/** One after the other: how long a call takes then says how much the server has to do. */
const PATIENT_AT_ONCE = 1;
/** Nothing patient has a deadline within a minute; but a server that is always slow is to be used all the same. */
const LONGEST_PAUSE_MS = 300;
const QUIET_MS = 10_000;
/** Sent rows are deleted together: one statement for all that were sent within this time. */
const DELETE_TOGETHER_MS = 10;

export function startRelay(options: RelayOptions): Relay {
  const { db, send, idlePollMs, onError = () => {}, count = () => {}, backlog, window = () => {} } = options;
  const report = seldom(onError, QUIET_MS);
  let closed = false;
  const closing = new AbortController();
  /** Until this moment Temporal counts as away: fresh rows are left to the relay, which tries again then. */
  let awayUntil = 0;
  let retry: NodeJS.Timeout | undefined;
  const writing = new Set<Promise<void>>();
  const forget = together((ids) => deleteSent(db, ids));
  const sendAsWriter = groupSender(send, URGENT_AT_ONCE, (outcome) => count("writer", outcome));

  /** A moment's pause for everyone instead of one failed call for each waiting row. */
  const away = (error: unknown) => {
    if (isAway(error)) awayUntil = performance.now() + RETRY_MS;
  };
  const isClosed = () => closed;
  const loop = (atOnce: number, claim: (limit: number) => Promise<Claim>, pace: Pacer) =>
    startLoop({
      ...{ claim, pace, report, away },
      send: groupSender(send, atOnce, (outcome) => count("relay", outcome)),
      deleteSent: (ids) => deleteSent(db, ids),
      putOff: (rows) => putOff(db, rows),
    });
  const urgent = loop(URGENT_AT_ONCE, (limit) => claimUrgent(db, limit), {
    room: async () => URGENT_BATCH,
    sent: () => {},
  });
  const patient = (urgency: 2 | 3, untaken?: Backlog) =>
    loop(
      PATIENT_AT_ONCE,
      (limit) => claimPatient(db, urgency, limit),
      pacer(LONGEST_PAUSE_MS, isClosed, untaken, (size) => window(urgency, size)),
    );
  const sleepers = patient(2);
  const others = patient(3, backlog);
  const loops: readonly Loop[] = [urgent, sleepers, others];

  /**
   * One statement says which loops have something to do. Returns when to look again; null: not before something wakes a
   * loop.
   */
  async function look(): Promise<number | null> {
    const due = await dueClasses(db);
    if (due.urgent) urgent.wake();
    if (due.sleepers) sleepers.wake();
    if (due.others) others.wake();
    return idlePollMs ?? due.nextUrgentMs;
  }
  async function keepLooking(): Promise<void> {
    for (let pause: number | null = 0; pause !== null && !closed; ) {
      pause = await look().catch((error: unknown) => {
        report(error);
        return RETRY_MS;
      });
      if (pause !== null) await sleep(pause, undefined, { signal: closing.signal }).catch(() => {});
    }
  }
  const looking = keepLooking();

  function wakeLater(): void {
    retry ??= setTimeout(() => {
      retry = undefined;
      urgent.wake();
    }, RETRY_MS).unref();
  }

  async function asWriter(rows: OutboxRow[]): Promise<void> {
    if (rows.some((row) => row.class === 2)) sleepers.wake();
    if (rows.some((row) => row.class === 3)) others.wake();
    const mine = rows.filter((row) => (row.class ?? 0) < 2);
    if (mine.length === 0) return;
    if (performance.now() < awayUntil) return wakeLater();
    const { done, lastError } = await sendAsWriter(mine, WRITER_MS);
    if (done.size < mine.length) wakeLater();
    if (done.size > 0) await forget(done);
    else away(lastError);
  }

  return {
    sendSoon(rows) {
      if (closed) return;
      const work: Promise<void> = asWriter(rows)
        .catch(report)
        .finally(() => writing.delete(work));
      writing.add(work);
    },
    wake: () => {
      for (const each of loops) each.wake();
    },
    async close() {
      closed = true;
      closing.abort();
      clearTimeout(retry);
      await Promise.all([looking, ...loops.map((each) => each.close()), ...writing]);
    },
  };
}

/** After a moment, with whatever else came by then. A row that stays is sent again, which changes nothing. */
function together(remove: (ids: readonly string[]) => Promise<void>): (ids: Iterable<string>) => Promise<void> {
  let waiting: string[] = [];
  let removal: Promise<void> | undefined;
  async function removeAll(): Promise<void> {
    await sleep(DELETE_TOGETHER_MS);
    const batch = waiting;
    waiting = [];
    removal = undefined;
    await remove(batch);
  }
  return (ids) => {
    waiting.push(...ids);
    removal ??= removeAll();
    return removal;
  };
}
