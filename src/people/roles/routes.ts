import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import type { Service } from "../../work/service.ts";
import { Role, RoleAssignment, RoleAssignmentPage, RolePage } from "./answer.ts";
import { ASSIGNMENT_LIST, assignRole, listAssignments, unassignRole } from "./assignments.ts";
import { PermissionInput } from "./permission.ts";
import { createRole, deleteRole, listRoles, ROLE_LIST, readRole, updateRole } from "./roles.ts";

const MAX_PERMISSIONS = 200;

/** Body of POST and PUT. */
const RoleBody = v.strictObject({
  name: displayName(100),
  permissions: v.pipe(v.array(PermissionInput), v.maxLength(MAX_PERMISSIONS)),
});

const UserId = v.pipe(v.string(), v.minLength(1), v.maxLength(1_000));
const Uuid = v.pipe(v.string(), v.uuid());
const AssignBody = v.pipe(
  v.strictObject({ role_id: Uuid, user_id: v.optional(UserId), service_account_id: v.optional(Uuid) }),
  v.forward(
    v.check(
      (body) => (body.user_id === undefined) !== (body.service_account_id === undefined),
      "give either user_id or service_account_id",
    ),
    ["user_id"],
  ),
);

const ROLES = "/api/v1/orgs/:org_id/roles";
const ROLE = "/api/v1/orgs/:org_id/roles/:role_id";
const ASSIGNMENTS = "/api/v1/orgs/:org_id/role-assignments";
const ASSIGNMENT = "/api/v1/orgs/:org_id/role-assignments/:assignment_id";
const tag = "roles";

/** The routes of roles and direct assignments. */
export function roleRoutes(app: Hono<AppEnv>, service: Service): void {
  const covered = "Only within what the caller holds: no permission is handed on that they do not have.";
  endpoint(
    app,
    "get",
    ROLES,
    {
      id: "listRoles",
      tag,
      summary: "List the system roles and the organization's own",
      query: v.strictObject(listFields(Object.keys(ROLE_LIST.fields))),
      answer: RolePage,
      problems: [403],
    },
    async ({ principal, params, query }) => listRoles(service.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    ROLES,
    {
      id: "createRole",
      tag,
      summary: "Create a role",
      description: covered,
      body: RoleBody,
      answer: Role,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => createRole(service, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "get",
    ROLE,
    { id: "getRole", tag, summary: "Read a role", answer: Role, problems: [403, 404] },
    async ({ principal, params }) => readRole(service.db, principal, params.org_id, params.role_id),
  );
  endpoint(
    app,
    "put",
    ROLE,
    {
      id: "replaceRole",
      tag,
      summary: "Replace a role's name and permissions, for all who hold it",
      description: `${covered} System roles cannot be changed.`,
      body: RoleBody,
      answer: Role,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => updateRole(service, principal, params.org_id, params.role_id, await body()),
  );
  endpoint(
    app,
    "delete",
    ROLE,
    { id: "deleteRole", tag, summary: "Delete a role and take it from all who hold it", problems: [403, 404, 409] },
    async ({ principal, params }) => deleteRole(service, principal, params.org_id, params.role_id),
  );
  assignmentRoutes(app, service);
}

function assignmentRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    ASSIGNMENTS,
    {
      id: "listRoleAssignments",
      tag,
      summary: "List who has which role directly",
      query: v.strictObject({
        ...listFields(Object.keys(ASSIGNMENT_LIST.fields)),
        user_id: v.optional(UserId),
        service_account_id: v.optional(Uuid),
        role_id: v.optional(Uuid),
      }),
      answer: RoleAssignmentPage,
      problems: [403],
    },
    async ({ principal, params, query }) => listAssignments(service.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    ASSIGNMENTS,
    {
      id: "assignRole",
      tag,
      summary: "Give a member or a service account a role",
      description: "Needs (role, assign) and every permission of the role.",
      body: AssignBody,
      answer: RoleAssignment,
      status: 201,
      problems: [403, 409],
    },
    async ({ principal, params, body }) => assignRole(service, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "delete",
    ASSIGNMENT,
    { id: "unassignRole", tag, summary: "Take a role away", problems: [403, 404, 409] },
    async ({ principal, params }) => unassignRole(service, principal, params.org_id, params.assignment_id),
  );
}
