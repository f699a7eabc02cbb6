/** How statuses are told: a word, a sign and a colour, so that none of the three is needed to tell two apart. Pure. */
import {
  Ban,
  Check,
  CircleDashed,
  CircleX,
  Hand,
  Hourglass,
  type LucideIcon,
  OctagonPause,
  Play,
  ScanSearch,
  SkipForward,
} from "lucide-react";
import type { DeploymentStatus } from "../data/types.ts";

export type Tone = "ok" | "run" | "wait" | "bad" | "still";
export type Sign = { word: string; tone: Tone; icon: LucideIcon };

const SIGNS: Readonly<Record<DeploymentStatus, Sign>> = {
  queued: { word: "Queued", tone: "still", icon: CircleDashed },
  pending: { word: "Waits for a runner", tone: "still", icon: Hourglass },
  planning: { word: "Planning", tone: "run", icon: ScanSearch },
  waiting: { word: "Waits for a person", tone: "wait", icon: Hand },
  applying: { word: "Applying", tone: "run", icon: Play },
  requested_cancellation: { word: "Asked to stop", tone: "wait", icon: OctagonPause },
  cancelling: { word: "Stopping", tone: "wait", icon: OctagonPause },
  finished: { word: "Finished", tone: "ok", icon: Check },
  failed: { word: "Failed", tone: "bad", icon: CircleX },
  cancelled: { word: "Cancelled", tone: "still", icon: Ban },
  skipped: { word: "Skipped", tone: "still", icon: SkipForward },
};

export const STATUSES = Object.keys(SIGNS) as DeploymentStatus[];
/** Something is at work, or will be without anybody doing anything. */
export const RUNNING: readonly DeploymentStatus[] = [
  "pending",
  "planning",
  "applying",
  "requested_cancellation",
  "cancelling",
];

export function signOf(status: string): Sign {
  return SIGNS[status as DeploymentStatus] ?? { word: status, tone: "still", icon: CircleDashed };
}
