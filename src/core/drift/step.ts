/** A step of an organization's checks: what has ended is read, what is due begins, and when to look again. */
import { sql } from "drizzle-orm";
import type { DriftView } from "../../../workflows/views.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Service } from "../../work/service.ts";
import { withdrawUnclaimed } from "../deployments/transitions/withdrawCheck.ts";
import { beginChecks, type DriftDeps } from "./begin.ts";
import { concludeChecks } from "./conclude.ts";
import { mendDrift } from "./mend.ts";
import { mostAtOnce, USUAL_CHECK_MS } from "./pace.ts";
import { settle } from "./settle.ts";

/** Rows of each kind in one step, so that none takes long. */
const AT_ONCE = 20;
/** A check that no runner takes is given up, and its place with it. */
const UNCLAIMED = "15 minutes";
/** While more is due than may be under way, and after a quota was used up. */
const CROWDED_MS = 5_000;
const REFUSED_MS = 60_000;
const LEAST_MS = 1_000;

export async function checkDrift(deps: DriftDeps, orgId: string): Promise<DriftView> {
  const { service } = deps;
  await settle(service.db, orgId);
  await concludeChecks(service, orgId, AT_ONCE);
  await mendDrift(service, orgId, AT_ONCE);
  await giveUpUnclaimed(service, orgId);
  const before = await readWork(service.db, orgId);
  await beginChecks(deps, orgId, Math.min(before.most - before.running, AT_ONCE));
  return viewOf(await readWork(service.db, orgId));
}

type WorkLeft = {
  stacks: number;
  running: number;
  most: number;
  waiting: number;
  /** Rows to be settled or read at once. */
  open: boolean;
  reconcile_due: boolean;
  next_ms: number | null;
  give_up_ms: number | null;
};

async function readWork(db: Queryable, orgId: string): Promise<WorkLeft> {
  const [row] = await db.execute<Omit<WorkLeft, "most"> & { mean: number }>(sql`
    select count(*) filter (where d.effective is not null)::int as stacks,
      count(*) filter (where d.check_phase = 'running')::int as running,
      coalesce(sum(coalesce(d.duration_ms, ${USUAL_CHECK_MS}::float8) / d.spread_ms) filter (where d.effective is not null), 0)::float8 as mean,
      count(*) filter (where d.due_at <= svc_now() and d.check_id is null)::int as waiting,
      coalesce(bool_or(d.stale or d.check_phase = 'ended'), false) as open,
      coalesce(bool_or(d.reconcile_due), false) as reconcile_due,
      extract(epoch from min(d.due_at) filter (where d.due_at > svc_now()) - svc_now())::float8 * 1000 as next_ms,
      (select extract(epoch from min(r.first_pending_at) + ${UNCLAIMED}::interval - svc_now())::float8 * 1000
        from stack_drift c join runs r on r.deployment_id = c.check_id
        where c.org_id = ${orgId} and c.check_phase = 'running' and r.status = 'pending') as give_up_ms
    from stack_drift d where d.org_id = ${orgId}`);
  if (row === undefined) throw new Error("the checks of an organization have no row");
  return { ...row, most: mostAtOnce(row.mean) };
}

function viewOf(left: WorkLeft): DriftView {
  const { stacks, running, waiting } = left;
  return { stacks, running, waiting, nextMs: nextMs(left) };
}

/** The end of a check is told, so nothing waits for it here. */
function nextMs({ open, waiting, running, reconcile_due, next_ms, give_up_ms }: WorkLeft): number | null {
  if (open) return 0;
  const times = [
    ...(waiting > 0 ? [CROWDED_MS] : []),
    ...(reconcile_due ? [REFUSED_MS] : []),
    ...[next_ms, give_up_ms].filter((ms) => ms !== null),
    ...(running > 0 ? [24 * 3_600_000] : []),
  ];
  return times.length === 0 ? null : Math.max(LEAST_MS, Math.min(...times));
}

async function giveUpUnclaimed(service: Service, orgId: string): Promise<void> {
  const rows = await service.db.execute<{ id: string }>(sql`
    select r.deployment_id as id from stack_drift c join runs r on r.deployment_id = c.check_id
    where c.org_id = ${orgId} and c.check_phase = 'running' and r.status = 'pending'
      and r.first_pending_at <= svc_now() - ${UNCLAIMED}::interval limit ${AT_ONCE}::int`);
  for (const { id } of rows) await withdrawUnclaimed(service, id);
}
