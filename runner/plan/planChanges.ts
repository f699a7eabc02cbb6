import type { ChangeAction, PlanChange } from "../../src/core/runs/planChange.ts";
import { digitsOf } from "../../src/platform/json/losslessJson.ts";
import { ownMember } from "../../src/platform/json/mapOf.ts";
import { isObject, markAt } from "../output/sensitiveValues.ts";
import { changedPaths } from "./changedPaths.ts";
import type { ActionInvocation, Change, PlanDocument, ResourceChange } from "./planDocument.ts";
import { COUNTED_AS, isChange, isImported, isMoved } from "./planSummary.ts";

const SENSITIVE = "(sensitive value)";
const UNKNOWN = "(known after apply)";

/**
 * Characters of JSON of one side of a change. A certificate bundle fits; a file inlined into a configuration need not.
 */
const MAX_SIDE_LENGTH = 262_144;

/**
 * The plan's changes without what people must not see: values the engine marks sensitive are replaced, and every text
 * that is left is masked, keys too.
 */
export function shownChanges(plan: PlanDocument, mask: (text: string) => string): PlanChange[] {
  const list = (kind: "resource" | "drift", changes: PlanDocument["resource_changes"]): PlanChange[] =>
    changes.filter(isChange).map((entry) => ({
      kind,
      address: mask(entry.address),
      ...(entry.previous_address === undefined ? {} : { previous_address: mask(entry.previous_address) }),
      type: entry.type,
      provider: entry.provider_name,
      action: actionOf(entry),
      ...(entry.action_reason === undefined ? {} : { reason: entry.action_reason }),
      ...changedPaths(entry.change, mask),
      ...sides(entry.change, mask),
    }));
  const outputs = Object.entries(plan.output_changes)
    .filter(([, change]) => change.actions.join(",") !== "no-op")
    .map(([name, change]) => ({
      kind: "output" as const,
      address: mask(`output.${name}`),
      type: "output",
      provider: "",
      action: actionOf({ change }),
      ...changedPaths(change, mask),
      ...sides(change, mask),
    }));
  return [
    ...list("resource", plan.resource_changes),
    ...list("drift", plan.resource_drift),
    ...outputs,
    ...invocations(plan.action_invocations, mask),
  ];
}

function invocations(actions: readonly ActionInvocation[], mask: (text: string) => string): PlanChange[] {
  return actions.map((entry) => {
    const trigger = entry.lifecycle_action_trigger?.triggering_resource_address;
    const change = {
      actions: ["invoke"],
      after: entry.config_values,
      after_unknown: entry.config_unknown,
      after_sensitive: entry.config_sensitive,
    };
    return {
      kind: "action",
      address: mask(entry.address),
      ...(trigger === undefined ? {} : { triggered_by: mask(trigger) }),
      type: entry.type,
      provider: entry.provider_name,
      action: "invoke",
      ...sides(change, mask),
    };
  });
}

/** The first thing that counts; a resource that only moves or is imported is planned as no-op. */
function actionOf(entry: Pick<ResourceChange, "change"> & Partial<ResourceChange>): ChangeAction {
  const key = entry.change.actions.join(",");
  const counted = COUNTED_AS.get(key);
  if (counted === undefined) return "other";
  if (counted[0] !== undefined) return counted[0];
  if (isImported(entry)) return "import";
  return isMoved(entry) ? "move" : "read";
}

function sides(change: Change, mask: (text: string) => string): Pick<PlanChange, "actions" | "before" | "after"> {
  const after = withUnknown(change.after, change.after_unknown);
  return {
    actions: change.actions,
    before: showable(redact(change.before ?? null, change.before_sensitive, mask)),
    after: showable(redact(after, change.after_sensitive, mask)),
  };
}

function showable(side: unknown): unknown {
  const { length } = JSON.stringify(side);
  return length <= MAX_SIDE_LENGTH ? side : `(too large to show: ${length} characters)`;
}

function redact(value: unknown, marks: unknown, mask: (text: string) => string): unknown {
  if (marks === true) return SENSITIVE;
  if (typeof value === "string") return mask(value);
  if (digitsOf(value) !== null) return redactNumber(value, mask);
  if (Array.isArray(value)) return value.map((item, index) => redact(item, markAt(marks, index), mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [mask(key), redact(item, markAt(marks, key), mask)] as const),
  );
}

/** A number is hidden where it, or its digits, are those of a secret. */
function redactNumber(value: unknown, mask: (text: string) => string): unknown {
  const text = digitsOf(value) ?? "";
  const masked = mask(text);
  return masked === text ? value : masked;
}

/** Values the engine will only know later are absent from `after`; `after_unknown` says where they will be. */
function withUnknown(value: unknown, unknown: unknown): unknown {
  if (unknown === true) return UNKNOWN;
  if (!saysUnknown(unknown)) return value ?? null;
  if (Array.isArray(unknown)) {
    const items = Array.isArray(value) ? value : [];
    const length = Math.max(items.length, unknown.length);
    return Array.from({ length }, (_, index) => withUnknown(items[index] ?? null, unknown[index]));
  }
  const known = isObject(value) ? value : {};
  const later = Object.entries(unknown as Record<string, unknown>).map(
    ([key, item]) => [key, withUnknown(ownMember(known, key) ?? null, item)] as const,
  );
  return { ...known, ...Object.fromEntries(later) };
}

/** The engine also sends the empty shape of values that hold nothing unknown. */
function saysUnknown(unknown: unknown): boolean {
  if (unknown === true) return true;
  return typeof unknown === "object" && unknown !== null && Object.values(unknown).some(saysUnknown);
}
