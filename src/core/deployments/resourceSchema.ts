/** A deployment as people read it: the answer's schema, from which its type and the OpenAPI document come. */
import * as v from "valibot";
import { ActorAnswer } from "../../people/actors/actor.ts";
import { mapOf } from "../../platform/json/mapOf.ts";
import { PROBLEM_CODES } from "../../platform/problems/problem.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";
import { GATES } from "../gates/gate.ts";
import { RUN_STATUSES } from "../runs/lifecycle.ts";
import { PlanSummary, RUN_KINDS } from "../runs/protocol.ts";
import { DEPLOYMENT_MODES, DEPLOYMENT_STATUSES, STAGE_KINDS, STAGE_PHASES } from "./lifecycle.ts";
import { DEPLOYMENT_ACTIONS } from "./possible.ts";
import { PROVENANCES } from "./provenance.ts";

const text = v.string();
const time = v.pipe(v.string(), v.metadata({ format: "date-time" }));
const optional = { text: v.nullable(text), time: v.nullable(time) };

export const RunResource = v.object({
  id: text,
  kind: v.picklist(RUN_KINDS),
  status: v.picklist(RUN_STATUSES),
  runner_selector: mapOf(text, text),
  state_locked: v.boolean(),
  plan_run_id: optional.text,
  targets: v.array(text),
  excludes: v.array(text),
  replaces: v.array(text),
  assigned_runner_id: optional.text,
  assigned_at: optional.time,
  assigned_expires_at: optional.time,
  assignment_attempts: v.number(),
  prioritized_at: optional.time,
  created_at: time,
  first_pending_at: optional.time,
  started_at: optional.time,
  completed_at: optional.time,
  last_seen_at: optional.time,
  exit_code: v.nullable(v.number()),
  error: optional.text,
  plan_summary: v.nullable(PlanSummary),
});
export type RunResource = v.InferOutput<typeof RunResource>;

const StageResource = v.object({
  stage_id: text,
  kind: v.picklist(STAGE_KINDS),
  phase: v.picklist(STAGE_PHASES),
  run_id: optional.text,
  created_at: time,
  completed_at: optional.time,
  run: v.nullable(RunResource),
});

const GateResource = v.object({
  gate: v.picklist(GATES),
  code: v.pipe(v.picklist(PROBLEM_CODES), v.metadata({ description: "What a confirmation is answered with" })),
  detail: text,
  closed_at: time,
});

export const DeploymentResource = v.object({
  id: text,
  org_id: text,
  stack_id: text,
  mode: v.picklist(DEPLOYMENT_MODES),
  status: v.picklist(DEPLOYMENT_STATUSES),
  origin_type: text,
  provenance: v.pipe(
    v.picklist(PROVENANCES),
    v.metadata({ description: "Whether the commit is on the stack's branch, as the code host or the runner knows it" }),
  ),
  origin_pr_number: v.nullable(v.number()),
  origin_head_sha: optional.text,
  origin_scm_event_id: optional.text,
  origin_pr_title: optional.text,
  origin_pr_url: optional.text,
  origin_pr_body: optional.text,
  origin_dependency_deployment_id: v.nullable(
    v.pipe(text, v.metadata({ description: "The apply it followed from; null too for who may not read that stack" })),
  ),
  origin_dependency_stack_id: optional.text,
  cascade_stack_path: v.pipe(
    v.array(v.nullable(text)),
    v.metadata({
      description: "Stacks whose applies led to it, the first one first; null for one the caller may not read",
    }),
  ),
  commit_sha: text,
  commit_message: optional.text,
  commit_author: optional.text,
  repository_url: text,
  branch: text,
  working_directory: text,
  tool: text,
  tool_version: optional.text,
  created_by: optional.text,
  created_by_actor: v.nullable(ActorAnswer),
  created_at: time,
  completed_at: optional.time,
  prioritized_at: optional.time,
  prioritized_by: optional.text,
  prioritized_by_actor: v.nullable(ActorAnswer),
  waiting_since: optional.time,
  cancel_requested_at: optional.time,
  skipped_reason: optional.text,
  error: optional.text,
  dependents_resolved_at: optional.time,
  command_bytes: v.nullable(
    v.pipe(v.number(), v.metadata({ description: "Length of a raw command's script, which itself is never shown" })),
  ),
  local_source_key: optional.text,
  local_source_sha256: optional.text,
  stages: v.array(StageResource),
  queue_position: v.nullable(v.pipe(v.number(), v.metadata({ description: "1 is next; null unless queued" }))),
  blocked_by: v.nullable(
    v.pipe(text, v.metadata({ description: "The deployment that holds the lane; null unless queued" })),
  ),
  gates: v.pipe(
    v.array(GateResource),
    v.metadata({ description: "What keeps its plan from being applied, besides a person's word" }),
  ),
  waiting_for: v.nullable(v.pipe(text, v.metadata({ description: "What it waits for, in words; null once terminal" }))),
  allowed_actions: v.pipe(
    v.array(v.picklist(DEPLOYMENT_ACTIONS)),
    v.metadata({
      description: "What the caller may do with it now; each is a route below it, `force_cancel` is cancel with force",
    }),
  ),
});
export type DeploymentResource = v.InferOutput<typeof DeploymentResource>;

/** A deployment read by itself. */
export const OneDeployment = v.object({
  ...DeploymentResource.entries,
  temporal_ui_url: v.pipe(
    optional.text,
    v.metadata({ description: "Its workflow's page, where an operator named one" }),
  ),
});

/** Answer of a decision: the deployment after it, and what the caller should know besides. */
export const DecidedDeployment = v.object({ ...DeploymentResource.entries, warning: v.optional(text) });

export const DeploymentPage = v.object({ items: v.array(DeploymentResource), next_cursor: optional.text });

export const ActivityEntry = v.object({
  id: text,
  kind: text,
  actor_id: optional.text,
  actor_kind: v.nullable(v.picklist(ACTOR_KINDS)),
  actor: v.nullable(ActorAnswer),
  stage_id: optional.text,
  details: mapOf(text, v.unknown()),
  created_at: time,
});
export type ActivityEntry = v.InferOutput<typeof ActivityEntry>;

export const ActivityPage = v.object({ items: v.array(ActivityEntry), next_cursor: optional.text });
