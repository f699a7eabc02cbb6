/** What the end of a check says of its stack, and whom that is news for. Pure. */
import { createHash } from "node:crypto";
import type { DriftReport, PlanSummary } from "../runs/protocol.ts";
import type { DriftedResource, DriftStatus, PutOff } from "./schema.ts";

/** How a check ended. */
export type CheckEnd =
  | { kind: "looked"; report: DriftReport }
  | { kind: "failed"; error: string }
  /** It says nothing of the stack, whose status stays. */
  | { kind: "nothing"; why: PutOff };

export type Known = {
  status: DriftStatus;
  /** The sets that notifications told of, the last one last; null when there is none that is not over. */
  told: string | null;
  reconciled: string | null;
};

export type DriftNews = "drift_detected" | "drift_resolved" | "drift_check_failed";

export type Finding = {
  status: DriftStatus;
  error: string | null;
  /** Absent: what was known stays. */
  found?: { resources: DriftedResource[]; total: number; ignored: number };
  told: string | null;
  reconciled: string | null;
  news: DriftNews | null;
  /** A set that no deployment was made for yet. */
  toReconcile: string | null;
};

/** Sets that come and go in turn are told of once each, as long as they are no more than these. */
const REMEMBERED = 20;

/** A failed look is no finding: what was told stays told, and the same set is no news after it. */
export function findingOf(
  known: Known,
  end: Exclude<CheckEnd, { kind: "nothing" }>,
  ignore: readonly string[],
): Finding {
  const { told, reconciled } = known;
  if (end.kind === "failed") {
    const news = known.status === "failed" ? null : "drift_check_failed";
    return { status: "failed", error: end.error, told, reconciled, news, toReconcile: null };
  }
  const resources = end.report.resources.filter(({ address }) => !ignores(ignore, address));
  const ignored = end.report.resources.length - resources.length;
  const total = end.report.total - ignored;
  const found = { resources, total, ignored };
  if (total === 0) {
    const news = told === null ? null : "drift_resolved";
    return { status: "none", error: null, found, told: null, reconciled: null, news, toReconcile: null };
  }
  const set = setOf(resources, total);
  const before = told?.split(" ") ?? [];
  const news = before.includes(set) ? null : "drift_detected";
  const toReconcile = set === reconciled ? null : set;
  const sets = [...before.filter((one) => one !== set), set].slice(-REMEMBERED).join(" ");
  return { status: "drifted", error: null, found, told: sets, reconciled, news, toReconcile };
}

/** The set of addresses, whatever happened to them. Of more than are listed their number has to do. */
function setOf(resources: readonly DriftedResource[], total: number): string {
  const unlisted = total - resources.length;
  const text = JSON.stringify([...resources.map(({ address }) => address).sort(), unlisted]);
  return createHash("sha256").update(text).digest("hex");
}

/** `*` stands for any text; everything else is itself, so that brackets and dots of addresses need no escape. */
export function ignores(patterns: readonly string[], address: string): boolean {
  return patterns.some((pattern) => matches(pattern.split("*"), address));
}

/** Each part where it first comes, in one walk: no pattern takes longer than the address is long. */
function matches([first = "", ...rest]: string[], text: string): boolean {
  const last = rest.pop();
  if (last === undefined) return first === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** A runner that reports no addresses still has counted. What it could not count is no answer. */
export function reportOf(report: DriftReport | null, summary: PlanSummary | null): DriftReport | null {
  if (report !== null) return report;
  if (!summary?.counts) return null;
  return { resources: [], total: summary.counts.change + summary.counts.forget };
}
