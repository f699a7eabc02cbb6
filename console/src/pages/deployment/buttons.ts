/** Which buttons a person gets: what the service says they may press now, and nothing else. Pure. */
import type { Deployment, Stack } from "../../data/types.ts";

export type ButtonName =
  | "review"
  | "breakGlass"
  | "apply"
  | "replan"
  | "start"
  | "skip"
  | "cancel"
  | "force"
  | "retry"
  | "hold"
  | "release"
  | "prioritize"
  | "deprioritize"
  | "promote";

export type Buttons = {
  /** In sight, in this order. */
  first: ButtonName[];
  /** Behind the three dots. */
  more: ButtonName[];
};

export function buttonsOf(
  { allowed_actions: allowed, status, gates }: Pick<Deployment, "allowed_actions" | "status" | "gates">,
  stackActions: Stack["allowed_actions"],
  promotable: boolean,
): Buttons {
  const may = (action: (typeof allowed)[number]) => allowed.includes(action);
  const first: ButtonName[] = [];
  const more: ButtonName[] = [];
  // What lacks an approval is reviewed; nobody can apply it yet.
  const lacks = gates.some(({ gate }) => gate === "approvals");
  if (may("review")) (lacks ? first : more).push("review");
  if (may("confirm")) first.push(...(lacks ? [] : (["apply"] as const)), "replan");
  if (may("confirm_preview") && !lacks) first.push("start");
  if (may("break_glass")) more.push("breakGlass");
  if (may("skip")) first.push("skip");
  if (may("force_cancel")) first.push("force");
  if (may("retry")) first.push("retry");
  if (promotable) first.push("promote");
  // One that runs has no other way to stop.
  if (may("cancel")) (status === "waiting" || status === "queued" ? more : first).push("cancel");
  if (may("prioritize")) more.push("prioritize");
  if (may("deprioritize")) more.push("deprioritize");
  if (stackActions.includes("hold")) more.push("hold");
  if (stackActions.includes("release")) more.push("release");
  return { first, more };
}
