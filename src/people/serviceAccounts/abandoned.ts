/** Tokens whose minters have left and not come back open nothing any more; here they go, with an entry each. */
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import { recordAudits } from "../audit/record.ts";
import { MINTER_GONE_FOR } from "../credentials/minterGone.ts";

const BATCH = 500;

type Row = { id: string; org_id: string; service_account_id: string; name: string; created_by: string };

/** Safe to run at once in several processes. @returns tokens removed */
export async function removeAbandonedTokens(db: Db): Promise<{ abandonedTokens: number }> {
  for (let total = 0; ; ) {
    const removed = await inTransaction(db, async (tx) => {
      const rows = await tx.execute<Row>(sql`
        delete from service_account_tokens t using service_accounts a
        where a.id = t.service_account_id and t.id = any(array(
          select id from service_account_tokens where minter_left_at <= (select svc_now() - ${MINTER_GONE_FOR})
          order by minter_left_at limit ${BATCH}::int for update skip locked))
        returning t.id, a.org_id, t.service_account_id, t.name, t.created_by`);
      await recordAudits(
        tx,
        rows.map(({ id, org_id, ...token }) => ({
          orgId: org_id,
          actor: null,
          action: "service_account_token.delete",
          resourceId: id,
          details: { ...token, reason: "minter_left" },
        })),
      );
      return rows.length;
    });
    total += removed;
    if (removed < BATCH) return { abandonedTokens: total };
  }
}
