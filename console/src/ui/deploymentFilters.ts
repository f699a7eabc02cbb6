/** Choices of the filters over deployments. */
import type { DeploymentMode } from "../data/types.ts";
import { MODES, ORIGIN_TYPES, originOf } from "./deploymentText.ts";
import { RUNNING, STATUSES, signOf } from "./status.ts";

export const STATUS_OPTIONS = [
  { value: ["queued", ...RUNNING, "waiting"].join(","), label: "Not over" },
  { value: RUNNING.join(","), label: "Under way" },
  ...STATUSES.map((status) => ({ value: status as string, label: signOf(status).word })),
];

export const MODE_VALUES = Object.keys(MODES) as DeploymentMode[];
export const MODE_OPTIONS = MODE_VALUES.map((mode) => ({ value: mode as string, label: MODES[mode] }));

export const ORIGINS = ORIGIN_TYPES as (
  | "manual"
  | "push"
  | "dependency"
  | "pull_request"
  | "promoted_pull_request"
  | "local"
  | "drift"
  | "schedule"
  | "lifetime"
)[];
export const ORIGIN_OPTIONS = ORIGINS.map((origin) => ({
  value: origin as string,
  label: originOf({ origin_type: origin, origin_pr_number: null }),
}));
