/** Whether a state may follow the newest one. Pure. */
import type { ProblemCode } from "../../platform/problems/problem.ts";

export type Newest = { serial: number; lineage: string; sha256: string };

export type WriteDecision =
  | { outcome: "stored" }
  /** The same bytes again: the first answer was lost. */
  | { outcome: "same" }
  | { outcome: "refused"; code: Extract<ProblemCode, `state_${string}`>; why: string };

export function decideWrite(newest: Newest | null, sent: Newest): WriteDecision {
  if (newest === null) return { outcome: "stored" };
  if (sent.lineage !== newest.lineage) {
    const why = `The state that is kept has lineage ${newest.lineage}, and what was sent has another: it is the state of something else.`;
    return { outcome: "refused", code: "state_lineage_differs", why };
  }
  if (sent.serial > newest.serial) return { outcome: "stored" };
  if (sent.sha256 === newest.sha256) return { outcome: "same" };
  const why = `The state that is kept has serial ${newest.serial}, and what was sent has ${sent.serial}: it was made from an older one.`;
  return { outcome: "refused", code: "state_serial_stale", why };
}
