/**
 * One entry of a run's `changes` artifact on the wire: a line of JSON that the runner writes, with what people must
 * not see already taken out, and the service reads. A leaf file: both sides import it.
 */
import * as v from "valibot";

/**
 * What carrying out the change does, in the words of a plan summary's counts; `other` is one the runner does not know.
 */
export const CHANGE_ACTIONS = [
  "add",
  "change",
  "destroy",
  "replace",
  "import",
  "forget",
  "move",
  "read",
  "invoke",
  "other",
] as const;
export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** `drift` is what the engine found changed outside of it; an `action` is invoked beside what it does to resources. */
export const CHANGE_KINDS = ["resource", "drift", "output", "action"] as const;

const Path = v.array(v.union([v.string(), v.number()]));

export const PlanChange = v.object({
  kind: v.picklist(CHANGE_KINDS),
  address: v.string(),
  /** Where a moved resource was before. */
  previous_address: v.optional(v.string()),
  /** The resource whose change invokes an action; absent when the plan was made to invoke it. */
  triggered_by: v.optional(v.string()),
  type: v.string(),
  provider: v.string(),
  action: v.picklist(CHANGE_ACTIONS),
  /** The engine's own words. */
  actions: v.array(v.string()),
  /** Why the engine does it, in its word: `replace_because_tainted`, `delete_because_no_resource_config`. */
  reason: v.optional(v.string()),
  /** What cannot be changed in place: the values that force a replacement. */
  replace_paths: v.optional(v.array(Path)),
  /** Sensitive values that become others, since both sides show the same words. */
  hidden_changes: v.optional(v.array(Path)),
  before: v.unknown(),
  after: v.unknown(),
});
export type PlanChange = v.InferOutput<typeof PlanChange>;

/** Longest line in bytes. The runner leaves out values that would make a longer one. */
export const PLAN_CHANGE_BYTES = 2_097_152;
