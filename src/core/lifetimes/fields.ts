/** What people write and read of a stack's lifetime. */
import * as v from "valibot";
import { Duration, Id, Time } from "../../http/answerFields.ts";
import { displayName } from "../../http/textFields.ts";
import { DurationField } from "../../platform/time/durations.ts";
import { Instant } from "../../platform/time/instant.ts";
import { LIFETIME_PHASES, LIFETIME_PUT_OFF } from "./schema.ts";

const Reason = v.pipe(displayName(500), v.metadata({ description: "Shown to whoever is reminded" }));

export const LifetimeBody = v.strictObject({
  expires_at: v.pipe(Instant, v.metadata({ description: "In the future" })),
  remind_before: v.optional(
    v.pipe(DurationField, v.metadata({ description: "How long before its end the stack is told to be ending" })),
    "P1D",
  ),
  reason: Reason,
});
export type LifetimeBody = v.InferOutput<typeof LifetimeBody>;

export const LifetimeChanges = v.pipe(
  v.strictObject({
    expires_at: v.optional(v.pipe(Instant, v.metadata({ description: "Later than it is now" }))),
    extend_by: v.optional(
      v.pipe(DurationField, v.metadata({ description: "From its end, or from now where that has passed" })),
    ),
    reason: Reason,
  }),
  v.check(
    ({ expires_at, extend_by }) => (expires_at === undefined) !== (extend_by === undefined),
    "takes either expires_at or extend_by",
  ),
);
export type LifetimeChanges = v.InferOutput<typeof LifetimeChanges>;

export const Lifetime = v.pipe(
  v.object({
    expires_at: v.pipe(v.nullable(Time), v.metadata({ description: "Null: the stack stays" })),
    remind_before: v.nullable(Duration),
    reason: v.pipe(v.nullable(v.string()), v.metadata({ description: "Of whoever set or prolonged it last" })),
    set_by: v.nullable(v.string()),
    set_at: v.nullable(Time),
    phase: v.pipe(
      v.nullable(v.picklist(LIFETIME_PHASES)),
      v.metadata({ description: "`failed`: the destroy came to nothing, and the stack stays until somebody acts" }),
    ),
    reminded_at: v.nullable(Time),
    destroy_deployment_id: v.nullable(Id),
    error: v.nullable(v.string()),
    put_off: v.pipe(
      v.nullable(v.picklist(LIFETIME_PUT_OFF)),
      v.metadata({ description: "Why what is due has not begun; it is tried again at `next_at`" }),
    ),
    next_at: v.nullable(Time),
  }),
  v.metadata({ ref: "StackLifetime" }),
);
export type Lifetime = v.InferInput<typeof Lifetime>;
