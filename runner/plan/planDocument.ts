import * as v from "valibot";
import { parseLossless } from "../../src/platform/json/losslessJson.ts";
import { mapOf } from "../../src/platform/json/mapOf.ts";

/** Beyond this a JSON plan or state no longer fits one JavaScript string with room to spare; it is not looked into. */
export const MAX_MEASURED_BYTES = 256 * 1_048_576;

/** The parts of the engine's JSON plan (`show -json`) that the runner reads; everything else passes through unread. */
const Actions = v.array(v.string());

const Change = v.looseObject({
  actions: Actions,
  before: v.optional(v.unknown()),
  after: v.optional(v.unknown()),
  after_unknown: v.optional(v.unknown()),
  before_sensitive: v.optional(v.unknown()),
  after_sensitive: v.optional(v.unknown()),
  importing: v.optional(v.nullable(v.looseObject({}))),
  replace_paths: v.optional(v.array(v.array(v.unknown()))),
});
export type Change = v.InferOutput<typeof Change>;

const ResourceChange = v.looseObject({
  address: v.string(),
  previous_address: v.optional(v.string()),
  mode: v.optional(v.string()),
  type: v.optional(v.string(), ""),
  provider_name: v.optional(v.string(), ""),
  action_reason: v.optional(v.string()),
  change: Change,
});
export type ResourceChange = v.InferOutput<typeof ResourceChange>;

/** Runs something beside the resources (Terraform 1.14 and newer). */
const ActionInvocation = v.looseObject({
  address: v.string(),
  type: v.optional(v.string(), ""),
  provider_name: v.optional(v.string(), ""),
  config_values: v.optional(v.unknown()),
  config_sensitive: v.optional(v.unknown()),
  config_unknown: v.optional(v.unknown()),
  lifecycle_action_trigger: v.optional(
    v.nullable(v.looseObject({ triggering_resource_address: v.optional(v.string()) })),
  ),
});
export type ActionInvocation = v.InferOutput<typeof ActionInvocation>;

export const PlanDocument = v.looseObject({
  format_version: v.string(),
  resource_changes: v.optional(v.array(ResourceChange), []),
  resource_drift: v.optional(v.array(ResourceChange), []),
  output_changes: v.optional(mapOf(v.string(), Change), {}),
  deferred_changes: v.optional(v.array(v.unknown()), []),
  action_invocations: v.optional(v.array(ActionInvocation), []),
  deferred_action_invocations: v.optional(v.array(v.unknown()), []),
  /** Whether applying it would do anything; OpenTofu does not say. */
  applyable: v.optional(v.boolean()),
  errored: v.optional(v.boolean(), false),
  complete: v.optional(v.boolean()),
  variables: v.optional(v.unknown()),
  configuration: v.optional(v.unknown()),
  planned_values: v.optional(v.unknown()),
  prior_state: v.optional(v.unknown()),
});
export type PlanDocument = v.InferOutput<typeof PlanDocument>;

/** The document, or null when it is not a plan of a format this runner knows. */
export function parsePlanDocument(text: string): PlanDocument | null {
  let json: unknown;
  try {
    json = parseLossless(text);
  } catch {
    return null;
  }
  const parsed = v.safeParse(PlanDocument, json);
  return parsed.success && /^1\./.test(parsed.output.format_version) ? parsed.output : null;
}
