/** What people read of checks for drift: schemas, from which types and the OpenAPI document come. */
import * as v from "valibot";
import { pageOf } from "../../http/answerFields.ts";
import { mapOf } from "../../platform/json/mapOf.ts";
import { DriftPolicy } from "./policy.ts";
import { DRIFT_STATUSES, PUT_OFF } from "./schema.ts";

const Time = v.nullable(v.pipe(v.string(), v.metadata({ format: "date-time" })));
const Text = v.nullable(v.string());

const summary = {
  status: v.pipe(
    v.picklist(DRIFT_STATUSES),
    v.metadata({ description: "`unknown` until a check has ended, `failed` when the last one came to nothing" }),
  ),
  since: v.pipe(Time, v.metadata({ description: "When it became that; null where nothing was ever checked" })),
  checked_at: Time,
  checked_deployment_id: v.pipe(Text, v.metadata({ description: "The check that the status is of" })),
  error: v.pipe(Text, v.metadata({ description: "Why the last check failed" })),
  total: v.pipe(v.number(), v.metadata({ description: "Drifted addresses that are not ignored" })),
  ignored: v.number(),
  next_check_at: Time,
  put_off: v.pipe(
    v.nullable(v.picklist(PUT_OFF)),
    v.metadata({ description: "Why the check that was due has not begun yet; it is tried again at `next_check_at`" }),
  ),
  running_deployment_id: v.pipe(Text, v.metadata({ description: "The check that is under way" })),
  reconcile_deployment_id: v.pipe(Text, v.metadata({ description: "The deployment that was made to undo drift last" })),
};

export const StackDrift = v.pipe(
  v.object({
    ...summary,
    resources: v.pipe(
      v.array(v.object({ address: v.string(), action: v.string() })),
      v.metadata({ description: "The drifted addresses, as shown in the plan; at most 500 of `total`" }),
    ),
    policy: v.pipe(v.nullable(DriftPolicy), v.metadata({ description: "The stack's own; null where schedules count" })),
    effective: v.pipe(
      v.nullable(DriftPolicy),
      v.metadata({ description: "What counts; null: the stack is not checked" }),
    ),
    schedule: v.pipe(
      v.nullable(v.object({ id: v.string(), name: v.string() })),
      v.metadata({ description: "The schedule that `effective` comes from" }),
    ),
  }),
  v.metadata({ ref: "StackDrift" }),
);
export type StackDrift = v.InferOutput<typeof StackDrift>;

const DriftItem = v.pipe(
  v.object({ stack_id: v.string(), stack_name: v.string(), stack_labels: mapOf(v.string(), v.string()), ...summary }),
  v.metadata({ ref: "DriftItem" }),
);
export type DriftItem = v.InferOutput<typeof DriftItem>;
export const DriftPage = v.pipe(pageOf(DriftItem), v.metadata({ ref: "DriftPage" }));

export const DriftSchedule = v.pipe(
  v.object({
    id: v.string(),
    org_id: v.string(),
    name: v.string(),
    selector: mapOf(v.string(), v.string()),
    policy: DriftPolicy,
    created_at: v.string(),
    updated_at: v.string(),
  }),
  v.metadata({ ref: "DriftSchedule" }),
);
export type DriftSchedule = v.InferOutput<typeof DriftSchedule>;
export const DriftSchedulePage = v.pipe(pageOf(DriftSchedule), v.metadata({ ref: "DriftSchedulePage" }));
