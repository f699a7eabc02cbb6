/** What a finding is, and how a round stores those it sees. */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import type { findings } from "./schema.ts";

export type Finding = Omit<typeof findings.$inferSelect, "orgId" | "round">;

/** More stacks than anybody looks through in one finding. */
export const MAX_STACKS = 100;
const BATCH = 500;

export function findingKey(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

/** Store what a round saw; seen again, a finding becomes part of this round. */
export async function storeFindings(
  explore: Db,
  orgId: string,
  round: string,
  findings: readonly Finding[],
): Promise<void> {
  for (let at = 0; at < findings.length; at += BATCH) {
    const rows = findings.slice(at, at + BATCH);
    await explore.execute(sql`
      insert into explore.findings as f (org_id, kind, key, stack_keys, stack_count, details, round)
      select ${orgId}::uuid, r.kind, r.key, r."stackKeys", r."stackCount", r.details, ${round}::uuid
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r (kind text, key text, "stackKeys" uuid[], "stackCount" integer, details jsonb)
      on conflict (org_id, kind, key) do update set stack_keys = excluded.stack_keys, stack_count = excluded.stack_count,
        details = excluded.details, round = excluded.round`);
  }
}

/** At the end of a round: what it did not see is no more. */
export async function removeOtherRounds(explore: Db, orgId: string, round: string): Promise<void> {
  for (let removed = BATCH; removed === BATCH; ) {
    const rows = await explore.execute(sql`
      delete from explore.findings where org_id = ${orgId} and (kind, key) in (
        select kind, key from explore.findings where org_id = ${orgId} and round <> ${round} limit ${BATCH})
      returning 1`);
    removed = rows.length;
  }
}
