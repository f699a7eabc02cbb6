/**
 * Memberships that wait for the person's word (docs/rules/organizations.md#nobody-becomes-a-member-unasked). Until they
 * accept, the organization learns nothing of them.
 */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { byCreation, type ListQuery, listPage } from "../../http/listQuery.ts";
import type { Db, Queryable, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { recordAudit } from "../audit/record.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import type { membershipOffers } from "./schema.ts";
import { admitMember, countSeatDenials, SeatLimitError } from "./seats.ts";

const LIFETIME = sql`interval '14 days'`;

export const Offer = v.pipe(
  v.object({
    id: Id,
    org: v.object({ id: Id, name: v.string() }),
    source: v.pipe(
      v.picklist(["manual", "identity_source"]),
      v.metadata({ description: "A person there offers it, or a rule of theirs that your sign-in met" }),
    ),
    expires_at: Time,
    created_at: Time,
  }),
  v.metadata({ ref: "MembershipOffer" }),
);
export const OfferPage = v.pipe(pageOf(Offer), v.metadata({ ref: "MembershipOfferPage" }));
type Offer = v.InferInput<typeof Offer>;

type NewOffers = {
  userId: string;
  orgIds: readonly string[];
  source: "manual" | "identity_source";
  memberUntil: SQL | null;
  identityId?: string;
  offeredBy?: string;
};

/** Offer it, or offer it for longer; what a person offers stays theirs. */
export async function offerMembership(tx: Queryable, offer: NewOffers): Promise<void> {
  const { userId, orgIds, source, memberUntil, identityId = null, offeredBy = null } = offer;
  if (orgIds.length === 0) return;
  await tx.execute(sql`
    insert into membership_offers as f (org_id, user_id, source, identity_id, offered_by, member_until, expires_at)
    select o.id, ${userId}, ${source}, ${identityId}::uuid, ${offeredBy}, (${memberUntil})::timestamptz, svc_now() + ${LIFETIME}
    from organizations o where o.id = any(${sql.param([...orgIds])}::uuid[]) and not o.is_personal
    on conflict (user_id, org_id) do update set expires_at = excluded.expires_at, source = excluded.source,
      identity_id = excluded.identity_id, offered_by = excluded.offered_by, member_until = excluded.member_until
      where f.source <> 'manual' or excluded.source = 'manual' or f.expires_at <= svc_now()`);
}

export const OFFER_LIST = byCreation("f");

/** The caller's own. @throws InvalidValueError */
export async function listOffers(
  db: Db,
  userId: string,
  query: ListQuery,
): Promise<{ items: Offer[]; next_cursor: string | null }> {
  const list = listPage(query, OFFER_LIST);
  const rows = await db.execute<Offer & { sort_value: string }>(sql`
    select f.id, jsonb_build_object('id', o.id, 'name', o.name) as org, f.source, f.expires_at, f.created_at, ${list.sortValue}
    from membership_offers f join organizations o on o.id = f.org_id
    where f.user_id = ${userId} and f.expires_at > svc_now() and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return {
    items: items.map(({ sort_value, ...row }) => ({
      ...row,
      expires_at: rfc3339(row.expires_at),
      created_at: rfc3339(row.created_at),
    })),
    next_cursor,
  };
}

type Row = SqlRow<typeof membershipOffers, "org_id" | "source" | "identity_id" | "offered_by" | "member_until">;

/** @throws NotFoundError, SeatLimitError */
export async function acceptOffer(
  service: Service,
  metrics: Pick<Metrics, "seatDenials">,
  caller: SessionHolder,
  id: string,
): Promise<{ orgId: string }> {
  let orgId = "";
  try {
    return await unitOfWork(service, async ({ tx }) => {
      const offer = await takeOffer(tx, caller, id);
      orgId = offer.org_id;
      const { withheld } = await admitMember(tx, {
        userId: caller.id,
        orgIds: [orgId],
        source: offer.source,
        expiresAt: offer.member_until,
        ...(offer.identity_id !== null && { identityId: offer.identity_id }),
      });
      if (withheld.length > 0) throw new SeatLimitError();
      if (offer.source === "manual") {
        const details = { source: "manual", offered_by: offer.offered_by };
        await recordAudit(tx, { orgId, actor: caller, action: "member.add", resourceId: caller.id, details });
      }
      return { orgId };
    });
  } catch (error) {
    if (error instanceof SeatLimitError) countSeatDenials(metrics, [orgId], "manual");
    throw error;
  }
}

/** @throws NotFoundError */
export async function declineOffer(service: Service, caller: SessionHolder, id: string): Promise<void> {
  await unitOfWork(service, async ({ tx }) => void (await takeOffer(tx, caller, id)));
}

async function takeOffer(tx: Tx, { id: userId }: SessionHolder, id: string): Promise<Row> {
  requireUuids(id);
  const rows = await tx.execute<Row>(sql`
    delete from membership_offers where id = ${id} and user_id = ${userId} and expires_at > svc_now()
    returning org_id, source, identity_id, offered_by, member_until`);
  return requireRow(rows);
}
