/** Points in time by a cron expression of five fields in a zone of the IANA database. Pure. */
import { Cron } from "croner";

/** Hours in a list or a range are times of the day, as one hour is; what comes each hour goes on through a change. */
const RULES = { fixedTimeRule: "no-wildcard" } as const;

/** Points of a schedule that are compared to say how close they come. */
const SAMPLE = 200;

/**
 * The first point after `after`; null when none comes any more. A time that a change of the clocks leaves out comes
 * once that day, and so does one that it has twice.
 */
export function nextPoint(cron: string, timeZone: string, after: Date): Date | null {
  return new Cron(cron, { ...RULES, timezone: timeZone }).nextRun(after);
}

/** Why this is no cron schedule that somebody may have; null when it is one. */
export function cronProblem(text: string, shortestMs: number): string | null {
  if (text.trim().split(/\s+/).length !== 5)
    return "expected five fields: minute, hour, day of month, month, day of week";
  let points: Date[];
  try {
    points = new Cron(text, { ...RULES, timezone: "UTC" }).nextRuns(SAMPLE);
  } catch {
    return "is not a cron schedule";
  }
  if (points.length === 0) return "never comes";
  const tooClose = points.some(
    (point, at) => at > 0 && point.getTime() - (points[at - 1] as Date).getTime() < shortestMs,
  );
  return tooClose ? `comes more often than every ${shortestMs / 60_000} minutes` : null;
}

export function isTimeZone(name: string): boolean {
  // An offset is none: it knows no summer time.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
