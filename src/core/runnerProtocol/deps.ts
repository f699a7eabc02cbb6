/** What the runner-facing routes are given by the API's main. */
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { Service } from "../../work/service.ts";
import type { Dispatcher } from "../dispatch/dispatcher.ts";
import type { DispatchLimits } from "../dispatch/types.ts";
import type { GroupKeys } from "../runnerIdentity/keys.ts";
import type { GroupAddresses } from "../runners/groupAddresses.ts";
import type { ContextSources } from "./context.ts";

export type RunnerDeps = {
  /** With the runner routes' own small pool as its `db`, so that people's traffic cannot starve runners. */
  service: Service;
  keys: GroupKeys;
  addresses: GroupAddresses;
  /** How many proxies in front append to X-Forwarded-For. */
  trustedProxies: number;
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
  /** Largest tree of a plan in bytes, packed and unpacked. */
  treeBytes: number;
  /** Most bytes of one run's log, in whole chunks. */
  logBytesPerRun: number;
  /** Most bytes of one run's artifacts together. */
  artifactBytesPerRun: number;
  /** Largest state in bytes. */
  stateBytes: number;
  /** Versions of a stack's state that are kept whatever their age. */
  keepVersions: number;
};
