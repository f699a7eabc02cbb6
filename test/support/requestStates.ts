/** A pull request, a stack and a preview as the rules about them see them. */
import type { DeploymentStatus } from "../../src/core/deployments/lifecycle.ts";
import type { KnownPreview, StackSettings, TouchingRequest } from "../../src/core/pullRequests/plan.ts";

export const request = (more: Partial<TouchingRequest> = {}): TouchingRequest => ({
  is_fork: false,
  generation: 3,
  files: { paths: ["network/main.tf"], complete: true },
  approved: null,
  mergeable: null,
  checks_passed: null,
  ...more,
});
export const stack = (more: Partial<StackSettings> = {}): StackSettings => ({
  working_directory: "network",
  pr_plan_mode: "auto",
  fork_previews: false,
  pr_requirements: {},
  ...more,
});
export const preview = (status: DeploymentStatus, more: Partial<KnownPreview> = {}): KnownPreview => ({
  id: "p-1",
  generation: 3,
  status,
  skipped_reason: null,
  automatic: true,
  ...more,
});
