/** What a sign-in makes of the invitations that wait for it. */
import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { recordAudits } from "../audit/record.ts";
import { lockSeats } from "../authorization/membership.ts";
import { loginName } from "./loginName.ts";
import type { invitations } from "./schema.ts";
import { type Admission, admitMember } from "./seats.ts";

/** Who signed in, as the provider vouches for it. */
export type Arrival = {
  userId: string;
  providerKey: string;
  /** Of the identity that signed in; decides for `oidc`, where anybody may run a provider that says any login. */
  issuer: string;
  /** The login and the verified e-mail address; an unverified one must not be here. */
  logins: readonly string[];
};

type Invitation = SqlRow<typeof invitations, "id" | "org_id">;

/**
 * Consume the unexpired invitations for this login: membership where there is a seat, with the invitation's roles that
 * still exist. One without a seat stays and may be consumed by a later sign-in.
 */
export async function acceptInvitations(tx: Tx, arrival: Arrival): Promise<Admission> {
  const { userId } = arrival;
  // Organizations before invitations, as everyone locks them who has both.
  const found = await waiting(tx, arrival, sql``);
  if (found.length === 0) return { admitted: [], withheld: [] };
  await lockSeats(tx, orgsOf(found));
  const invitations = await waiting(tx, arrival, sql`for update of i`);
  const orgIds = orgsOf(invitations);
  const admission = await admitMember(tx, { userId, orgIds, source: "invitation", expiresAt: null });
  const consumed = invitations.filter((invitation) => admission.admitted.includes(invitation.org_id));
  if (consumed.length === 0) return admission;
  await tx.execute(sql`
    with consumed as (
      delete from invitations where id = any(${sql.param(consumed.map(({ id }) => id))}::uuid[]) returning org_id, role_ids
    )
    insert into role_assignments (org_id, role_id, user_id)
    select distinct c.org_id, r.id, ${userId} from consumed c join roles r on r.id = any(c.role_ids) and (r.org_id is null or r.org_id = c.org_id)
    on conflict do nothing`);
  await recordAudits(
    tx,
    consumed.map(({ id, org_id }) => ({
      orgId: org_id,
      actor: { id: userId, kind: "user" },
      action: "invitation.accept",
      resourceId: id,
    })),
  );
  return admission;
}

/** An `oidc` login counts only where the inviting organization itself has an enabled source of that issuer. */
async function waiting(tx: Tx, { providerKey, issuer, logins }: Arrival, lock: SQL): Promise<Invitation[]> {
  const names = logins.map(loginName);
  return await tx.execute<Invitation>(sql`
    select i.id, i.org_id from invitations i
    where i.provider_key = ${providerKey} and i.login = any(${sql.param(names)}::text[]) and i.expires_at > svc_now()
      and (i.provider_key <> 'oidc' or exists (
        select from identity_sources s where s.org_id = i.org_id and s.enabled and s.provider_key = 'oidc' and s.oidc_issuer = ${issuer}))
    order by i.org_id, i.id ${lock}`);
}

function orgsOf(invitations: readonly Invitation[]): string[] {
  return [...new Set(invitations.map((invitation) => invitation.org_id))];
}
