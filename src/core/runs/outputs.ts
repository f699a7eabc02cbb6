/** What a runner says of the outputs that a stack has, and asks of those that it is given (docs/outputs.md). */
import * as v from "valibot";
import { Variable } from "./protocol.ts";

/** An output of the root module as an apply left it. `type` and `value` are JSON, so that every digit stays. */
export const ReportedOutput = v.object({
  name: v.string(),
  type: v.string(),
  sensitive: v.boolean(),
  value: v.string(),
});
export type ReportedOutput = v.InferOutput<typeof ReportedOutput>;

/** Body of `PUT /runs/{id}/outputs`, before `done`. */
export const OutputsBody = v.object({
  outputs: v.pipe(v.nullable(v.array(ReportedOutput)), v.metadata({ description: "Null when they are unknown" })),
});
export type OutputsBody = v.InferOutput<typeof OutputsBody>;

/** What a comment of the configuration asks for: an output of another stack, as a variable. */
export const WantedInput = v.object({
  variable: v.pipe(v.string(), v.regex(/^TF_VAR_[A-Za-z_][A-Za-z0-9_]{0,200}$/)),
  from_stack: v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,512}$/)),
  output: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,512}$/)),
});
export type WantedInput = v.InferOutput<typeof WantedInput>;

/** Body of `POST /runs/{id}/inputs`. */
export const InputsBody = v.object({ inputs: v.pipe(v.array(WantedInput), v.maxLength(500)) });
export type InputsBody = v.InferOutput<typeof InputsBody>;

/** Answer to it: all of them, or what is missing and why. */
export const InputsAnswer = v.pipe(
  v.object({
    environment: v.pipe(v.array(Variable), v.metadata({ description: "Empty when something is missing" })),
    missing: v.array(v.string()),
    waits: v.pipe(
      v.boolean(),
      v.metadata({ description: "Whether the stack is planned again once what is missing was applied" }),
    ),
  }),
  v.metadata({ ref: "RunInputs" }),
);
export type InputsAnswer = v.InferOutput<typeof InputsAnswer>;
