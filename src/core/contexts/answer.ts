/** Contexts as people see them: a secret has a name and no value. */
import * as v from "valibot";
import { Id, Labels, pageOf, Time } from "../../http/answerFields.ts";

const Variable = v.pipe(
  v.object({
    name: v.string(),
    secret: v.boolean(),
    value: v.pipe(v.optional(v.string()), v.metadata({ description: "Absent for a secret" })),
  }),
  v.metadata({ ref: "ContextVariable" }),
);

export const Context = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    selector: v.pipe(Labels, v.metadata({ description: "Labels a stack must have; empty for every stack" })),
    variables: v.array(Variable),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "Context" }),
);
export type Context = v.InferInput<typeof Context>;
export const ContextPage = v.pipe(pageOf(Context), v.metadata({ ref: "ContextPage" }));
