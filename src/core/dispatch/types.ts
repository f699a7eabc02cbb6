/** Who claims, under which limits, and how a claim can end. */
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Service } from "../../work/service.ts";

export type DispatchLimits = {
  /** Whether the organization's runs-per-hour budget is enforced. */
  rateLimit: boolean;
  /** Most runs of one organization in flight at once; undefined means no cap. */
  maxPerOrg: number | undefined;
};

export type Claimant = {
  groupId: string;
  orgId: string;
  fingerprint: string;
  /** Whether it says that it puts a wall around each run. */
  walled?: boolean;
};
export type ClaimedRun = {
  runId: string;
  runnerId: string;
  claimSeq: number;
  orgId: string;
  /** Whether it took a token of the organization's budget. */
  tookToken: boolean;
};
export type ClaimOutcome =
  | { outcome: "claimed"; run: ClaimedRun }
  | { outcome: "nothing" }
  | { outcome: "throttled"; retryAfterSeconds: number }
  /** The group's key was rotated or the group deleted while the poll waited. */
  | { outcome: "key_changed" };

export type DispatchMetrics = Pick<Metrics, "runDispatch" | "dispatchBatchSaturated" | "limiterErrors">;
export type ClaimDeps = { service: Service; limits: DispatchLimits; metrics: DispatchMetrics };

/** Whether the budget is enforced, switched off by setting, or passed by because it failed. */
export type Limiter = "on" | "off" | "failed";
