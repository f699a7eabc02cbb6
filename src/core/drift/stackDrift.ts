/** Drift of one stack as people read it, its own policy, and a check that somebody asks for. */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { changedFields } from "../../people/audit/changedFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireResource } from "../../people/authorization/authorize.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { StackDrift } from "./answer.ts";
import { readBase } from "./base.ts";
import { type DriftPolicy, needsOf, POLICY_FIELDS } from "./policy.ts";

class NothingAppliedError extends ProblemError {
  constructor() {
    const detail = "Nothing is applied on this stack, so there is nothing that could have drifted.";
    super({ status: 409, code: "conflict", detail });
  }
}

type Stack = Pick<StackRow, "stackKey" | "orgId" | "slug" | "name" | "authzGroups">;

export async function readStackDrift(db: Queryable, stackKey: string): Promise<StackDrift> {
  const [row] = await db.execute<StackDrift>(sql`
    select d.status, d.since, d.checked_at, d.checked_id as checked_deployment_id, d.error, d.total, d.ignored,
      d.due_at as next_check_at, d.put_off, d.check_id as running_deployment_id, d.reconcile_id as reconcile_deployment_id,
      d.resources, d.policy, d.effective,
      case when c.id is not null then jsonb_build_object('id', c.id, 'name', c.name) end as schedule
    from stack_drift d left join drift_schedules c on c.id = d.schedule_id where d.stack_key = ${stackKey}`);
  if (row === undefined) return NEVER;
  return {
    ...row,
    since: rfc3339(row.since),
    checked_at: rfc3339(row.checked_at),
    next_check_at: rfc3339(row.next_check_at),
  };
}

const NEVER: StackDrift = {
  status: "unknown",
  since: null,
  checked_at: null,
  checked_deployment_id: null,
  error: null,
  total: 0,
  ignored: 0,
  next_check_at: null,
  put_off: null,
  running_deployment_id: null,
  reconcile_deployment_id: null,
  resources: [],
  policy: null,
  effective: null,
  schedule: null,
};

/**
 * Null takes the stack's own policy away, so that schedules count. Whoever has a deployment made by itself must be
 * allowed to make it, as with the stack's other settings. A write that changes nothing leaves no trace.
 * @throws NotFoundError
 */
export async function writePolicy(
  service: Service,
  subject: Subject,
  stack: Stack,
  policy: DriftPolicy | null,
): Promise<StackDrift> {
  return unitOfWork(service, async (work) => {
    const { tx } = work;
    const { stackKey, orgId, slug } = stack;
    const [before] = await tx.execute<{ policy: DriftPolicy | null }>(sql`
      insert into stack_drift as d (stack_key, org_id) values (${stackKey}, ${orgId})
      on conflict (stack_key) do update set stale = d.stale returning policy`);
    const was = before?.policy ?? null;
    const changes = changedFields(was ?? {}, policy ?? {}, POLICY_FIELDS);
    if (changes === null) return readStackDrift(tx, stackKey);
    await requireNeeds(tx, subject, stack, was, policy);
    await tx.execute(sql`
      update stack_drift set policy = ${policy === null ? null : JSON.stringify(policy)}::jsonb, stale = true
      where stack_key = ${stackKey}`);
    const action = policy === null ? "drift_policy.delete" : "drift_policy.update";
    await recordAudit(tx, { orgId, actor: subject, action, resourceId: slug, details: { stack_id: slug, ...changes } });
    work.messages.push({ kind: "driftChanged", orgId });
    return readStackDrift(tx, stackKey);
  });
}

async function requireNeeds(
  tx: Work["tx"],
  subject: Subject,
  { orgId, name, authzGroups }: Stack,
  before: DriftPolicy | null,
  after: DriftPolicy | null,
): Promise<void> {
  const action = after && needsOf(after);
  if (action === null || action === (before && needsOf(before))) return;
  await requireResource(tx, subject, orgId, { type: "stack", action, resourceId: name, resourceGroups: authzGroups });
}

/**
 * The next check is due now; it begins as any other, when nobody needs what it would take. One that is under way is the
 * answer to this too.
 * @throws NothingAppliedError
 */
export async function askForCheck(service: Service, subject: Subject, stack: Stack): Promise<StackDrift> {
  return unitOfWork(service, async (work) => {
    const { tx, messages } = work;
    const { stackKey, orgId, slug } = stack;
    if ((await readBase(work, stackKey)) === null) throw new NothingAppliedError();
    await tx.execute(sql`
      insert into stack_drift as d (stack_key, org_id, due_at, asked) values (${stackKey}, ${orgId}, svc_now(), true)
      on conflict (stack_key) do update set put_off = null, put_off_times = 0, due_at = svc_now(), asked = true
        where d.check_id is null`);
    const details = { stack_id: slug };
    await recordAudit(tx, { orgId, actor: subject, action: "drift_check.request", resourceId: slug, details });
    messages.push({ kind: "driftChanged", orgId });
    return readStackDrift(tx, stackKey);
  });
}
