import type { CommitReport, DoneStatus, DriftReport, PlanSummary } from "../../src/core/runs/protocol.ts";

/** The run failed for a reason a person can read and act on; the text goes to `done` and must hold no secret. */
export class RunFailed extends Error {
  override name = "RunFailed";
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null = null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** How a run ended, as reported by `done`. */
export interface Outcome {
  status: DoneStatus;
  exit_code: number | null;
  plan_summary?: PlanSummary;
  /** Of a refresh whose plan could be read. */
  drift?: DriftReport;
  /** Where the service asked for it. */
  commit?: CommitReport;
  error: string | null;
}
