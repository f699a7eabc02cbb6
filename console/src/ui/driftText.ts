/** How drift is told in words and signs. Pure. */
import { CircleCheck, CircleHelp, CircleX, TriangleAlert } from "lucide-react";
import type { StackDrift } from "../data/types.ts";

type Status = StackDrift["status"];

const SIGNS = {
  none: { tone: "ok", word: "No drift", icon: CircleCheck },
  drifted: { tone: "wait", word: "Drifted", icon: TriangleAlert },
  failed: { tone: "bad", word: "Check failed", icon: CircleX },
  unknown: { tone: "still", word: "Never checked", icon: CircleHelp },
} as const;

export const driftSign = (status: Status) => SIGNS[status];
export const DRIFT_OPTIONS = (Object.keys(SIGNS) as Status[]).map((value) => ({
  value: value as string,
  label: SIGNS[value].word,
}));

const PUT_OFF: Readonly<Record<NonNullable<StackDrift["put_off"]>, string>> = {
  lane_busy: "a deployment of the stack is at work, waits or queues",
  held: "the stack is on hold",
  never_applied: "nothing is applied",
  group_full: "its runner groups have as many checks as they may",
  no_runner_group: "no runner group serves the stack",
  no_runner: "no runner took it within 15 minutes",
  budget: "the organization has used up its checks per hour",
  gave_way: "it gave way to somebody's run",
  cancelled: "a person stopped it",
  applied_meanwhile: "something was applied while it looked",
};

export const putOffText = (why: NonNullable<StackDrift["put_off"]>) => PUT_OFF[why];

/** `1 resource`, `3 resources`. */
export const resourcesText = (count: number) => `${count} ${count === 1 ? "resource" : "resources"}`;
