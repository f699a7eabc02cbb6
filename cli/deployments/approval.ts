/** Who says yes to a plan: the person at the terminal, what was said beforehand, or somebody elsewhere. Pure. */
import type { PlanSummary } from "../service/types.ts";
import { isHarmless } from "../watching/stages.ts";

export type AutoApprove = "all" | "non-destructive";

export type Approval =
  | { by: "option" }
  | { by: "question" }
  /** It goes on waiting; `refused`: what was said beforehand does not cover it. */
  | { by: "nobody"; refused: boolean };

export type Asked = {
  summary: PlanSummary;
  autoApprove: AutoApprove | null;
  interactive: boolean;
  /** The caller may confirm it. */
  allowed: boolean;
};

export function approvalOf({ summary, autoApprove, interactive, allowed }: Asked): Approval {
  if (!allowed) return { by: "nobody", refused: false };
  if (autoApprove === "all" || (autoApprove === "non-destructive" && isHarmless(summary))) return { by: "option" };
  if (interactive) return { by: "question" };
  return { by: "nobody", refused: autoApprove !== null };
}

/** `--auto-approve` by itself means everything. @returns undefined for a word that is none */
export function autoApproveOf(option: string | true | undefined): AutoApprove | null | undefined {
  if (option === undefined) return null;
  if (option === true || option === "all") return "all";
  return option === "non-destructive" ? option : undefined;
}
