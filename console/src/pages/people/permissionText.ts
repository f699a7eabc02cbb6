/** Permissions as people say them. Pure. */
import type { Permission } from "../../data/types.ts";

const TYPES: Readonly<Record<string, string>> = {
  "*": "everything",
  org: "organization",
  member: "members",
  role: "roles",
  service_account: "service accounts",
  identity_source: "sign-in sources",
  stack: "stacks",
  stack_authz_group: "groups of stacks",
  cloud_integration: "cloud integrations",
  label: "labels",
  context: "contexts",
  policy: "policies",
  approval_rule: "approval rules",
  drift_schedule: "schedules of checks for drift",
  runner_group: "runner groups",
  runner: "runners",
  scm_integration: "code hosts",
  notification_integration: "notifications",
};

export const typeWords = (type: string): string => TYPES[type] ?? type;
export const actionWords = (action: string): string => (action === "*" ? "do anything" : action.replaceAll("_", " "));

export function targetWords({ resource_pattern, authz_group }: Pick<Permission, "resource_pattern" | "authz_group">) {
  if (resource_pattern !== null) return `named ${resource_pattern}`;
  return authz_group === null ? "all" : `of group ${authz_group}`;
}
