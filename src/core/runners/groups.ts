/** Creating, changing, re-keying and deleting runner groups (docs/rules/dispatch.md#groups). */
import { eq, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import type { AuditAction } from "../../people/audit/actions.ts";
import { changedFields } from "../../people/audit/changedFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { ForbiddenError, requireOrg, requireResource } from "../../people/authorization/authorize.ts";
import { requireNoGain } from "../../people/authorization/renaming.ts";
import type { Tx } from "../../platform/db/client.ts";
import { NotFoundError, ProblemError } from "../../platform/problems/problem.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { isInFlight } from "../dispatch/inFlight.ts";
import { generateGroupKeyPair } from "../runnerIdentity/keys.ts";
import { gainedDetails, gainedSelectors, mayGain } from "./gainedSelectors.ts";
import { type RunnerGroupRow, runnerGroups } from "./schema.ts";
import { lockSelectors, rematch } from "./selectors.ts";

class GroupNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This organization already has a runner group of that name." });
  }
}

class GroupHoldsRunsError extends ProblemError {
  constructor() {
    const detail = "The runner group holds runs; it can be deleted once they have ended.";
    super({ status: 409, code: "conflict", detail });
  }
}

export class RunnerHoldsRunError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "The runner holds a run; it can be removed once that has ended." });
  }
}

export type GroupSettings = {
  name: string;
  labels: Record<string, string>;
  max_concurrent_runs: number;
  max_drift_runs?: number;
};
/** A group with the private key that exists nowhere else. */
export type KeyedGroup = { group: RunnerGroupRow; privateKeyPem: string };

/**
 * Needs (runner_group, create) on the proposed name; other groups' runs come to it only where no pattern bounds that
 * permission (docs/rules/dispatch.md#who-may-give-labels).
 * @throws ForbiddenError, GroupNameTakenError
 */
export async function createGroup(
  service: Service,
  subject: Subject,
  orgId: string,
  settings: GroupSettings,
): Promise<KeyedGroup> {
  await requireOrg(service.db, subject, orgId, { type: "runner_group", action: "create", resourceId: settings.name });
  const key = generateGroupKeyPair();
  const group = await uniqueRow(GroupNameTakenError, () =>
    unitOfWork(service, async (work) => {
      await lockSelectors(work.tx, orgId);
      const change = { orgId, groupId: null, before: {}, after: settings.labels };
      const gained = await gainedSelectors(work.tx, change);
      if (!(await mayGain(work.tx, subject, "create", change, gained))) throw new ForbiddenError();
      const row = await insertGroup(work, orgId, settings, key);
      await audit(work.tx, subject, "runner_group.create", row, gainedDetails(gained));
      return row;
    }),
  );
  return { group, privateKeyPem: key.privateKeyPem };
}

/** The rows of a new group, for callers that decide who may and where the private key goes. */
export async function insertGroup(
  work: Pick<Work, "tx" | "pendingSelectors">,
  orgId: string,
  settings: GroupSettings,
  { publicKeyPem, fingerprint }: { publicKeyPem: string; fingerprint: string },
): Promise<RunnerGroupRow> {
  const { tx } = work;
  await lockSelectors(tx, orgId);
  const [row] = await tx
    .insert(runnerGroups)
    .values({
      orgId,
      name: settings.name,
      labels: settings.labels,
      maxConcurrentRuns: settings.max_concurrent_runs,
      ...(settings.max_drift_runs === undefined ? {} : { maxDriftRuns: settings.max_drift_runs }),
      publicKeyPem,
      publicKeyFingerprint: fingerprint,
    })
    .returning();
  await rematch(work, orgId, row!.id);
  return row!;
}

/**
 * Change the group that `authorizeGroup(..., "update")` gave. A new name needs (runner_group, update) on it too, and
 * gives the caller nothing by pattern that they could not do before. New labels bring no other group's runs, unless no
 * pattern bounds the permission.
 * @throws NotFoundError, GroupNameTakenError
 */
