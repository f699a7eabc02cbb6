/**
 * Which plan a person looks at. It stays on screen when a newer one arrives: that one is offered, and shown when it is
 * asked for. What is confirmed is what is on screen, or nothing. Pure.
 */

export type PlanOnScreen = {
  /** The plan run whose changes are shown; null before there is any. */
  shown: string | null;
  /** A newer one that has come meanwhile. */
  newer: string | null;
};

export const NO_PLAN: PlanOnScreen = { shown: null, newer: null };

/** @param newest the newest plan run that can be shown */
export function withNewest(now: PlanOnScreen, newest: string | null): PlanOnScreen {
  if (newest === null || newest === now.shown) return now.newer === null ? now : { ...now, newer: null };
  if (now.shown === null) return { shown: newest, newer: null };
  return newest === now.newer ? now : { ...now, newer: newest };
}

export function showNewer({ shown, newer }: PlanOnScreen): PlanOnScreen {
  return { shown: newer ?? shown, newer: null };
}

/** Whether what is shown is what would be applied. */
export function isConfirmable({ shown }: PlanOnScreen, waitingRun: string | null): boolean {
  return shown !== null && shown === waitingRun;
}

/**
 * A plan that the address names, whatever came after it.
 * @param made all that can be shown, oldest first
 */
export function withNamed(now: PlanOnScreen, named: string | undefined, made: readonly string[]): PlanOnScreen {
  if (named === undefined || !made.includes(named)) return now;
  const newest = made.at(-1) ?? null;
  return { shown: named, newer: newest === named ? null : newest };
}
