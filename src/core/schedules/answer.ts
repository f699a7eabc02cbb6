/** What people read of schedules: schemas, from which types and the OpenAPI document come. */
import * as v from "valibot";
import { Id, Labels, pageOf, Time } from "../../http/answerFields.ts";
import { SCHEDULED_MODES, SKIP_REASONS } from "./schema.ts";

const Text = v.nullable(v.string());

const LastOccurrence = v.pipe(
  v.object({
    occurs_at: Time,
    due: v.pipe(v.number(), v.metadata({ description: "Stacks on which it is still to be settled" })),
    created: v.number(),
    skipped: v.number(),
    failed: v.number(),
    reason: v.pipe(
      v.nullable(v.picklist(SKIP_REASONS)),
      v.metadata({ description: "Why a stack was left out; of several, the first by the alphabet" }),
    ),
    error: v.pipe(Text, v.metadata({ description: "Why a deployment could not be made, or not yet" })),
    deployment_id: v.pipe(v.nullable(Id), v.metadata({ description: "Of several, the newest" })),
    deployment_status: Text,
  }),
  v.metadata({ ref: "ScheduleOccurrence" }),
);

export const Schedule = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    stack_id: v.pipe(Text, v.metadata({ description: "Null: it is of the stacks that `selector` fits" })),
    selector: v.nullable(Labels),
    name: v.string(),
    mode: v.picklist(SCHEDULED_MODES),
    command_bytes: v.pipe(
      v.nullable(v.number()),
      v.metadata({ description: "Of a command, whose script nobody is shown" }),
    ),
    at: v.nullable(Time),
    cron: Text,
    time_zone: v.string(),
    paused: v.boolean(),
    next_at: v.pipe(v.nullable(Time), v.metadata({ description: "Null while paused, and when no occurrence is left" })),
    last: v.nullable(LastOccurrence),
    created_by: Text,
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "Schedule" }),
);
export type Schedule = v.InferInput<typeof Schedule>;

export const SchedulePage = v.pipe(pageOf(Schedule), v.metadata({ ref: "SchedulePage" }));
