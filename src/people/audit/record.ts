/** Writing the audit trail: in the transaction of the write it tells of, so that neither is there without the other. */
import type { Queryable } from "../../platform/db/client.ts";
import { auditedResource } from "../../work/auditEntry.ts";
import type { Actor } from "../../work/domainEvent.ts";
import type { AuditAction } from "./actions.ts";
import { auditLog } from "./schema.ts";

export type AuditEntry = {
  /** Null for what concerns no organization, for example disabling a person everywhere. */
  orgId: string | null;
  actor: Pick<Actor, "id" | "kind"> | null;
  action: AuditAction;
  resourceId?: string;
  /** Names, ids and settings before or after. Never a secret, a token, a key or a script. */
  details?: Record<string, unknown>;
};

/** Add one entry. A caller whose write changed nothing adds none. */
export async function recordAudit(tx: Queryable, entry: AuditEntry): Promise<void> {
  await recordAudits(tx, [entry]);
}

/** Add several in one statement. */
export async function recordAudits(tx: Queryable, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await tx.insert(auditLog).values(
    entries.map(({ orgId, actor, action, resourceId, details }) => ({
      orgId,
      actorId: actor?.id ?? null,
      actorKind: actor?.kind ?? null,
      action,
      resourceType: auditedResource(action),
      resourceId: resourceId ?? null,
      details: details ?? {},
    })),
  );
}
