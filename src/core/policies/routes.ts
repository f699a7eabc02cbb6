/** `/api/v1/orgs/{org_id}/policies`: what an organization allows its plans to do (docs/policies.md). */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName, hasControlCharacters } from "../../http/textFields.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import type { Service } from "../../work/service.ts";
import { labelsField } from "../stacks/fields.ts";
import { Policy, PolicyPage, PolicyTest } from "./answer.ts";
import { deploymentPolicyRoutes } from "./deploymentRoutes.ts";
import { exemptionRoutes } from "./exemptionRoutes.ts";
import { createPolicy, deletePolicy, listPolicies, POLICY_LIST, readPolicy, replacePolicy } from "./policies.ts";
import { Rules } from "./rules.ts";
import { ENFORCEMENTS, POLICY_MODES } from "./schema.ts";
import { tryOut } from "./tryOut.ts";
import { versionRoutes } from "./versionRoutes.ts";

export type PolicyRoutesDeps = {
  service: Service;
  objects: Pick<SealedObjects, "getSealed">;
  /** The program that compiles Rego. */
  opa: string;
};

const MANY = "/api/v1/orgs/:org_id/policies" as const;
const ONE = `${MANY}/:policy_id` as const;
const tag = "policies";

const settings = {
  name: displayName(100),
  description: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(1_000),
      v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
    ),
    "",
  ),
  enforcement: v.pipe(
    v.picklist(ENFORCEMENTS),
    v.metadata({ description: "What it says is written down, shown to people, or has to be met" }),
  ),
  selector: v.pipe(
    v.optional(labelsField({ systemKeys: true }), {}),
    v.metadata({ description: "Labels that a stack must have; none: every stack" }),
  ),
  modes: v.optional(v.pipe(v.array(v.picklist(POLICY_MODES)), v.minLength(1), v.maxLength(3)), [...POLICY_MODES]),
};

const CreateBody = v.strictObject({
  ...settings,
  rules: v.pipe(
    v.optional(v.nullable(Rules), null),
    v.metadata({ description: "Version 1, which counts at once; without it nothing counts yet" }),
  ),
});
const ReplaceBody = v.strictObject({
  ...settings,
  version: v.pipe(
    v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000))),
    v.metadata({ description: "The version that counts from now on; null: none" }),
  ),
});
const TestBody = v.strictObject({
  stack_id: v.pipe(v.string(), v.maxLength(200)),
  deployment_id: v.pipe(v.string(), v.uuid()),
  run_id: v.optional(v.pipe(v.string(), v.uuid(), v.metadata({ description: "One plan; the newest when absent" }))),
  version: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(1_000_000),
      v.metadata({ description: "The newest when absent" }),
    ),
  ),
});

export function policyRoutes(app: Hono<AppEnv>, deps: PolicyRoutesDeps): void {
  const { db } = deps.service;
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listPolicies",
      tag,
      summary: "List the policies of an organization",
      query: v.strictObject(listFields(Object.keys(POLICY_LIST.fields))),
      answer: PolicyPage,
      problems: [403],
    },
    ({ principal, params, query }) => listPolicies(db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createPolicy",
      tag,
      summary: "Create a policy, with rules or without a version that counts",
      body: CreateBody,
      answer: Policy,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => createPolicy(db, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "get",
    ONE,
    { id: "getPolicy", tag, summary: "Read a policy", answer: Policy, problems: [403, 404] },
    ({ principal, params }) => readPolicy(db, principal, params.org_id, params.policy_id),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "replacePolicy",
      tag,
      summary: "Replace a policy's settings, and say which version counts",
      body: ReplaceBody,
      answer: Policy,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => replacePolicy(db, principal, params.org_id, params.policy_id, await body()),
  );
  endpoint(
    app,
    "delete",
    ONE,
    { id: "deletePolicy", tag, summary: "Delete a policy; what it decided stays", problems: [403, 404] },
    ({ principal, params }) => deletePolicy(db, principal, params.org_id, params.policy_id),
  );
  endpoint(
    app,
    "post",
    `${ONE}/test`,
    {
      id: "testPolicy",
      tag,
      summary: "What a version would say of a deployment's plan; nothing is stored",
      description: "Needs (policy, read), and (stack, read) on the deployment's stack.",
      body: TestBody,
      answer: PolicyTest,
      problems: [403, 404, 503],
    },
    async ({ principal, params, body }) =>
      tryOut(deps, db, principal, { orgId: params.org_id, policyId: params.policy_id }, await body()),
  );
  versionRoutes(app, { db, opa: deps.opa });
  exemptionRoutes(app, db);
  deploymentPolicyRoutes(app, deps.service);
}
