/** What checks say of a commit (docs/rules/pull-requests.md#what-counts-as-a-check). Pure; null is "cannot say yet". */
import { CONTEXT_PREFIX } from "../../../core/pullRequests/announcement.ts";

type Status = { context?: unknown; state?: unknown };
type CheckRun = { name?: unknown; status?: unknown; conclusion?: unknown; app?: { id?: unknown } | null };

/** A check that the host's own rules require; `app` is the only one whose word counts, or null for anybody's. */
export type RequiredCheck = { name: string; app: number | null };

export type Checks = { passed: boolean | null; reason: string | null };

type Reported = { name: string; app: unknown; verdict: boolean | null };

const PASSED = new Set(["success", "neutral", "skipped"]);
const MOST_NAMED = 3;
const LONGEST_NAME = 100;

/**
 * Of commit statuses and check runs together, our own statuses aside: a preview must not wait for itself. Nothing
 * reported is "cannot say": right after a push no check has begun yet.
 * @param required what the host requires; empty where it does not say, and then every check counts
 */
export function verdictOfChecks(
  statuses: readonly unknown[],
  runs: readonly unknown[],
  required: readonly RequiredCheck[],
): Checks {
  const reported = [
    ...(statuses as readonly Status[]).map(ofStatus),
    ...(runs as readonly CheckRun[]).map(ofRun),
  ].filter(({ name }) => !isOurs(name));
  const others = required.filter(({ name }) => !isOurs(name));
  if (others.length === 0) return verdictOf(reported);
  return verdictOf(
    others.flatMap(({ name, app }): Reported[] => {
      const found = reported.filter((one) => one.name === name && (app === null || one.app === app));
      return found.length === 0 ? [{ name, app, verdict: null }] : found;
    }),
  );
}

function verdictOf(checks: readonly Reported[]): Checks {
  if (checks.length === 0) return { passed: null, reason: "no check has reported" };
  const failed = checks.filter(({ verdict }) => verdict === false);
  if (failed.length > 0) return { passed: false, reason: `failed: ${named(failed)}` };
  const open = checks.filter(({ verdict }) => verdict === null);
  if (open.length > 0) return { passed: null, reason: `not passed yet: ${named(open)}` };
  return { passed: true, reason: null };
}

function ofStatus({ context, state }: Status): Reported {
  return { name: nameOf(context), app: null, verdict: state === "success" ? true : state === "pending" ? null : false };
}

function ofRun({ name, status, conclusion, app }: CheckRun): Reported {
  const verdict = status === "completed" ? PASSED.has(String(conclusion)) : null;
  return { name: nameOf(name), app: app?.id ?? null, verdict };
}

function nameOf(value: unknown): string {
  return typeof value === "string" ? value : "a check without a name";
}

function isOurs(name: string): boolean {
  return name.startsWith(CONTEXT_PREFIX);
}

function named(checks: readonly Reported[]): string {
  const names = [...new Set(checks.map(({ name }) => name.slice(0, LONGEST_NAME)))];
  const rest = names.length - MOST_NAMED;
  return `${names.slice(0, MOST_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
