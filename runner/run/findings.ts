import type { CommitReport } from "../../src/core/runs/protocol.ts";

/** What turns up while a run's files are fetched, and is reported with the run's end. */
export interface Findings {
  /** What to know before confirming. */
  warnings: string[];
  commit: CommitReport | null;
  /** That the commit was to be on the branch, and is. */
  onBranch: boolean;
}

export function noFindings(): Findings {
  return { warnings: [], commit: null, onBranch: false };
}
