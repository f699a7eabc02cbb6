/**
 * One permission of a role: as people write it, with a glob, and as it is stored, with a LIKE pattern
 * (docs/rules/permissions.md#targets).
 */
import * as v from "valibot";
import { hasControlCharacters } from "../../http/textFields.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { globToLike, likeToGlob } from "../authorization/glob.ts";
import { GRANTABLE, isGrantable, takesGroup, takesPattern } from "../authorization/matrix.ts";
import type { rolePermissions } from "./schema.ts";

const target = (max: number) =>
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(max),
    v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
  );

/** The parts are checked together: a pair must mean something, and a target must be one that a check can name. */
export const PermissionInput = v.pipe(
  v.strictObject({
    resource_type: v.pipe(v.string(), v.maxLength(50), v.metadata({ enum: GRANTABLE.types })),
    action: v.pipe(v.string(), v.maxLength(50), v.metadata({ enum: GRANTABLE.actions })),
    resource_pattern: v.optional(v.nullable(target(200)), null),
    authz_group: v.optional(v.nullable(target(100)), null),
  }),
  v.forward(
    v.check((p) => isGrantable(p.resource_type, p.action), "there is no permission of this type and action"),
    ["action"],
  ),
  v.forward(
    v.check(
      (p) => p.resource_pattern === null || takesPattern(p.resource_type),
      "resources of this type cannot be singled out by name",
    ),
    ["resource_pattern"],
  ),
  v.forward(
    v.check(
      (p) => p.authz_group === null || takesGroup(p.resource_type),
      "only stack and cloud_integration permissions can be limited to an authorization group",
    ),
    ["authz_group"],
  ),
  v.forward(
    v.check((p) => p.resource_pattern === null || p.authz_group === null, "give a pattern or a group, not both"),
    ["authz_group"],
  ),
  v.forward(
    v.check((p) => !(p.authz_group ?? "").startsWith("svc:"), "names that begin with svc: are reserved"),
    ["authz_group"],
  ),
);

/** `resource_pattern` is a glob. */
export type Permission = v.InferOutput<typeof PermissionInput>;

/** `resource_pattern` is LIKE text; equal globs are equal here, which is what coverage compares. */
export type StoredPermission = SqlRow<
  typeof rolePermissions,
  "resource_type" | "action" | "resource_pattern" | "authz_group"
>;

/** What to store, each once. */
export function storedPermissions(permissions: readonly Permission[]): StoredPermission[] {
  const stored = permissions.map((p) => ({
    ...p,
    resource_pattern: p.resource_pattern === null ? null : globToLike(p.resource_pattern),
  }));
  return [...new Map(stored.map((p) => [JSON.stringify(Object.values(p)), p])).values()];
}

/** What people read. */
export function shownPermission(stored: StoredPermission): Permission {
  const { resource_type, action, resource_pattern, authz_group } = stored;
  return {
    resource_type,
    action,
    resource_pattern: resource_pattern === null ? null : likeToGlob(resource_pattern),
    authz_group,
  };
}
