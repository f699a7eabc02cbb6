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
export type Runner = components["schemas"]["Runner"];
export type KeyedRunnerGroup = components["schemas"]["KeyedRunnerGroup"];
export type Member = components["schemas"]["Member"];
export type Invitation = components["schemas"]["Invitation"];
export type Role = components["schemas"]["Role"];
export type RoleName = components["schemas"]["RoleName"];
export type Permission = components["schemas"]["Permission"];
export type Permissions = components["schemas"]["Permissions"];
export type ServiceAccount = components["schemas"]["ServiceAccount"];
export type ServiceAccountToken = components["schemas"]["ServiceAccountToken"];
export type IdentitySource = components["schemas"]["IdentitySource"];
export type GroupRoleBinding = components["schemas"]["GroupRoleBinding"];
export type AccessRule = components["schemas"]["AccessRule"];
export type OrganizationProof = components["schemas"]["OrganizationProof"];
export type NotificationIntegration = components["schemas"]["NotificationIntegration"];
export type NotificationDelivery = components["schemas"]["NotificationDelivery"];
export type NotificationEvent = NotificationIntegration["events"][number];
export type ScmIntegration = components["schemas"]["ScmIntegration"];
export type ScmEvent = Answer<"listScmEvents">["items"][number];
export type Context = components["schemas"]["Context"];
export type Policy = components["schemas"]["Policy"];
export type PolicyRules = NonNullable<components["schemas"]["OnePolicyVersion"]["rules"]>;
export type PolicyResult = components["schemas"]["PolicyResult"];
export type PolicyEvaluation = components["schemas"]["PolicyEvaluation"];
export type User = components["schemas"]["User"];
export type UserDetail = components["schemas"]["UserDetail"];
export type StackDrift = components["schemas"]["StackDrift"];
export type DriftItem = components["schemas"]["DriftItem"];
export type Schedule = components["schemas"]["Schedule"];
export type StackLifetime = components["schemas"]["StackLifetime"];
export type StackOutputs = components["schemas"]["StackOutputs"];
export type StackOutput = components["schemas"]["StackOutput"];
export type OutputReader = components["schemas"]["OutputReader"];
export type CloudIntegration = components["schemas"]["CloudIntegration"];
export type Approvals = components["schemas"]["DeploymentApprovals"];
export type ApprovalRule = components["schemas"]["ApprovalRule"];
export type StateVersion = components["schemas"]["StateVersion"];
export type StateChanges = components["schemas"]["StateChanges"];
export type StateLock = components["schemas"]["StateLock"];
