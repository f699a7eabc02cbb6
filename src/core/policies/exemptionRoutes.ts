/** Exemptions from a policy. */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import type { Db } from "../../platform/db/client.ts";
import { Instant } from "../../platform/time/instant.ts";
import { PolicyExemption, PolicyExemptionPage } from "./answer.ts";
import { createExemption, deleteExemption, EXEMPTION_LIST, listExemptions } from "./exemptions.ts";

const MANY = "/api/v1/orgs/:org_id/policies/:policy_id/exemptions" as const;
const tag = "policies";

const Body = v.strictObject({
  stack_id: v.pipe(v.string(), v.maxLength(200)),
  reason: displayName(500),
  ends_at: v.pipe(Instant, v.metadata({ description: "Within the next 366 days" })),
});

const of = (params: { org_id: string; policy_id: string }) => ({ orgId: params.org_id, policyId: params.policy_id });

export function exemptionRoutes(app: Hono<AppEnv>, db: Db): void {
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listPolicyExemptions",
      tag,
      summary: "List the stacks that a policy does not count for, newest first",
      query: v.strictObject(listFields(Object.keys(EXEMPTION_LIST.fields))),
      answer: PolicyExemptionPage,
      problems: [403, 404],
    },
    ({ principal, params, query }) => listExemptions(db, principal, of(params), query()),
  );
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createPolicyExemption",
      tag,
      summary: "Exempt a stack from a policy until an hour, with a reason",
      description: "Needs (policy, update), and (stack, read) on the stack.",
      body: Body,
      answer: PolicyExemption,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => createExemption(db, principal, of(params), await body()),
  );
  endpoint(
    app,
    "delete",
    `${MANY}/:exemption_id`,
    { id: "deletePolicyExemption", tag, summary: "End an exemption", problems: [403, 404] },
    ({ principal, params }) => deleteExemption(db, principal, of(params), params.exemption_id),
  );
}
