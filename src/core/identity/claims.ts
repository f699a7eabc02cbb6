/**
 * What an identity says of its run (docs/rules/identity.md#the-subject). The subject is made of ids that the service
 * gives and of a closed word: nothing that anybody may choose is in it. Pure.
 */
import type { RunKind } from "../runs/protocol.ts";

/** What a run does with the identity: `preview` is whatever runs code that nobody merged. */
export const PHASES = ["plan", "apply", "preview", "command", "drift"] as const;
export type Phase = (typeof PHASES)[number];

export type IdentitySubject = {
  orgId: string;
  stackKey: string;
  stackSlug: string;
  deploymentId: string;
  runId: string;
  runKind: RunKind;
  mode: string;
  originType: string;
  provenance: string;
  branch: string;
  commitSha: string;
  runnerGroupId: string | null;
  labels: Record<string, string>;
};

/** @param access what of its stack's access the run may have */
export function phaseOf(
  { runKind, mode }: Pick<IdentitySubject, "runKind" | "mode">,
  access: "all" | "previews",
): Phase {
  if (access === "previews") return "preview";
  if (mode === "drift") return "drift";
  if (runKind === "apply_run") return "apply";
  return runKind === "raw_run" ? "command" : "plan";
}

export function subjectOf({ orgId, stackKey }: Pick<IdentitySubject, "orgId" | "stackKey">, phase: Phase): string {
  return `org:${orgId}:stack:${stackKey}:phase:${phase}`;
}

/** Claims beside the subject, for verifiers that can look at more. */
export function claimsOf(subject: IdentitySubject, phase: Phase): Record<string, string> {
  const { environment } = subject.labels;
  return {
    organization_id: subject.orgId,
    stack_key: subject.stackKey,
    stack_slug: subject.stackSlug,
    phase,
    run_id: subject.runId,
    run_kind: subject.runKind,
    deployment_id: subject.deploymentId,
    mode: subject.mode,
    origin: subject.originType,
    provenance: subject.provenance,
    commit_sha: subject.commitSha,
    // Said only where the code host has told that the commit is on it.
    ...(subject.provenance === "branch" ? { branch: subject.branch } : {}),
    ...(subject.runnerGroupId === null ? {} : { runner_group_id: subject.runnerGroupId }),
    ...(environment === undefined ? {} : { environment }),
  };
}