export async function updateGroup(
  service: Service,
  subject: Subject,
  group: RunnerGroupRow,
  changes: { [K in keyof GroupSettings]?: GroupSettings[K] | undefined },
): Promise<RunnerGroupRow> {
  const { id, orgId, name } = group;
  if (changes.name !== undefined && changes.name !== name) {
    await requireResource(service.db, subject, orgId, {
      type: "runner_group",
      action: "update",
      resourceId: changes.name,
    });
    // A runner is known by the name of its group.
    const types = ["runner_group", "runner"] as const;
    const renamings = types.map((type) => ({ type, before: name, after: changes.name ?? name }));
    await requireNoGain(service.db, subject, orgId, renamings);
  }
  return uniqueRow(GroupNameTakenError, () =>
    unitOfWork(service, async (work) => {
      await lockSelectors(work.tx, orgId);
      const before = requireRow(await work.tx.select().from(runnerGroups).where(eq(runnerGroups.id, id)));
      const change = { orgId, groupId: id, before: before.labels, after: changes.labels ?? before.labels };
      const gained = await gainedSelectors(work.tx, change);
      if (!(await mayGain(work.tx, subject, "update", change, gained))) throw new NotFoundError();
      const rows = await work.tx
        .update(runnerGroups)
        .set({
          ...(changes.name === undefined ? {} : { name: changes.name }),
          ...(changes.labels === undefined ? {} : { labels: changes.labels }),
          ...(changes.max_concurrent_runs === undefined ? {} : { maxConcurrentRuns: changes.max_concurrent_runs }),
          ...(changes.max_drift_runs === undefined ? {} : { maxDriftRuns: changes.max_drift_runs }),
          updatedAt: sql`svc_now()`,
        })
        .where(eq(runnerGroups.id, id))
        .returning();
      const row = requireRow(rows);
      await rematch(work, orgId, id);
      const fields = ["name", "labels", "maxConcurrentRuns", "maxDriftRuns"];
      const changed = changedFields(before, row, fields);
      const details = changed && { ...changed, ...gainedDetails(gained) };
      if (details !== null) await audit(work.tx, subject, "runner_group.update", row, details);
      return row;
    }),
  );
}

/** Replace the key pair at once: what the old key signed stops verifying. @throws NotFoundError */
export async function rotateKey(service: Service, subject: Subject, groupId: string): Promise<KeyedGroup> {
  const key = generateGroupKeyPair();
  return unitOfWork(service, async ({ tx }) => {
    const rows = await tx
      .update(runnerGroups)
      .set({ publicKeyPem: key.publicKeyPem, publicKeyFingerprint: key.fingerprint, updatedAt: sql`svc_now()` })
      .where(eq(runnerGroups.id, groupId))
      .returning();
    const group = requireRow(rows);
    await audit(tx, subject, "runner_group.rotate_key", group, { public_key_fingerprint: key.fingerprint });
    return { group, privateKeyPem: key.privateKeyPem };
  });
}

/** Delete a group that holds no run. @throws GroupHoldsRunsError */
export async function deleteGroup(service: Service, subject: Subject, group: RunnerGroupRow): Promise<void> {
  const { id, orgId } = group;
  await unitOfWork(service, async (work) => {
    const { tx } = work;
    await lockSelectors(tx, orgId);
    // A claim holds this row while it hands out a run, so from here on the count below stays true.
    await tx.execute(sql`select 1 from dispatch_groups where group_id = ${id}::uuid for update`);
    const liveRuns = await tx.execute(sql`
      select 1 from runs where org_id = ${orgId}::uuid and assigned_group_id = ${id}::uuid
        and ${isInFlight(sql`status`)} limit 1`);
    if (liveRuns.length > 0) throw new GroupHoldsRunsError();
    await tx.delete(runnerGroups).where(eq(runnerGroups.id, id));
    await rematch(work, orgId, null);
    await audit(tx, subject, "runner_group.delete", group);
  });
}

async function audit(
  tx: Tx,
  actor: Subject,
  action: Extract<AuditAction, `runner_group.${string}`>,
  { id, orgId, name }: RunnerGroupRow,
  details: Record<string, unknown> = {},
): Promise<void> {
  await recordAudit(tx, { orgId, actor, action, resourceId: id, details: { name, ...details } });
}
