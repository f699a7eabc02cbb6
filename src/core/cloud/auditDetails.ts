/**
 * What the audit trail says about a cloud integration: which identities came, went and changed, and how. Of policies
 * only digests of their minified texts: fifty texts are 100 KB.
 */
import { createHash } from "node:crypto";
import { changedFields } from "../../people/audit/changedFields.ts";
import type { CloudConfig, CloudRole, GoogleConfig } from "./provider.ts";

const named = (roles: readonly CloudRole[]) => roles.map(({ name, role_arn }) => ({ name, role_arn }));

/** Of an integration that went. */
export function integrationDetails(config: CloudConfig): Record<string, unknown> {
  return "roles" in config ? { roles: named(config.roles) } : { service_account_email: config.service_account_email };
}

/** Of one that was written; null when nothing differs. */
export function integrationChanges(before: CloudConfig | null, after: CloudConfig): Record<string, unknown> | null {
  if ("roles" in after) return roleChanges(before !== null && "roles" in before ? before.roles : [], after.roles);
  return accountChanges(before !== null && "service_account_email" in before ? before : null, after);
}

function accountChanges(before: GoogleConfig | null, after: GoogleConfig): Record<string, unknown> | null {
  const fields = ["service_account_email", "use_in_previews"] as const;
  const changed = fields.filter((field) => before?.[field] !== after[field]);
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map((field) => [field, { before: before?.[field] ?? null, after: after[field] }]));
}

function roleChanges(before: readonly CloudRole[], after: readonly CloudRole[]): Record<string, unknown> | null {
  const had = new Map(before.map((role) => [role.name, role]));
  const has = new Set(after.map(({ name }) => name));
  const added = named(after.filter(({ name }) => !had.has(name)));
  const removed = named(before.filter(({ name }) => !has.has(name)));
  const changed = after.flatMap((role) => {
    const was = had.get(role.name);
    const difference = was === undefined ? null : changedFields(comparable(was), comparable(role), COMPARED);
    return difference === null ? [] : [{ name: role.name, ...difference }];
  });
  return added.length + removed.length + changed.length === 0 ? null : { roles: { added, removed, changed } };
}

const COMPARED = ["role_arn", "use_in_previews", "inline_policy_sha256"];

function comparable({ role_arn, use_in_previews, inline_policy }: CloudRole) {
  const digest = inline_policy === undefined ? null : createHash("sha256").update(inline_policy).digest("hex");
  return { role_arn, use_in_previews, inline_policy_sha256: digest };
}
