/** Creating, reading and changing organizations (docs/rules/organizations.md#organizations). */
import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Principal, Subject } from "../../http/principal.ts";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import { sqlState } from "../../platform/db/sqlState.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork, type Work } from "../../work/unitOfWork.ts";
import { changedFields } from "../audit/changedFields.ts";
import { recordAudit } from "../audit/record.ts";
import { ForbiddenError, requireOrg } from "../authorization/authorize.ts";
import { lockSeats } from "../authorization/membership.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { memberships } from "../members/schema.ts";
import { roleAssignments, roles } from "../roles/schema.ts";
import { type OrgView, orgAnswer } from "./answer.ts";
import { dispatchOrgs, organizations } from "./schema.ts";

/** Stored on a new organization and never backfilled. */
export type OrgDefaults = { maxUsers: number; runsPerHour: number };

export type OrgChanges = {
  name?: string | undefined;
  default_runner_group_id?: string | null | undefined;
  max_users?: number | undefined;
  runs_per_hour_limit?: number | undefined;
  login_handle?: string | null | undefined;
};

/** What a change of the default runner group means to runs; whoever mounts the routes hands it in. */
export type DefaultGroup = {
  /** Taken before the organization's row. */
  lock(tx: Tx, orgId: string): Promise<void>;
  /** @throws InvalidValueError for a group of another organization */
  assertOwn(tx: Tx, orgId: string, groupId: string): Promise<void>;
  /** The row says the new one; null for none. */
  changed(work: Work, orgId: string, groupId: string | null): Promise<void>;
};

class HandleTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "Another organization has this login handle." });
  }
}

/**
 * Any person may create one and becomes its Admin; not by a personal token, which reaches no other organization than
 * its own.
 * @throws ForbiddenError for a service account, SessionRequiredError, QuotaReachedError
 */
export async function createOrg(
  service: Service,
  subject: Principal,
  name: string,
  defaults: OrgDefaults,
): Promise<OrgView> {
  if (subject.kind !== "user") throw new ForbiddenError("Only people can create organizations.");
  requireSession(subject);
  return unitOfWork(service, async ({ tx, additions }) => {
    const org = await insertOrg(tx, name, defaults, subject.id);
    additions.push({ quota: "organizations", owner: subject.id });
    await tx.insert(memberships).values({ orgId: org.id, userId: subject.id });
    const roleId = await systemRoleId(tx, "admin");
    await tx.insert(roleAssignments).values({ orgId: org.id, roleId, userId: subject.id });
    const entry = { orgId: org.id, actor: subject, action: "organization.create", resourceId: org.id } as const;
    await recordAudit(tx, { ...entry, details: { name } });
    return org;
  });
}

/** The rows every organization has, for callers that decide who may. */
export async function insertOrg(
  tx: Tx,
  name: string,
  { maxUsers, runsPerHour }: OrgDefaults,
  createdBy: string | null = null,
): Promise<OrgView> {
  const values = { name, maxUsers, runsPerHourLimit: runsPerHour, createdBy };
  const [org] = await tx.insert(organizations).values(values).returning();
  return { ...org!, throttledUntil: null };
}

export async function systemRoleId(db: Queryable, name: string): Promise<string> {
  const [role] = await db
    .select({ id: roles.id })
    .from(roles)
    .where(and(isNull(roles.orgId), eq(roles.name, name)));
  if (role === undefined) throw new Error(`the system role ${name} is missing`);
  return role.id;
}

/** Needs (org, read). @throws ForbiddenError; NotFoundError for a super-admin who asks for one that is not there */
export async function readOrg(db: Queryable, subject: Subject, orgId: string): Promise<OrgView> {
  await requireOrg(db, subject, orgId, { type: "org", action: "read" });
  return loadOrg(db, orgId);
}

async function loadOrg(db: Queryable, orgId: string): Promise<OrgView> {
  const rows = await db
    .select({ ...getTableColumns(organizations), throttledUntil: dispatchOrgs.throttledUntil })
    .from(organizations)
    .leftJoin(dispatchOrgs, eq(dispatchOrgs.orgId, organizations.id))
    .where(eq(organizations.id, orgId));
  return requireRow(rows);
}

/**
 * Needs (org, update); the seat cap and the run budget are for super-admins alone. Lowering the cap evicts no one.
 * @throws ForbiddenError, NotFoundError, InvalidValueError for a group of another organization, HandleTakenError
 */
export async function updateOrg(
  service: Service,
  defaultGroup: DefaultGroup,
  subject: Subject,
  orgId: string,
  changes: OrgChanges,
): Promise<OrgView> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, { type: "org", action: "update" });
  if (!superAdmin && (changes.max_users !== undefined || changes.runs_per_hour_limit !== undefined)) {
    throw new ForbiddenError("Only super-admins set max_users and runs_per_hour_limit.");
  }
  try {
    return await unitOfWork(service, (work) => writeChanges(work, defaultGroup, subject, orgId, changes));
  } catch (error) {
    if (sqlState(error) === "23505") throw new HandleTakenError();
    throw error;
  }
}

async function writeChanges(
  work: Work,
  defaultGroup: DefaultGroup,
  subject: Subject,
  orgId: string,
  changes: OrgChanges,
): Promise<OrgView> {
  const { tx } = work;
  const { default_runner_group_id: group, login_handle: handle } = changes;
  if (group !== undefined) await defaultGroup.lock(tx, orgId);
  await lockSeats(tx, [orgId]);
  const before = await loadOrg(tx, orgId);
  if (typeof group === "string") await defaultGroup.assertOwn(tx, orgId, group);
  await tx.execute(sql`
    update organizations set
      name = coalesce(${changes.name ?? null}, name),
      max_users = coalesce(${changes.max_users ?? null}::int, max_users),
      runs_per_hour_limit = coalesce(${changes.runs_per_hour_limit ?? null}::int, runs_per_hour_limit),
      login_handle = ${handle === undefined ? sql`login_handle` : sql`${handle}`},
      default_runner_group_id = ${group === undefined ? sql`default_runner_group_id` : sql`${group}::uuid`}
    where id = ${orgId}`);
  if (group !== undefined) await defaultGroup.changed(work, orgId, group);
  const after = await loadOrg(tx, orgId);
  const details = changedFields(orgAnswer(before), orgAnswer(after), Object.keys(changes));
  if (details !== null) {
    await recordAudit(tx, { orgId, actor: subject, action: "organization.update", resourceId: orgId, details });
  }
  return after;
}
