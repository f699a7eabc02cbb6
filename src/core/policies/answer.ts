/** What people read of policies: schemas, from which types and the OpenAPI document come. */
import * as v from "valibot";
import { Id, Labels, pageOf, Time } from "../../http/answerFields.ts";
import { ACTOR_KINDS } from "../../work/domainEvent.ts";
import { PolicyResult } from "./result.ts";
import { Rules } from "./rules.ts";
import { ENFORCEMENTS, OUTCOMES, POLICY_KINDS, POLICY_MODES } from "./schema.ts";

export const Policy = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    description: v.string(),
    enforcement: v.picklist(ENFORCEMENTS),
    selector: Labels,
    modes: v.array(v.picklist(POLICY_MODES)),
    version: v.pipe(
      v.nullable(v.number()),
      v.metadata({ description: "The version that counts; null: none does, and the policy says nothing" }),
    ),
    last_version: v.pipe(v.number(), v.metadata({ description: "The newest version, whether it counts or not" })),
    kind: v.pipe(v.nullable(v.picklist(POLICY_KINDS)), v.metadata({ description: "Of the version that counts" })),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "Policy" }),
);
export type Policy = v.InferOutput<typeof Policy>;
export const PolicyPage = v.pipe(pageOf(Policy), v.metadata({ ref: "PolicyPage" }));

const version = {
  policy_id: Id,
  version: v.number(),
  kind: v.picklist(POLICY_KINDS),
  digest: v.pipe(v.string(), v.metadata({ description: "SHA-256 of the content as it was given" })),
  created_by: v.string(),
  created_by_kind: v.picklist(ACTOR_KINDS),
  created_at: Time,
};

export const PolicyVersion = v.pipe(v.object(version), v.metadata({ ref: "PolicyVersion" }));
export type PolicyVersion = v.InferOutput<typeof PolicyVersion>;
export const PolicyVersionPage = v.pipe(pageOf(PolicyVersion), v.metadata({ ref: "PolicyVersionPage" }));

export const OnePolicyVersion = v.pipe(
  v.object({
    ...version,
    rules: v.nullable(Rules),
    source: v.pipe(v.nullable(v.string()), v.metadata({ description: "Rego, where it was uploaded as such" })),
  }),
  v.metadata({ ref: "OnePolicyVersion" }),
);
export type OnePolicyVersion = v.InferOutput<typeof OnePolicyVersion>;

export const PolicyExemption = v.pipe(
  v.object({
    id: Id,
    policy_id: Id,
    stack_id: v.string(),
    reason: v.string(),
    ends_at: Time,
    created_by: v.string(),
    created_by_kind: v.picklist(ACTOR_KINDS),
    created_at: Time,
  }),
  v.metadata({ ref: "PolicyExemption" }),
);
export type PolicyExemption = v.InferOutput<typeof PolicyExemption>;
export const PolicyExemptionPage = v.pipe(pageOf(PolicyExemption), v.metadata({ ref: "PolicyExemptionPage" }));

export const PolicyTest = v.pipe(
  v.object({
    outcome: v.pipe(
      v.picklist(OUTCOMES),
      v.metadata({ description: "What it would come to if the policy were mandatory, and alone" }),
    ),
    result: PolicyResult,
  }),
  v.metadata({ ref: "PolicyTest" }),
);

export const PolicyEvaluation = v.pipe(
  v.object({
    id: Id,
    plan_run_id: Id,
    status: v.pipe(
      v.picklist(["pending", "done", "void"]),
      v.metadata({ description: "`void`: its plan was replaced or ended before it was done" }),
    ),
    outcome: v.nullable(v.picklist(OUTCOMES)),
    results: v.array(PolicyResult),
    requested_by: v.pipe(
      v.nullable(v.string()),
      v.metadata({ description: "Null: the end of the plan, or an hour at which the answer may become another" }),
    ),
    created_at: Time,
    completed_at: v.nullable(Time),
    overridden_by: v.nullable(v.string()),
    overridden_at: v.nullable(Time),
    override_reason: v.nullable(v.string()),
  }),
  v.metadata({ ref: "PolicyEvaluation" }),
);
export type PolicyEvaluation = v.InferOutput<typeof PolicyEvaluation>;
export const PolicyEvaluationPage = v.pipe(pageOf(PolicyEvaluation), v.metadata({ ref: "PolicyEvaluationPage" }));
