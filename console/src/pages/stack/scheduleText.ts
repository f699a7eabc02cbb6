/** A schedule in words. Pure. */
import type { Schedule } from "../../data/types.ts";

type Last = NonNullable<Schedule["last"]>;

const REASONS: Readonly<Record<NonNullable<Last["reason"]>, string>> = {
  held: "the stack was on hold",
  deleted: "the stack was deleted",
  paused: "it was paused",
  earlier_open: "the deployment of the time before had not ended",
  overtaken: "its next time came first",
};

/** `0 3 * * 1-5 (Europe/Berlin)`; null for one that comes once. */
export function cronText({ cron, time_zone }: Pick<Schedule, "cron" | "time_zone">): string | null {
  return cron === null ? null : `${cron} (${time_zone})`;
}

/** `made, finished`; `left out: the stack was on hold`; of several stacks how many of each. */
export function lastText({ created, skipped, failed, due, reason, error, deployment_status }: Last): string {
  const why = [reason === null ? null : REASONS[reason], error].filter((part) => part !== null).join("; ");
  if (created + skipped + failed + due > 1) {
    const counts = [`${created} made`, `${skipped} left out`, `${failed} failed`, `${due} to come`];
    return [...counts.filter((text) => !text.startsWith("0 ")), why].filter(Boolean).join(", ");
  }
  if (created === 1) return ["made", deployment_status].filter((part) => part !== null).join(", ");
  const word = due === 1 ? "tried again" : skipped === 1 ? "left out" : "failed";
  return why === "" ? word : `${word}: ${why}`;
}
