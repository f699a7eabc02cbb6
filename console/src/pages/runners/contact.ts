/** How a group does, from when its coordinator was heard of and what it last complained about. Pure. */
import type { RunnerGroup } from "../../data/types.ts";
import type { Tone } from "../../ui/status.ts";

/** Coordinators poll every few seconds; a minute without any is more than a slow one. */
const AWAY_AFTER_MS = 60_000;

export type Contact = { word: string; tone: Tone };

export function contactOf(
  group: Pick<RunnerGroup, "last_contact_at" | "last_dispatch_error_at">,
  now: number,
): Contact {
  if (group.last_contact_at === null) return { word: "Never seen", tone: "still" };
  if (now - Date.parse(group.last_contact_at) > AWAY_AFTER_MS) return { word: "Away", tone: "bad" };
  const failed = group.last_dispatch_error_at;
  if (failed !== null && now - Date.parse(failed) < 3_600_000) return { word: "Has trouble", tone: "wait" };
  return { word: "Connected", tone: "ok" };
}
