/**
 * What policies see of a plan: what people may read of it, and nothing else. Secrets are taken out by the runner
 * already, before the service ever has the changes.
 */
import type { PlanChange } from "../runs/planChange.ts";
import type { PlanSummary } from "../runs/protocol.ts";

/** All but the changes, which come from the run's own list. */
export type InputFacts = {
  /** The instant of the evaluation, RFC 3339 in UTC. */
  time: string;
  deployment: {
    id: string;
    mode: string;
    origin: string;
    provenance: string;
    created_by: string | null;
    created_by_kind: string | null;
    branch: string;
    working_directory: string;
    tool: string;
  };
  stack: { id: string; name: string; labels: Record<string, string> };
  org: { id: string; name: string };
  commit: { sha: string; message: string | null; author: string | null };
  pull_request: { number: number; title: string | null; url: string | null } | null;
  plan: (PlanSummary & { run_id: string; targets: string[]; excludes: string[]; replaces: string[] }) | null;
};

export type Input = InputFacts & {
  /** Of resources, outputs and actions, in the engine's order. */
  changes: PlanChange[];
  /** What the engine found changed outside of it. */
  drift: PlanChange[];
};
