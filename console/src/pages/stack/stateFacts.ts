/** Where a stack's state is, as far as the service can say. Pure. */
import type { Deployment, Stack, StateVersion } from "../../data/types.ts";

export type StateFacts = {
  mode: Stack["state_mode"];
  /** The last one that was stored; null where none ever was, absent where the reader may not know. */
  last?: Pick<StateVersion, "is_newest"> | null;
  /** What the last plan warned of. */
  warnings: readonly string[];
};

export type StatePlace = { kind: "here" | "elsewhere" | "open"; text: string };

const IN_CONFIGURATION = /\bnames a backend\b/;

export function statePlaceOf({ mode, last, warnings }: StateFacts): StatePlace {
  if (mode === "own") return { kind: "elsewhere", text: "The settings say that the service never keeps it." };
  if (mode === "auto" && warnings.some((warning) => IN_CONFIGURATION.test(warning))) {
    return { kind: "elsewhere", text: "The configuration names a backend of its own." };
  }
  const why =
    mode === "hosted" ? "whatever the configuration says" : "unless the configuration names a backend of its own";
  if (last === undefined) return { kind: mode === "hosted" ? "here" : "open", text: `By the service, ${why}.` };
  if (last === null) return { kind: "open", text: `By the service, ${why}. Nothing was stored here yet.` };
  if (!last.is_newest) return { kind: "open", text: "It was deleted. A version can be brought back." };
  return { kind: "here", text: `By the service, ${why}.` };
}

/** @param count null where the engine has encrypted them */
export function resourcesText(count: number | null): string {
  if (count === null) return "resources that are encrypted";
  return `${count} ${count === 1 ? "resource" : "resources"}`;
}

/** What the newest plan of a deployment says of the state; the rest is told where it is confirmed. */
export function stateWarningsOf({ stages }: Pick<Deployment, "stages">): string[] {
  const planned = stages.findLast(({ run }) => run?.plan_summary != null);
  return (planned?.run?.plan_summary?.warnings ?? []).filter((warning) => /\b(state|backend)\b/.test(warning));
}
