/** Makes the ordinary deployment that is to undo a finding: one for each set of addresses. */
import { sql } from "drizzle-orm";
import { QuotaReachedError } from "../../work/quotas.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { inheritMakers } from "../approvals/inheritMakers.ts";
import { createDeployment } from "../deployments/transitions/create.ts";
import { again, readBase } from "./base.ts";
import type { DriftPolicy } from "./policy.ts";

/** Some of an organization's. Where its quota is used up they are tried again with the next step. */
export async function mendDrift(service: Service, orgId: string, most: number): Promise<void> {
  const rows = await service.db.execute<{ stack_key: string }>(sql`
    select stack_key from stack_drift where org_id = ${orgId} and reconcile_due order by since, stack_key limit ${most}::int`);
  for (const { stack_key } of rows) {
    try {
      await unitOfWork(service, (work) => mend(work, stack_key));
    } catch (error) {
      if (error instanceof QuotaReachedError) return;
      throw error;
    }
  }
}

/** Of what was applied, not of the branch: whoever pushed since has not agreed to apply it. */
async function mend(work: Work, stackKey: string): Promise<void> {
  const { tx } = work;
  await tx.execute(sql`select from stacks where stack_key = ${stackKey} for no key update`);
  const [row] = await tx.execute<{ effective: DriftPolicy | null; status: string }>(sql`
    select d.effective, d.status from stack_drift d join stacks s on s.stack_key = d.stack_key
    where d.stack_key = ${stackKey} and d.reconcile_due and s.deleted_at is null for no key update of d`);
  if (row === undefined) return;
  const base = await readBase(work, stackKey);
  const { effective } = row;
  const isWanted = row.status === "drifted" && effective !== null && effective.reconcile !== "off" && base !== null;
  const made = isWanted
    ? await createDeployment(work, {
        stackKey,
        mode: "plan",
        source: { kept: base },
        provenance: base.provenance,
        // A plan brings back too what somebody has destroyed on purpose.
        needsPerson: effective.reconcile === "plan" || base.mode === "destroy",
        ...again(base),
      })
    : null;
  if (made !== null && base !== null) await inheritMakers(tx, base.id, made.id, true);
  await tx.execute(sql`
    update stack_drift set reconcile_due = false, reconcile_id = coalesce(${made?.id ?? null}::uuid, reconcile_id)
    where stack_key = ${stackKey}`);
}
