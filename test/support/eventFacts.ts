/** An event as its notifications are made of it: a plan that waits for a person. */
import type { DeploymentFacts, EventFacts } from "../../src/exchange/notifications/eventFacts.ts";

export const SUMMARY = {
  has_changes: true,
  counts: { add: 1, change: 2, destroy: 3, replace: 1, import: 0, forget: 0, move: 0 },
  gaps: [],
};
export const deployment = (changes: Partial<DeploymentFacts> = {}): DeploymentFacts => ({
  id: "d-1",
  status: "applying",
  mode: "plan",
  commit_sha: "0123456789abcdef",
  commit_message: "Widen the network\n\nbecause",
  commit_author: "Ada",
  origin_type: "manual",
  pr_number: null,
  skipped_reason: null,
  error: null,
  created_by: "codehost:ada:1",
  created_by_kind: "user",
  plan_summary: SUMMARY,
  ...changes,
});
export const event = (changes: Partial<EventFacts> = {}): EventFacts => ({
  id: "e-1",
  org_id: "o-1",
  name: "deployment_waiting_for_confirmation",
  occurred_at: "2026-11-28 10:00:00.123456+00",
  actor_id: null,
  actor_kind: null,
  account_name: null,
  data: {},
  stack: { key: "k", slug: "net", name: "Net", labels: { env: "prod" } },
  deployment: deployment(),
  ...changes,
});
