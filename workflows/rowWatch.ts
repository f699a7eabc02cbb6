/**
 * The one wait of a workflow that watches a row: read it, sleep until its deadline or a message, and so on until it is
 * over.
 */
import { allHandlersFinished, condition, patched, setCurrentDetails, workflowInfo } from "@temporalio/workflow";

const DAY = 24 * 3_600_000;
/** Pauses after a deadline that stayed due: what should have ended it was refused, and spinning would not help. */
const FRUITLESS_FIRST = 1_000;
const FRUITLESS_MAX = 60_000;
/** Older histories have a timer where a deadline is due already. */
const DUE_AT_ONCE = "due-at-once";

export type Watched<V> = {
  read(): Promise<V>;
  /** Do what a due deadline asks for, if one is due, and read the row. */
  due(): Promise<V>;
  isOver(view: V): boolean;
  deadlineMs(view: V): number | null;
  /** One line for an operator. */
  describe(view: V): string;
  /**
   * Work that the row asks for by its id: it is begun once, nobody waits for it here, and its end is a reason to read.
   */
  beside?: { of(view: V): string | null; begin(id: string): Promise<void> };
};

export type RowWatch<V> = {
  /** The newest view of the row; null before the first read. */
  view(): V | null;
  /** Every signal means only this. */
  reread(): void;
  /** Run an activity whose answer holds the row's view, and go on from that view. */
  take<T>(call: () => Promise<T>, viewOf: (answer: T) => V): Promise<T>;
  /**
   * Wait until the row is over by a read made later than the last message, with every handler finished; or until the
   * history should be continued as new, likewise.
   */
  untilOver(): Promise<{ view: V; continueAsNew: boolean }>;
};

export function watchRow<V>(row: Watched<V>): RowWatch<V> {
  // Asked before anything else: a marker between two local activities does not replay when the first outlasted its
  // task.
  const dueAtOnce = patched(DUE_AT_ONCE);
  let view: V | null = null;
  let asked = 1;
  let answered = 0;
  let views = 0;
  let started = 0;
  let inFlight = 0;
  const stale = () => answered < asked;

  /**
   * Two activities at once may answer in the other order than they read, so a view is kept only when no other call
   * overlapped; else the row is read once more when all are done.
   */
  async function take<T>(call: () => Promise<T>, viewOf: (answer: T) => V): Promise<T> {
    const reasons = asked;
    const alone = inFlight === 0;
    const mine = ++started;
    inFlight += 1;
    try {
      const answer = await call();
      if (alone && started === mine) {
        view = viewOf(answer);
        answered = reasons;
        views += 1;
        setCurrentDetails(row.describe(view));
      } else {
        asked += 1;
      }
      return answer;
    } catch (error) {
      asked += 1;
      throw error;
    } finally {
      inFlight -= 1;
    }
  }

  const same = (answer: V) => answer;

  let begun: string | null = null;
  function beginBeside(current: V): void {
    const id = row.beside?.of(current) ?? null;
    if (row.beside === undefined || id === null || id === begun) return;
    begun = id;
    const reread = () => void asked++;
    void row.beside.begin(id).then(reread, reread);
  }

  async function untilOver(): Promise<{ view: V; continueAsNew: boolean }> {
    let fruitless = 0;
    for (;;) {
      if (stale()) {
        await condition(() => inFlight === 0);
        await take(row.read, same);
      }
      if (view === null) continue;
      const current: V = view;
      const over = row.isOver(current);
      if (over || workflowInfo().continueAsNewSuggested) {
        // An Update whose handler has begun is answered first, and a message that came meanwhile is a new read.
        await condition(() => allHandlersFinished() && inFlight === 0);
        if (!stale()) return { view, continueAsNew: !over };
        continue;
      }
      beginBeside(current);
      const seen = views;
      const wait = Math.min(Math.max(row.deadlineMs(current) ?? DAY, fruitless), DAY);
      const changed = () => views !== seen || (stale() && inFlight === 0);
      // Who slept until a deadline finds it due. A timer of a moment would cost a task, and may come a second late.
      const dueNow = wait <= 0 && dueAtOnce;
      if (!dueNow && (await condition(changed, Math.max(wait, 1), { summary: row.describe(current) }))) {
        fruitless = 0;
        continue;
      }
      const after = await take(row.due, same);
      const stillDue = row.deadlineMs(after) === 0 && !row.isOver(after);
      fruitless = stillDue ? Math.min(Math.max(fruitless * 2, FRUITLESS_FIRST), FRUITLESS_MAX) : 0;
    }
  }

  return { view: () => view, reread: () => void asked++, take, untilOver };
}
