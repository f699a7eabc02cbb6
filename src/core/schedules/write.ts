/**
 * Writing schedules. Whoever has something happen by itself must be allowed to do it by hand
 * (docs/schedules.md#who-may).
 */
import { and, eq, isNull, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Subject } from "../../http/principal.ts";
import { changedFields } from "../../people/audit/changedFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg, requireResource } from "../../people/authorization/authorize.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Tx } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { holdRoom } from "../../work/atMost.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { CREATE_ACTION } from "../deployments/authorizeDeployment.ts";
import { keyChecks } from "../labels/protectedKeys.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { Schedule } from "./answer.ts";
import type { ScheduleChanges, ScheduleInput } from "./fields.ts";
import { readSchedule } from "./read.ts";
import { type ScheduledMode, type ScheduleRow, schedules } from "./schema.ts";
import { sealScript } from "./script.ts";
import { nextOccurrence, type Timing } from "./timing.ts";

/** Of a stack, and of an organization by selectors. */
const MOST = 100;

class ScheduleNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "There is already a schedule of that name." });
  }
}

export type WriteDeps = { service: Service; keyring: Keyring };
type Stack = Pick<StackRow, "stackKey" | "orgId" | "slug" | "name" | "authzGroups">;
/** Whose the schedule is: a stack's, which the caller may update, or an organization's with a selector. */
export type Owner = { orgId: string; stack: Stack | null };

/**
 * What its deployments need by hand: on the stack, or of a selector on stacks without a pattern.
 * @throws NotFoundError, ForbiddenError
 */
async function requireMode(db: Tx, subject: Subject, { orgId, stack }: Owner, mode: ScheduledMode): Promise<void> {
  const action = CREATE_ACTION[mode];
  if (stack === null) {
    await requireOrg(db, subject, orgId, { type: "stack", action });
    return;
  }
  const { name: resourceId, authzGroups: resourceGroups } = stack;
  await requireResource(db, subject, orgId, { type: "stack", action, resourceId, resourceGroups });
}

/** @throws ScheduleNameTakenError, InvalidValueError for a time that has passed */
export async function createSchedule(
  { service, keyring }: WriteDeps,
  subject: Subject,
  owner: Owner,
  input: ScheduleInput,
): Promise<Schedule> {
  const { orgId, stack } = owner;
  const { name, mode, script, at, cron, time_zone, paused, selector } = input;
  const id = uuidv7();
  const sealed = script === undefined ? {} : await sealScript(keyring, id, script);
  return uniqueRow(ScheduleNameTakenError, () =>
    unitOfWork(service, async ({ tx, messages }) => {
      await requireMode(tx, subject, owner, mode);
      if (selector !== undefined) await requireOrg(tx, subject, orgId, ...keyChecks(Object.keys(selector)));
      await holdPlace(tx, owner);
      const nextAt = nextOf({ at, cron, time_zone }, await clock(tx));
      await tx.insert(schedules).values({
        id,
        orgId,
        stackKey: stack?.stackKey ?? null,
        selector: selector ?? null,
        name,
        mode,
        ...sealed,
        onceAt: at,
        cron,
        timeZone: time_zone,
        paused,
        nextAt: paused ? null : nextAt,
        createdBy: subject.id,
        createdByKind: subject.kind,
      });
      const details = { ...about(owner), name, mode, at, cron, time_zone, paused, ...(selector && { selector }) };
      await recordAudit(tx, { orgId, actor: subject, action: "schedule.create", resourceId: id, details });
      messages.push({ kind: "schedulesChanged", orgId });
      return readSchedule(tx, id);
    }),
  );
}

/** @throws TooManyError */
function holdPlace(tx: Tx, { orgId, stack }: Owner): Promise<void> {
  const whose = stack === null ? sql`stack_key is null` : sql`stack_key = ${stack.stackKey}`;
  const present = sql`select count(*) from schedules where org_id = ${orgId} and ${whose}`;
  return holdRoom(tx, orgId, present, MOST, stack === null ? "schedules by selector" : "schedules of a stack");
}

/**
 * What changes what is done, or when, needs what creating it needs; to pause it or give it another name does not. What
 * passed while it was paused is not made up for. A write that changes nothing leaves no trace.
 * @throws NotFoundError, ScheduleNameTakenError, InvalidValueError
 */
