/** Roles and assignments as people see them. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";

const PermissionAnswer = v.pipe(
  v.object({
    resource_type: v.string(),
    action: v.string(),
    resource_pattern: v.pipe(
      v.nullable(v.string()),
      v.metadata({ description: "A glob over the resource's name: `*` any text, `?` one character" }),
    ),
    authz_group: v.nullable(v.string()),
  }),
  v.metadata({ ref: "Permission" }),
);

export const Role = v.pipe(
  v.object({
    id: Id,
    org_id: v.pipe(v.nullable(Id), v.metadata({ description: "Null for a system role" })),
    name: v.string(),
    is_system: v.boolean(),
    permissions: v.array(PermissionAnswer),
    created_at: Time,
  }),
  v.metadata({ ref: "Role" }),
);
export const RolePage = v.pipe(pageOf(Role), v.metadata({ ref: "RolePage" }));

export const RoleName = v.pipe(
  v.object({ id: Id, name: v.string(), is_system: v.boolean() }),
  v.metadata({ ref: "RoleName" }),
);

export const RoleAssignment = v.pipe(
  v.object({
    id: Id,
    role: RoleName,
    user_id: v.nullable(v.string()),
    service_account_id: v.nullable(Id),
    created_at: Time,
  }),
  v.metadata({ ref: "RoleAssignment", description: "Either user_id or service_account_id is set" }),
);
export const RoleAssignmentPage = v.pipe(pageOf(RoleAssignment), v.metadata({ ref: "RoleAssignmentPage" }));

export type Role = v.InferInput<typeof Role>;
export type RoleAssignment = v.InferInput<typeof RoleAssignment>;
