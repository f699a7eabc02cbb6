/** What a person ticks, and the new plan that is asked for with it. Pure. */
import type { Row } from "./rows.ts";

export const REPLANS = ["only", "without", "replace"] as const;
export type Replan = (typeof REPLANS)[number];

/** The service takes no more in one request. */
const MOST_ADDRESSES = 100;

/** Only resources can be picked: the engine narrows a plan by their addresses. What a mask hides cannot be named. */
export function isPickable({ kind, address }: Pick<Row, "kind" | "address">): boolean {
  return kind === "resource" && !address.includes("***");
}

export type ReplanBody = { action: "replan" } & Partial<Record<"targets" | "excludes" | "replaces", string[]>>;

export function replanBody(replan: Replan, addresses: readonly string[]): ReplanBody {
  const field = ({ only: "targets", without: "excludes", replace: "replaces" } as const)[replan];
  return { action: "replan", [field]: [...addresses] };
}

/** Why this cannot be asked for, in words; null when it can. */
export function replanProblem(replan: Replan, addresses: readonly string[], tool: string): string | null {
  if (addresses.length === 0) return "Tick at least one resource.";
  if (addresses.length > MOST_ADDRESSES) {
    return `A plan is narrowed by at most ${MOST_ADDRESSES} resources; ${addresses.length} are ticked.`;
  }
  if (replan === "without" && tool !== "tofu") return `${tool} cannot plan without a resource; OpenTofu 1.9 can.`;
  return null;
}

export function toggled(selected: ReadonlySet<string>, address: string): Set<string> {
  const next = new Set(selected);
  if (!next.delete(address)) next.add(address);
  return next;
}