export async function changeSchedule(
  { service, keyring }: WriteDeps,
  subject: Subject,
  owner: Owner,
  id: string,
  changes: ScheduleChanges,
): Promise<Schedule> {
  requireUuids(id);
  const { script } = changes;
  const sealed = script === undefined ? null : await sealScript(keyring, id, script);
  return uniqueRow(ScheduleNameTakenError, () =>
    unitOfWork(service, async ({ tx, messages }) => {
      const before = requireRow(await tx.select().from(schedules).where(one(owner, id)).for("no key update"));
      if (sealed !== null && before.mode !== "raw")
        throw new InvalidValueError([{ field: "script", message: "only a schedule of mode raw has one" }]);
      const was = settingsOf(before);
      const is = { ...was, ...applied(was, changes) };
      const fields = changedFields(was, is, Object.keys(was));
      if (fields === null && sealed === null) return readSchedule(tx, id);
      const retimed = ["at", "cron", "time_zone"].some((field) => field in (fields?.after ?? {}));
      if (retimed || sealed !== null || (was.paused && !is.paused)) await requireMode(tx, subject, owner, before.mode);
      const isArmed = retimed || was.paused !== is.paused;
      await tx
        .update(schedules)
        .set({
          name: is.name,
          onceAt: is.at,
          cron: is.cron,
          timeZone: is.time_zone,
          paused: is.paused,
          ...(isArmed && { nextAt: is.paused ? null : nextOf(is, await clock(tx), retimed) }),
          ...sealed,
          updatedAt: sql`svc_now()`,
        })
        .where(eq(schedules.id, id));
      if (retimed || sealed !== null || (was.paused && !is.paused)) await rememberMaker(tx, id, subject);
      const details = { ...about(owner), ...fields, ...(sealed && { command_bytes: sealed.commandBytes }) };
      const { orgId } = owner;
      await recordAudit(tx, { orgId, actor: subject, action: "schedule.update", resourceId: id, details });
      messages.push({ kind: "schedulesChanged", orgId });
      return readSchedule(tx, id);
    }),
  );
}

/** What it makes from now on is this one's change too (docs/approvals.md#what-counts). */
async function rememberMaker(tx: Tx, id: string, { id: maker, kind }: Subject): Promise<void> {
  await tx.execute(sql`
    insert into schedule_makers (schedule_id, kind, maker_id) values (${id}, ${kind}, ${maker}) on conflict do nothing`);
}

/** What it has made goes on. @throws NotFoundError */
export async function deleteSchedule(service: Service, subject: Subject, owner: Owner, id: string): Promise<void> {
  requireUuids(id);
  await unitOfWork(service, async ({ tx, messages }) => {
    const { name, mode } = requireRow(await tx.delete(schedules).where(one(owner, id)).returning());
    const { orgId } = owner;
    const details = { ...about(owner), name, mode };
    await recordAudit(tx, { orgId, actor: subject, action: "schedule.delete", resourceId: id, details });
    messages.push({ kind: "schedulesChanged", orgId });
  });
}

/** A schedule of that owner and of no other. @throws NotFoundError */
export async function requireSchedule(db: Tx | Service["db"], owner: Owner, id: string): Promise<void> {
  requireUuids(id);
  requireRow(await db.select({ id: schedules.id }).from(schedules).where(one(owner, id)));
}

function one({ orgId, stack }: Owner, id: string) {
  const whose = stack === null ? isNull(schedules.stackKey) : eq(schedules.stackKey, stack.stackKey);
  return and(eq(schedules.id, id), eq(schedules.orgId, orgId), whose);
}

const about = ({ stack }: Owner) => (stack === null ? {} : { stack_id: stack.slug });

function settingsOf({ name, onceAt, cron, timeZone, paused }: ScheduleRow) {
  return { name, at: rfc3339(onceAt), cron, time_zone: timeZone, paused };
}
type Settings = ReturnType<typeof settingsOf>;

function applied(was: Settings, { script: _script, ...changes }: ScheduleChanges): Partial<Settings> {
  const present = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const at = changes.at === undefined ? was.at : rfc3339(changes.at);
  if (changes.cron !== undefined) return { ...present, at: null };
  return changes.at === undefined ? present : { ...present, at, cron: null };
}

/** @throws InvalidValueError where somebody asks for a time that has passed */
function nextOf(timing: Timing, now: Date, isAsked = true): string | null {
  const next = nextOccurrence(timing, now);
  if (next === null && timing.at !== null && isAsked)
    throw new InvalidValueError([{ field: "at", message: "has passed" }]);
  return next?.toISOString() ?? null;
}

async function clock(tx: Tx): Promise<Date> {
  const [row] = await tx.execute<{ now: string }>(sql`select svc_now()::text as now`);
  return new Date(row?.now ?? Number.NaN);
}
