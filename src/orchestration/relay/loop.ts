/**
 * One loop of the relay: claim some due rows, send them, delete what was sent, put off what was not, rest until woken
 * or until one is due again.
 */
import { TemporalUnavailable } from "../temporal/errors.ts";
import { CLAIM_MS, type Claim, type ClaimedRow } from "./claim.ts";
import type { GroupSender } from "./groupSender.ts";
import type { Pacer } from "./pace.ts";

export type LoopOptions = {
  /** Claim at most so many. */
  claim(limit: number): Promise<Claim>;
  send: GroupSender;
  deleteSent(ids: readonly string[]): Promise<void>;
  putOff(rows: readonly ClaimedRow[]): Promise<void>;
  /** How many rows may be sent now, and is told how long that took. */
  pace: Pacer;
  report(error: unknown): void;
  /** Temporal could not be asked. */
  away(error: unknown): void;
};

export type Loop = { wake(): void; close(): Promise<void> };

/** No new call is begun so late that the claim could lapse under it. */
const BATCH_MS = CLAIM_MS - 2_000;
/** After a pass in which nothing could be sent. */
export const RETRY_MS = 500;
/** A row's due time is read at least this often, whatever was seen of it. */
const LONGEST_REST_MS = 30_000;
/** A row that fails is reported at each so many attempts: the first time after about two minutes. */
const REPORT_EACH = 10;

export function startLoop(options: LoopOptions): Loop {
  const { claim, send, pace, report } = options;
  let closed = false;
  let awake = false;
  let wakeUp: () => void = () => {};

  /** One batch. Returns how long there is nothing to do, in milliseconds; null when there is nothing in sight. */
  async function pass(): Promise<number | null> {
    const limit = await pace.room();
    if (closed) return null;
    const { rows, nextDueMs } = await claim(limit);
    if (rows.length === 0) return nextDueMs;
    const began = performance.now();
    const { done, lastError } = await send(rows, BATCH_MS);
    pace.sent((performance.now() - began) / rows.length);
    const failed = rows.filter((row) => !done.has(row.id));
    await options.deleteSent([...done]);
    await options.putOff(failed);
    for (const row of failed) if (row.attempts % REPORT_EACH === 0) report(new StuckMessage(row, lastError));
    if (done.size > 0) return 0;
    options.away(lastError);
    return RETRY_MS;
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
    await rest(null);
    while (!closed) {
      awake = false;
      const idle = await pass().catch((error: unknown) => {
        report(error);
        return RETRY_MS;
      });
      await rest(idle === null ? null : Math.min(idle, LONGEST_REST_MS));
    }
  }

  const running = run();
  return {
    wake() {
      awake = true;
      wakeUp();
    },
    close() {
      closed = true;
      wakeUp();
      return running;
    },
  };
}

/** A message that failed again and again: worth an operator's look. Carries no payload. */
class StuckMessage extends Error {
  override name = "StuckMessage";
  constructor(row: ClaimedRow, cause: unknown) {
    super(`outbox row ${row.id} (${row.message.kind}) could not be sent in ${row.attempts} attempts`, { cause });
  }
}

/** Whether the failure says that Temporal itself cannot be asked, not that a worker has not taken a message yet. */
export function isAway(error: unknown): boolean {
  return error instanceof TemporalUnavailable && error.reason !== "deadline" && error.reason !== "handler";
}
