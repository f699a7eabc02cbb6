/** The lifetime of a stack as people read and write it. */
import { eq, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { changedFields } from "../../people/audit/changedFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireResource } from "../../people/authorization/authorize.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { msToDuration } from "../../platform/time/durations.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { type StackRow, stacks } from "../stacks/schema.ts";
import type { Lifetime, LifetimeBody, LifetimeChanges } from "./fields.ts";
import type { LifetimePhase } from "./schema.ts";

class NoLifetimeError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "The stack has no lifetime that could be made longer." });
  }
}

class BeingDestroyedError extends ProblemError {
  constructor(deploymentId: string) {
    const detail = `The stack's lifetime has run out, and deployment ${deploymentId} destroys it. Cancel that first.`;
    super({ status: 409, code: "conflict", detail });
  }
}

/** What RFC 3339 can say. */
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59Z");

type Stack = Pick<StackRow, "stackKey" | "orgId" | "slug" | "name" | "authzGroups">;
type Row = Omit<Lifetime, "remind_before"> & { remind_ms: number };

const NEVER: Lifetime = {
  expires_at: null,
  remind_before: null,
  reason: null,
  set_by: null,
  set_at: null,
  phase: null,
  reminded_at: null,
  destroy_deployment_id: null,
  error: null,
  put_off: null,
  next_at: null,
};

export async function readLifetime(db: Queryable, stackKey: string): Promise<Lifetime> {
  const [row] = await db.execute<Row>(sql`
    select s.expires_at, l.remind_ms, l.reason, l.set_by, l.set_at, l.phase, l.reminded_at, l.destroy_id as destroy_deployment_id,
      l.error, l.put_off, l.due_at as next_at
    from stack_lifetimes l join stacks s on s.stack_key = l.stack_key where l.stack_key = ${stackKey}`);
  if (row === undefined) return NEVER;
  const { remind_ms, ...lifetime } = row;
  return {
    ...lifetime,
    remind_before: msToDuration(remind_ms),
    expires_at: rfc3339(row.expires_at),
    set_at: rfc3339(row.set_at),
    reminded_at: rfc3339(row.reminded_at),
    next_at: rfc3339(row.next_at),
  };
}

type Before = { now: string; expires_at: string | null; remind_ms: number | null; phase: LifetimePhase | null };

/** Under the stack's lock. @throws NotFoundError, BeingDestroyedError */
async function lock({ tx }: Work, stackKey: string): Promise<Before> {
  const rows = await tx.execute<Before & { destroy_id: string | null }>(sql`
    select svc_now()::text as now, s.expires_at::text, l.remind_ms, l.phase, l.destroy_id
    from stacks s left join stack_lifetimes l on l.stack_key = s.stack_key
    where s.stack_key = ${stackKey} and s.deleted_at is null for no key update of s`);
  const { destroy_id, ...before } = requireRow(rows);
  if (before.phase === "destroying") throw new BeingDestroyedError(destroy_id ?? "");
  return before;
}

/**
 * Give the stack a lifetime, or another. Whoever has it destroyed and deleted must be allowed to do both, and to
 * confirm the plan.
 * @throws NotFoundError, InvalidValueError, BeingDestroyedError
 */
export async function setLifetime(
  service: Service,
  subject: Subject,
  stack: Stack,
  { expires_at, remind_before, reason }: LifetimeBody,
): Promise<Lifetime> {
  return unitOfWork(service, async (work) => {
    const before = await lock(work, stack.stackKey);
    await requireToEnd(work, subject, stack);
    requireFuture(expires_at, before.now);
    await store(work, subject, stack, before, { expires_at, remindMs: remind_before, reason });
    return readLifetime(work.tx, stack.stackKey);
  });
}

/** @throws ForbiddenError */
async function requireToEnd({ tx }: Work, subject: Subject, { name, authzGroups, orgId }: Stack): Promise<void> {
  const on = { type: "stack", resourceId: name, resourceGroups: authzGroups } as const;
  const needs = (["deploy", "confirm", "delete"] as const).map((action) => ({ ...on, action }));
  await requireResource(tx, subject, orgId, ...needs);
}

