/**
 * The first statement of every use case below one deployment: its lookup and the check together
 * (docs/rules/permissions.md#one-check-one-statement).
 */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Action } from "../../people/authorization/matrix.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { requireSlug } from "../stacks/slug.ts";
import type { DeploymentMode } from "./lifecycle.ts";
import type { deployments } from "./schema.ts";

export type DeploymentPath = { orgId: string; stackId: string; deploymentId: string };
export type AuthorizedDeployment = SqlRow<typeof deployments, "id" | "org_id" | "stack_key" | "mode" | "tool">;

/**
 * What creating a deployment of this mode needs; cancelling and retrying need the same
 * (docs/rules/deployments.md#who-could-create-it).
 */
export const CREATE_ACTION = {
  plan: "deploy",
  destroy: "deploy",
  refresh: "deploy",
  plan_unlocked: "preview",
  raw: "run_command",
  drift: "deploy",
} as const satisfies Record<DeploymentMode, Action<"stack">>;

/** Every permission that can create some deployment; local plans have one of their own. */
export const CREATE_ACTIONS = ["deploy", "preview", "run_command", "local_deploy"] as const satisfies Action<"stack">[];

/**
 * The deployment at this path, if the subject may do `action` on its stack.
 * @throws NotFoundError for a stranger, a missing deployment and a missing permission alike.
 */
export async function authorizeDeployment(
  db: Queryable,
  subject: Subject,
  path: DeploymentPath,
  action: Action<"stack">,
): Promise<AuthorizedDeployment> {
  return find(db, path, onStack(subject, path.orgId, action));
}

/** The same for whoever could have created the deployment. */
export async function authorizeRetry(
  db: Queryable,
  subject: Subject,
  path: DeploymentPath,
): Promise<AuthorizedDeployment> {
  return find(db, path, mayCreate(subject, path.orgId));
}

/** The same for whoever could have created the deployment, or holds (stack, confirm). */
export async function authorizeCancel(
  db: Queryable,
  subject: Subject,
  path: DeploymentPath,
): Promise<AuthorizedDeployment> {
  return find(db, path, sql`(${onStack(subject, path.orgId, "confirm")} or ${mayCreate(subject, path.orgId)})`);
}

/**
 * Of these deployments of one stack the ids of those that the subject may skip or cancel, in one statement. The others
 * look alike, whatever is wrong with them.
 */
export async function authorizeMany(
  db: Queryable,
  subject: Subject,
  { orgId, stackId }: Omit<DeploymentPath, "deploymentId">,
  ids: readonly string[],
  action: "skip" | "cancel",
): Promise<Set<string>> {
  const confirm = onStack(subject, orgId, "confirm");
  const allowed = action === "skip" ? confirm : sql`(${confirm} or ${mayCreate(subject, orgId)})`;
  const rows = await db.execute<{ id: string }>(sql`
    select d.id from deployments d join stacks s on s.stack_key = d.stack_key
    where d.id = any(${`{${ids.join(",")}}`}::uuid[]) and s.org_id = ${orgId} and s.slug = ${stackId} and s.deleted_at is null
      and ${allowed}`);
  return new Set(rows.map((row) => row.id));
}

function mayCreate(subject: Subject, orgId: string): SQL {
  const branches = Object.entries(CREATE_ACTION).map(
    ([mode, action]) => sql`when d.mode = ${mode} then ${onStack(subject, orgId, action)}`,
  );
  const local = sql`when d.origin_type = 'local' then ${onStack(subject, orgId, "local_deploy")}`;
  return sql`case ${sql.join([local, ...branches], sql` `)} else false end`;
}

function onStack(subject: Subject, orgId: string, action: Action<"stack">): SQL {
  return permitted(subject, orgId, { type: "stack", action, name: sql`s.name`, groups: sql`s.authz_groups` });
}

async function find(
  db: Queryable,
  { orgId, stackId, deploymentId }: DeploymentPath,
  allowed: SQL,
): Promise<AuthorizedDeployment> {
  requireUuids(orgId, deploymentId);
  requireSlug(stackId);
  const rows = await db.execute<AuthorizedDeployment>(sql`
    select d.id, d.org_id, d.stack_key, d.mode, d.tool from deployments d join stacks s on s.stack_key = d.stack_key
    where d.id = ${deploymentId} and s.org_id = ${orgId} and s.slug = ${stackId} and s.deleted_at is null and ${allowed}`);
  return requireRow(rows);
}
