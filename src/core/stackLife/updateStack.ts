/** Changing a stack's settings (docs/stacks.md#settings-rename-delete). A changed policy re-arms what waits. */
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { changedFields } from "../../people/audit/changedFields.ts";
import { type AuditEntry, recordAudit } from "../../people/audit/record.ts";
import { requireResource } from "../../people/authorization/authorize.ts";
import { type Renaming, requireNoGain } from "../../people/authorization/renaming.ts";
import type { Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { sqlState } from "../../platform/db/sqlState.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import type { OutboxMessage } from "../../work/message.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { PROVIDER_TYPES } from "../cloud/providerType.ts";
import type { deployments } from "../deployments/schema.ts";
import { type SubjectRow, wakeDeployment, wakeLease } from "../deployments/sleepers.ts";
import { isInFlight } from "../dispatch/inFlight.ts";
import { relabelChecks } from "../gates/relabelChecks.ts";
import { labelChecks, runnerLabelChecks } from "../labels/protectedKeys.ts";
import { retractPreviews, unlinkStack } from "../pullRequests/unlinkStack.ts";
import { type StackView, stackAnswer } from "../stacks/answer.ts";
import { type StackInsert, type StackRow, stacks } from "../stacks/schema.ts";
import { needsOfChange } from "../stacks/settingNeeds.ts";
import { columnsOf, type SettingColumns, type StackChanges } from "../stacks/settings.ts";
import { recordStackEvent } from "../stacks/stackEvent.ts";
import { assertProtocol, type GitRules, groupChecks, StackIdTakenError, slugFor } from "./createStack.ts";

/** Settings are the same for everybody. */
const NOBODYS: StackView = { held_by_actor: null, allowed_actions: [] };

/**
 * Apply `changes` to the stack that `authorizeStack(..., "update")` gave. What the change needs beyond (stack, update)
 * is checked against the row as it is under the lock; a denial is the uniform 404. A write that changes nothing leaves
 * no trace.
 * @throws NotFoundError, InvalidValueError
 */
export async function updateStack(
  service: Service,
  git: GitRules,
  subject: Subject,
  stackKey: string,
  changes: StackChanges,
): Promise<StackRow> {
  if (changes.repository_url !== undefined) assertProtocol(git, changes.repository_url);
  return unitOfWork(service, async (work) => {
    const { tx, messages } = work;
    const live = and(eq(stacks.stackKey, stackKey), isNull(stacks.deletedAt));
    const stack = requireRow(await tx.select().from(stacks).where(live).for("no key update"));
    const renamed = changes.name !== undefined && changes.name !== stack.name ? newName(changes.name) : {};
    const changed = difference(stack, columnsOf(changes));
    if (Object.keys({ ...changed, ...renamed }).length === 0) return stack;
    if (renamed.name) await authorizeNewName(tx, subject, stack, renamed.name);
    await authorizeChange(tx, subject, stack, changed);
    const row = await write(tx, stackKey, { ...changed, ...renamed, ...forgetCompared(changed) });
    if (renamed.name) {
      const data = { previous_stack_id: stack.slug, previous_name: stack.name };
      await recordStackEvent(work, row, "stack_renamed", subject, data);
    }
    await recordAudit(tx, updateEntry(subject, stack, row));
    messages.push(...(await rearm(tx, stackKey, changed)));
    if (comesFromElsewhere(changed)) {
      await unlinkStack(work, stackKey);
      await retractPreviews(work, stackKey);
    }
    return row;
  });
}

/** Which settings have another value now, and both values: whoever reads the trail may read the stack. */
function updateEntry(actor: Subject, before: StackRow, after: StackRow): AuditEntry {
  const fields = Object.keys(stackAnswer(after, NOBODYS)).filter((field) => field !== "updated_at");
  const settings = changedFields(stackAnswer(before, NOBODYS), stackAnswer(after, NOBODYS), fields);
  const renamed = before.name === after.name ? {} : { previous_name: before.name, name: after.name };
  const details = { changed: Object.keys(settings?.after ?? {}), ...renamed, ...settings };
  return { orgId: after.orgId, actor, action: "stack.update", resourceId: after.slug, details };
}

/** The old id is free at once: the lane, the runs and the workflows hang on the surrogate key, not on a name. */
function newName(name: string): { name?: string; slug?: string } {
  return { name, slug: slugFor(name) };
}

function comesFromElsewhere(changed: Partial<SettingColumns>): boolean {
  return "branch" in changed || "repositoryKey" in changed;
}

/** A push on another branch or repository has nothing to do with the commit that was compared last. */
function forgetCompared(changed: Partial<SettingColumns>): Partial<StackInsert> {
  return comesFromElsewhere(changed) ? { lastComparedCommit: null } : {};
}

/**
 * A rename needs (stack, update) on the new name too, or a pattern could be left by renaming; and it brings a stack
 * under none of one's patterns that give more than one could do with it before.
 */
async function authorizeNewName(tx: Tx, subject: Subject, stack: StackRow, name: string): Promise<void> {
  const on = { resourceId: name, resourceGroups: stack.authzGroups };
  await requireResource(tx, subject, stack.orgId, { type: "stack", action: "update", ...on });
  const clouds = PROVIDER_TYPES.map(
    (type): Renaming => ({ type: "cloud_integration", before: `${stack.name}:${type}`, after: `${name}:${type}` }),
  );
  const itself: Renaming = { type: "stack", before: stack.name, after: name };
  await requireNoGain(tx, subject, stack.orgId, [itself, ...clouds], stack.authzGroups);
}

/** @throws StackIdTakenError */
async function write(tx: Tx, stackKey: string, columns: Partial<StackInsert>): Promise<StackRow> {
  try {
    const [row] = await tx
      .update(stacks)
      .set({ ...columns, updatedAt: sql`svc_now()` })
      .where(eq(stacks.stackKey, stackKey))
      .returning();
    return row!;
  } catch (error) {
    if (sqlState(error) === "23505") throw new StackIdTakenError(columns.slug ?? "");
    throw error;
  }
}

/** The columns whose new value is another one. */
function difference(stack: StackRow, next: Partial<SettingColumns>): Partial<SettingColumns> {
  const differs = ([column, value]: [string, unknown]) =>
    canonical(value) !== canonical(stack[column as keyof StackRow]);
  return Object.fromEntries(Object.entries(next).filter(differs));
}

/** Labels compare by content: Postgres gives the keys of a map back in an order of its own. */
function canonical(value: unknown): string {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function authorizeChange(
  tx: Tx,
  subject: Subject,
  stack: StackRow,
  changed: Partial<SettingColumns>,
): Promise<void> {
  const on = { resourceId: stack.name, resourceGroups: stack.authzGroups };
  const groups = changed.authzGroups ?? stack.authzGroups;
  const touched = [
    ...groups.filter((name) => !stack.authzGroups.includes(name)),
    ...stack.authzGroups.filter((name) => !groups.includes(name)),
  ];
  const labels = [
    ...(changed.labels === undefined ? [] : await labelChecks(tx, stack.orgId, stack.labels, changed.labels)),
    ...(changed.previewRunnerLabels === undefined
      ? []
      : await runnerLabelChecks(tx, stack.orgId, stack.previewRunnerLabels, changed.previewRunnerLabels)),
    ...(changed.forkRunnerLabels === undefined
      ? []
      : await runnerLabelChecks(tx, stack.orgId, stack.forkRunnerLabels, changed.forkRunnerLabels)),
  ];
  const needs = needsOfChange(stack, changed);
  const rules = changed.labels === undefined ? [] : await relabelChecks(tx, stack.orgId, stack.labels, changed.labels);
  if (touched.length + labels.length + needs.length + rules.length === 0) return;
  await requireResource(
    tx,
    subject,
    stack.orgId,
    ...needs.map((action) => ({ type: "stack", action, ...on }) as const),
    ...groupChecks(touched),
    ...labels,
    ...rules,
  );
}

type Rearmed = SubjectRow &
  SqlRow<typeof deployments, "status" | "woken_at"> & { run_id: string | null; lease_woken_at: string | null };

/**
 * Tell whoever's deadline hangs on a changed policy, and nobody else
 * (docs/rules/stacks.md#policies-re-arm-what-waits).
 */
async function rearm(tx: Tx, stackKey: string, changed: Partial<SettingColumns>): Promise<OutboxMessage[]> {
  const queued = "queuedTimeoutMs" in changed || "supersedeAgeMs" in changed;
  const waiting = "confirmationTimeoutMs" in changed || "supersedeAgeMs" in changed || "labels" in changed;
  const running = "maxRunDurationMs" in changed;
  if (!queued && !waiting && !running) return [];
  const rows = await tx.execute<Rearmed>(sql`
    select d.id, d.org_id, d.stack_key, d.mode, d.origin_type, d.status, d.woken_at, r.id as run_id, r.lease_woken_at from deployments d
    left join runs r on ${running} and r.deployment_id = d.id
      and ${isInFlight(sql`r.status`)}
    where d.stack_key = ${stackKey} and d.status not in ('finished', 'failed', 'cancelled', 'skipped')
    order by d.id`);
  return rows.flatMap((row): OutboxMessage[] => {
    if ((queued && row.status === "queued") || (waiting && row.status === "waiting")) {
      return [wakeDeployment(row, "policyChanged")];
    }
    return row.run_id === null ? [] : [wakeLease(row.org_id, { id: row.run_id, lease_woken_at: row.lease_woken_at })];
  });
}
