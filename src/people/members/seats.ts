/**
 * Seats: who becomes a member is decided under the organization's lock, so that two additions at once never share the
 * last seat (docs/rules/organizations.md#seats). A member is one whose membership has not expired; a disabled person
 * keeps their seat.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { recordAudits } from "../audit/record.ts";
import { lockSeats, UNEXPIRED } from "../authorization/membership.ts";
import type { MembershipSource, memberships } from "./schema.ts";

/** Nobody can be added by hand at the cap. */
export class SeatLimitError extends ProblemError {
  constructor() {
    super({
      status: 409,
      code: "seat_limit",
      detail: "All seats of this organization are taken. Revoke a member, or ask a super-admin to raise max_users.",
    });
  }
}

export type Admission = {
  /** Members now, those who were before included. */
  admitted: string[];
  /** Organizations without a free seat. */
  withheld: string[];
};

/**
 * Make a user a member of organizations where there is a seat; those at their cap are withheld without an error, and
 * the caller counts them (`countSeatDenials`) after its commit. An active member is always allowed: a membership
 * without end stays so, one that expires takes the new end.
 * @param expiresAt a Postgres timestamp or an expression over `svc_now()`; null for a membership without end
 */
export async function admitMember(
  tx: Tx,
  admission: {
    userId: string;
    orgIds: readonly string[];
    source: MembershipSource;
    expiresAt: string | SQL | null;
    /** Whose unlinking ends the membership. */
    identityId?: string;
  },
): Promise<Admission> {
  const { userId, source, expiresAt, identityId = null } = admission;
  const orgIds = await lockSeats(tx, admission.orgIds);
  if (orgIds.length === 0) return { admitted: [], withheld: [] };
  const rows = await tx.execute<SqlRow<typeof memberships, "org_id"> & { joined: boolean }>(sql`
    insert into memberships as m (org_id, user_id, source, expires_at, identity_id)
    select o.id, ${userId}, ${source}, (${expiresAt})::timestamptz, ${identityId}::uuid from organizations o
    where o.id = any(${sql.param(orgIds)}::uuid[]) and (o.is_personal
      or exists (select from memberships m where m.org_id = o.id and m.user_id = ${userId} and ${UNEXPIRED})
      or ${activeMembers(sql`o.id`)} < o.max_users)
    on conflict (user_id, org_id) do update set
      source = case when m.expires_at is null then m.source else excluded.source end,
      expires_at = case when m.expires_at is null then null else excluded.expires_at end,
      identity_id = case when m.expires_at is null then null else excluded.identity_id end,
      created_at = case when ${UNEXPIRED} then m.created_at else excluded.created_at end
    returning m.org_id, old.created_at is distinct from new.created_at as joined`);
  // An invitation or a person who adds somebody leaves an entry of its own.
  if (source === "identity_source") await recordJoins(tx, userId, rows);
  const admitted = rows.map((row) => row.org_id).sort();
  return { admitted, withheld: orgIds.filter((id) => !admitted.includes(id)) };
}

async function recordJoins(
  tx: Tx,
  userId: string,
  rows: readonly { org_id: string; joined: boolean }[],
): Promise<void> {
  const joined = rows.filter((row) => row.joined);
  await recordAudits(
    tx,
    joined.map(({ org_id }) => ({
      orgId: org_id,
      actor: { id: userId, kind: "user" },
      action: "member.add",
      resourceId: userId,
      details: { source: "identity_source" },
    })),
  );
}

/** How many members the organization `org` (an expression) has. */
export function activeMembers(org: SQL): SQL {
  return sql`(select count(*) from memberships m where m.org_id = ${org} and ${UNEXPIRED})`;
}

/** `svc_org_seat_denials{org,source}`. Called after the commit: a transaction may be run again. */
export function countSeatDenials(
  { seatDenials }: Pick<Metrics, "seatDenials">,
  orgIds: readonly string[],
  source: "sso" | "manual",
): void {
  for (const org of orgIds) seatDenials.inc({ org, source });
}
