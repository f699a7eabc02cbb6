/** Invitations of somebody whose access ends: by them they, or whoever stole it, could come back under another name. */
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { type AuditEntry, recordAudits } from "../audit/record.ts";

type Withdrawn = { id: string; org_id: string; provider_key: string; login: string; roles: string[] };

/**
 * Deletes what a person or a service account gave, in every organization, with an entry in each one's trail.
 * @returns how many
 */
export async function withdrawInvitations(tx: Tx, inviterId: string, actor: AuditEntry["actor"]): Promise<number> {
  const withdrawn = await tx.execute<Withdrawn>(sql`
    delete from invitations where invited_by = ${inviterId}
    returning id, org_id, provider_key, login, to_jsonb(role_ids) as roles`);
  await recordAudits(
    tx,
    withdrawn.map(({ id, org_id, ...invitation }) => ({
      orgId: org_id,
      actor,
      action: "invitation.delete",
      resourceId: id,
      details: { ...invitation, reason: "inviter_disabled" },
    })),
  );
  return withdrawn.length;
}
