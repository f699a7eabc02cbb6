/** A stack's outputs, and who is given them, as people see them. */
import * as v from "valibot";
import { Id, Time } from "../../http/answerFields.ts";

export const StackOutput = v.pipe(
  v.object({
    name: v.string(),
    type: v.pipe(v.string(), v.metadata({ description: "As JSON, as the engine writes types" })),
    sensitive: v.boolean(),
    value: v.pipe(
      v.nullable(v.string()),
      v.metadata({ description: "As JSON with the engine's own digits; null of what is sensitive and not revealed" }),
    ),
  }),
  v.metadata({ ref: "StackOutput" }),
);
export type StackOutput = v.InferOutput<typeof StackOutput>;

export const StackOutputs = v.pipe(
  v.object({
    known: v.pipe(
      v.boolean(),
      v.metadata({ description: "False before the first apply, and when the newest one has told none" }),
    ),
    run_id: v.pipe(
      v.nullable(Id),
      v.metadata({ description: "The newest apply that succeeded, or a newer plan that had nothing to change" }),
    ),
    deployment_id: v.nullable(Id),
    as_of: v.pipe(v.nullable(Time), v.metadata({ description: "When that run ended" })),
    items: v.array(StackOutput),
    waits_for: v.pipe(
      v.array(v.object({ stack_id: v.nullable(v.string()), since: Time })),
      v.metadata({
        description:
          "Stacks whose next apply deploys this one, since its newest plan lacked an output of theirs; the id is null of one that the caller may not read",
      }),
    ),
  }),
  v.metadata({ ref: "StackOutputs" }),
);
export type StackOutputs = v.InferOutput<typeof StackOutputs>;

export const OutputReader = v.pipe(
  v.object({
    stack_id: v.pipe(v.string(), v.metadata({ description: "The stack that is given the outputs" })),
    sensitive: v.pipe(v.boolean(), v.metadata({ description: "Whether it is given what is sensitive, too" })),
    created_at: Time,
  }),
  v.metadata({ ref: "OutputReader" }),
);
export const OutputReaders = v.object({ items: v.array(OutputReader) });
