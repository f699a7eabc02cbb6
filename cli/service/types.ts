/** What the service's answers hold, by the names that this program uses. */
import type { components, operations } from "../../clients/api/schema.d.ts";

type Answer<Name extends keyof operations, Status extends number> = operations[Name] extends {
  responses: Record<Status, { content: { "application/json": infer Body } }>;
}
  ? Body
  : never;

export type Output = components["schemas"]["StackOutput"];
export type Outputs = components["schemas"]["StackOutputs"];
export type Stack = components["schemas"]["Stack"];
export type StateVersion = components["schemas"]["StateVersion"];
export type NotificationIntegration = components["schemas"]["NotificationIntegration"];
export type NotificationDelivery = components["schemas"]["NotificationDelivery"];
export type Policy = components["schemas"]["Policy"];
export type PolicyEvaluation = components["schemas"]["PolicyEvaluation"];
export type PolicyResult = components["schemas"]["PolicyResult"];
export type StackDrift = components["schemas"]["StackDrift"];
export type Schedule = components["schemas"]["Schedule"];
export type Lifetime = components["schemas"]["StackLifetime"];
export type Approvals = components["schemas"]["DeploymentApprovals"];
/** As every call gives it; reading one by itself adds to it. */
export type Deployment = Answer<"createDeployment", 201>;
export type Change = Answer<"listPlanChanges", 200>["items"][number];
export type PlanSummary = NonNullable<NonNullable<Deployment["stages"][number]["run"]>["plan_summary"]>;
export type CodeHost = components["schemas"]["ScmIntegration"];
export type CodeHostTest = Answer<"testScmIntegration", 200>;
