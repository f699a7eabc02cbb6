/** Tells once of each change in an organization's findings: the event `explore_findings_changed`. */
import { sql } from "drizzle-orm";
import type { FindingsReport } from "../../exchange/notifications/findings.ts";
import type { Tx } from "../../platform/db/client.ts";
import { publish } from "../../work/publish.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";

const NOTHING: FindingsReport = { cycles: 0, orphans: 0, duplicates: 0, cycles_complete: true, orphans_complete: true };

/**
 * Remember the report; when it is not what was last told, the event and its messages are in the same transaction. A
 * first report of nothing at all is no change.
 */
export async function reportFindings(service: Service, orgId: string, current: FindingsReport): Promise<boolean> {
  return unitOfWork(service, async (work) => {
    const { tx } = work;
    const previous = await lockLast(tx, orgId);
    if (previous === undefined) return false;
    await tx.execute(sql`
      update explore_reports set cycles = ${current.cycles}, orphans = ${current.orphans}, duplicates = ${current.duplicates},
        cycles_complete = ${current.cycles_complete}, orphans_complete = ${current.orphans_complete}, computed_at = svc_now()
      where org_id = ${orgId}`);
    if (same(current, previous ?? NOTHING)) return false;
    const data = { current, ...(previous && { previous }) };
    await publish(work, { orgId, name: "explore_findings_changed", data });
    return true;
  });
}

/** Null: none yet. Undefined: the organization is gone. */
async function lockLast(tx: Tx, orgId: string): Promise<FindingsReport | null | undefined> {
  const [row] = await tx.execute<FindingsReport | { cycles: null }>(sql`
    select cycles, orphans, duplicates, cycles_complete, orphans_complete from explore_reports
    where org_id = ${orgId} for no key update`);
  if (row === undefined) return undefined;
  return row.cycles === null ? null : (row as FindingsReport);
}

function same(a: FindingsReport, b: FindingsReport): boolean {
  return (Object.keys(NOTHING) as (keyof FindingsReport)[]).every((field) => a[field] === b[field]);
}