/**
 * Only ever later, so it needs no more than to change the stack; but after a destroy that came to nothing another one
 * would follow, which needs what setting it needs.
 * @throws NoLifetimeError, ForbiddenError, InvalidValueError
 */
export async function prolong(
  service: Service,
  subject: Subject,
  stack: Stack,
  { expires_at, extend_by, reason }: LifetimeChanges,
): Promise<Lifetime> {
  return unitOfWork(service, async (work) => {
    const before = await lock(work, stack.stackKey);
    if (before.expires_at === null || before.remind_ms === null) throw new NoLifetimeError();
    if (before.phase === "failed") await requireToEnd(work, subject, stack);
    const ends = Date.parse(before.expires_at);
    // What has run out already gets its time from now on.
    const from = Math.max(ends, Date.parse(before.now));
    const later = expires_at ?? new Date(Math.min(from + (extend_by ?? 0), LAST_INSTANT)).toISOString();
    if (Date.parse(later) <= ends)
      throw new InvalidValueError([{ field: "expires_at", message: "is not later than it is now" }]);
    requireFuture(later, before.now);
    await store(work, subject, stack, before, { expires_at: later, remindMs: before.remind_ms, reason });
    return readLifetime(work.tx, stack.stackKey);
  });
}

/** The stack stays. Where it has no lifetime nothing happens. @throws NotFoundError, BeingDestroyedError */
export async function removeLifetime(service: Service, subject: Subject, stack: Stack): Promise<void> {
  await unitOfWork(service, async (work) => {
    const { tx, messages } = work;
    const { stackKey, orgId, slug } = stack;
    const { expires_at } = await lock(work, stackKey);
    if (expires_at === null) return;
    await tx.execute(sql`delete from stack_lifetimes where stack_key = ${stackKey}`);
    await tx.update(stacks).set({ expiresAt: null }).where(eq(stacks.stackKey, stackKey));
    const details = { stack_id: slug, expires_at: rfc3339(expires_at) };
    await recordAudit(tx, { orgId, actor: subject, action: "stack_lifetime.delete", resourceId: slug, details });
    messages.push({ kind: "schedulesChanged", orgId });
  });
}

/** @throws InvalidValueError */
function requireFuture(at: string, now: string): void {
  if (Date.parse(at) <= Date.parse(now)) throw new InvalidValueError([{ field: "expires_at", message: "has passed" }]);
}

async function store(
  { tx, messages }: Work,
  subject: Subject,
  { stackKey, orgId, slug }: Stack,
  before: Before,
  { expires_at, remindMs, reason }: { expires_at: string; remindMs: number; reason: string },
): Promise<void> {
  await tx.update(stacks).set({ expiresAt: expires_at }).where(eq(stacks.stackKey, stackKey));
  await tx.execute(sql`
    insert into stack_lifetimes as l (stack_key, org_id, remind_ms, reason, set_by, set_by_kind, due_at)
    values (${stackKey}, ${orgId}, ${remindMs}::float8, ${reason}, ${subject.id}, ${subject.kind}, svc_now())
    on conflict (stack_key) do update set remind_ms = excluded.remind_ms, reason = excluded.reason, set_by = excluded.set_by,
      set_by_kind = excluded.set_by_kind, set_at = svc_now(), phase = 'alive', reminded_at = null, destroy_id = null, error = null,
      put_off = null, put_off_times = 0, due_at = svc_now()`);
  const was = { expires_at: rfc3339(before.expires_at), remind_ms: before.remind_ms };
  const changes = changedFields<object>(was, { expires_at, remind_ms: remindMs }, Object.keys(was));
  const details = { stack_id: slug, reason, ...changes };
  await recordAudit(tx, { orgId, actor: subject, action: "stack_lifetime.update", resourceId: slug, details });
  messages.push({ kind: "schedulesChanged", orgId });
}
