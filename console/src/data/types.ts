/** The nouns of the service, by the names that pages use. */
import type { components, operations } from "../../../clients/api/schema.d.ts";

type Answer<Id extends keyof operations> = operations[Id]["responses"] extends {
  200: { content: { "application/json": infer A } };
}
  ? A
  : never;

export type Deployment = Answer<"listAllDeployments">["items"][number];
/** As it is read by itself. */
export type OneDeployment = Answer<"getDeployment">;
export type DeploymentStatus = Deployment["status"];
export type DeploymentMode = Deployment["mode"];
export type DeploymentAction = Deployment["allowed_actions"][number];
export type Stage = Deployment["stages"][number];
export type Queue = Answer<"getStackQueue">;
export type PullRequest = Answer<"listPullRequests">["items"][number];
export type Stack = components["schemas"]["Stack"];
export type StackAction = Stack["allowed_actions"][number];
export type Overview = components["schemas"]["Overview"];
export type Organization = components["schemas"]["Organization"];
export type RunnerGroup = components["schemas"]["RunnerGroup"];
export type GroupQueue = components["schemas"]["GroupQueue"];
export type Actor = components["schemas"]["Actor"];
export type PersonalToken = components["schemas"]["PersonalToken"];
export type Session = components["schemas"]["Session"];
export type Identity = components["schemas"]["Identity"];
export type AuditEntry = components["schemas"]["AuditEntry"];
export type Dependencies = components["schemas"]["Dependencies"];
