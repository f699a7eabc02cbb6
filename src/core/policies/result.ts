/** What one policy said of one plan. */
import * as v from "valibot";
import { Id, Time } from "../../http/answerFields.ts";
import { Approval } from "./rules.ts";

const Said = v.object({
  deny: v.array(v.string()),
  warn: v.array(v.string()),
  approvals: v.array(Approval),
  error: v.pipe(v.nullable(v.string()), v.metadata({ description: "Why it could not be evaluated" })),
  until: v.pipe(v.nullable(Time), v.metadata({ description: "When the answer may become another by itself" })),
});
/** What a policy says, or why it says nothing. */
export type Said = v.InferOutput<typeof Said>;

export const PolicyResult = v.pipe(
  v.object({
    policy_id: Id,
    name: v.string(),
    version: v.number(),
    digest: v.string(),
    enforcement: v.picklist(["shadow", "advisory", "mandatory"]),
    exemption: v.pipe(
      v.nullable(v.object({ id: Id, reason: v.string(), ends_at: Time })),
      v.metadata({ description: "Why what it says does not count for this stack" }),
    ),
    ...Said.entries,
    duration_ms: v.number(),
  }),
  v.metadata({ ref: "PolicyResult" }),
);
export type PolicyResult = v.InferOutput<typeof PolicyResult>;

export const NOTHING: Said = { deny: [], warn: [], approvals: [], error: null, until: null };

export function failed(error: string): Said {
  return { ...NOTHING, error };
}
