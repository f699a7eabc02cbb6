/** What a decision's row holds of what the person said. */
import type { Verdict } from "../../approvals/schema.ts";

export type DecisionArguments = {
  action?: "apply" | "replan" | "skip";
  plan_run_id?: string;
  targets?: string[];
  excludes?: string[];
  replaces?: string[];
  force?: boolean;
  verdict?: Verdict;
  comment?: string;
  /** Why it is applied without the approvals that it needs. */
  break_glass?: string;
};
