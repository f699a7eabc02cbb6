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
  before: v.unknown(),
  after: v.unknown(),
});
export type PlanChange = v.InferOutput<typeof PlanChange>;

/** Longest line in bytes. The runner leaves out values that would make a longer one. */
export const PLAN_CHANGE_BYTES = 2_097_152;
