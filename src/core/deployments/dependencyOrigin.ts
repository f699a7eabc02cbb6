/**
 * Which stacks led to a deployment by their applies, for who may read them; the others look alike
 * (docs/rules/graph.md#what-the-viewer-may-not-read).
 */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { Actor } from "../../work/domainEvent.ts";
import type { stacks } from "../stacks/schema.ts";
import type { DeploymentResource } from "./resourceSchema.ts";
import type { deployments } from "./schema.ts";

/** Whom a deployment is shown to. Null: nobody in particular, who sees no other stack. */
export type Viewer = Subject | null;

export type StoredOrigin = SqlRow<
  typeof deployments,
  "org_id" | "origin_dependency_deployment_id" | "cascade_stack_path"
>;
export type DependencyOrigin = Pick<
  DeploymentResource,
  "origin_dependency_deployment_id" | "origin_dependency_stack_id" | "cascade_stack_path"
>;

/** Whoever decided about a deployment is shown it after that. */
export function viewerOf({ id, kind }: Actor, orgId: string): Viewer {
  if (kind === "user") return { kind, id };
  return kind === "service_account" ? { kind, id, orgId, tokenId: null } : null;
}

/**
 * Looks up the stacks of all rows, of one organization, in one statement; in none when no row has followed from an
 * apply.
 */
export async function dependencyOrigins(
  db: Pick<Queryable, "execute">,
  viewer: Viewer,
  rows: readonly StoredOrigin[],
): Promise<(row: StoredOrigin) => DependencyOrigin> {
  const keys = [...new Set(rows.flatMap((row) => row.cascade_stack_path))];
  const slugs = await readableSlugs(db, viewer, rows[0]?.org_id ?? "", keys);
  return ({ origin_dependency_deployment_id, cascade_stack_path }) => {
    const path = cascade_stack_path.map((key) => slugs.get(key) ?? null);
    const parent = path.at(-1) ?? null;
    return {
      origin_dependency_deployment_id: parent === null ? null : origin_dependency_deployment_id,
      origin_dependency_stack_id: parent,
      cascade_stack_path: path,
    };
  };
}

async function readableSlugs(
  db: Pick<Queryable, "execute">,
  viewer: Viewer,
  orgId: string,
  keys: readonly string[],
): Promise<Map<string, string>> {
  if (viewer === null || keys.length === 0) return new Map();
  const on = { type: "stack", action: "read", name: sql`s.name`, groups: sql`s.authz_groups` } as const;
  const rows = await db.execute<SqlRow<typeof stacks, "stack_key" | "slug">>(sql`
    select s.stack_key, s.slug from stacks s
    where s.org_id = ${orgId} and s.stack_key = any(${`{${keys.join(",")}}`}::uuid[])
      and ${permitted(viewer, orgId, on)}`);
  return new Map(rows.map(({ stack_key, slug }) => [stack_key, slug]));
}
