/** What the audit trail says about a cloud integration: which identities came, went and changed. No policy texts: fifty of them are 100 KB. */
import type { CloudConfig, CloudRole } from "./provider.ts";

const named = (roles: readonly CloudRole[]) => roles.map(({ name, role_arn }) => ({ name, role_arn }));

/** Of an integration that went. */
export function integrationDetails(config: CloudConfig): Record<string, unknown> {
  return "roles" in config ? { roles: named(config.roles) } : { service_account_email: config.service_account_email };
}

/** Of one that was written; null when nothing differs. */
export function integrationChanges(before: CloudConfig | null, after: CloudConfig): Record<string, unknown> | null {
  if ("roles" in after) return roleChanges(before !== null && "roles" in before ? before.roles : [], after.roles);
  const was = before !== null && "service_account_email" in before ? before.service_account_email : null;
  if (was === after.service_account_email) return null;
  return { service_account_email: { before: was, after: after.service_account_email } };
}

function roleChanges(before: readonly CloudRole[], after: readonly CloudRole[]): Record<string, unknown> | null {
  const had = new Map(before.map((role) => [role.name, role]));
  const has = new Set(after.map(({ name }) => name));
  const added = named(after.filter(({ name }) => !had.has(name)));
  const removed = named(before.filter(({ name }) => !has.has(name)));
  const changed = named(after.filter((role) => had.has(role.name) && differs(had.get(role.name)!, role)));
  return added.length + removed.length + changed.length === 0 ? null : { roles: { added, removed, changed } };
}

function differs(a: CloudRole, b: CloudRole): boolean {
  return a.role_arn !== b.role_arn || a.inline_policy !== b.inline_policy || a.use_in_previews !== b.use_in_previews;
}
