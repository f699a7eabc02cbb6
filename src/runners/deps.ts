/** What the runner-facing routes are given by the API's main. */
import type { Keyring } from "../crypto/keyring.ts";
import type { SealedObjects } from "../objects/sealed.ts";
import type { DispatchLimits } from "../runs/claim.ts";
import type { ContextSources } from "../runs/context.ts";
import type { Dispatcher } from "../runs/dispatcher.ts";
import type { Service } from "../service.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { GroupKeys } from "./keys.ts";

export type RunnerDeps = {
  /** With the runner routes' own small pool as its `db`, so that people's traffic cannot starve runners. */
  service: Service;
  keys: GroupKeys;
  dispatcher: Dispatcher;
  limits: DispatchLimits;
  objects: SealedObjects;
  keyring: Keyring;
  sources: ContextSources;
  metrics: Pick<Metrics, "runDispatch" | "dispatchBatchSaturated" | "limiterErrors" | "unknownRunnerFields">;
  /** How long a runner's token works after its run ended, in milliseconds. */
  graceMs: number;
  /** Largest artifact in bytes. */
  artifactBytes: number;
};
