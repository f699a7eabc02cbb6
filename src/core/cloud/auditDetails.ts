/**
 * What the audit trail says about a cloud integration: which identities came, went and changed, and how. Of policies
 * only digests of their minified texts: fifty texts are 100 KB.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { changedFields } from "../../people/audit/changedFields.ts";
import type { AwsConfig, CloudConfig, CloudRole, GoogleConfig } from "./provider.ts";

type Details = Record<string, unknown>;

const named = (roles: readonly CloudRole[]) => roles.map(({ name, role_arn }) => ({ name, role_arn }));

/** Of an integration that went. */
export function integrationDetails(type: string, config: CloudConfig): Details {
  if (type === "cloud_a") return { roles: named((config as AwsConfig).roles) };
  if (type === "cloud_b") return { service_account_email: (config as GoogleConfig).service_account_email };
  return { config };
}

/** Of one that was written; null when nothing differs. */
export function integrationChanges(type: string, before: CloudConfig | null, after: CloudConfig): Details | null {
  if (type === "cloud_a") return roleChanges((before as AwsConfig | null)?.roles ?? [], (after as AwsConfig).roles);
  if (type === "cloud_b") return fieldChanges(before, after, ["service_account_email", "use_in_previews"]);
  return fieldChanges(before, after, [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])]);
}

function fieldChanges(before: CloudConfig | null, after: CloudConfig, fields: readonly string[]): Details | null {
  const [was, is] = [(before ?? {}) as Details, after as Details];
  const changed = fields.filter((field) => !isDeepStrictEqual(was[field], is[field]));
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map((field) => [field, { before: was[field] ?? null, after: is[field] ?? null }]));
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
