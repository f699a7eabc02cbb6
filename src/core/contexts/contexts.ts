/**
 * Contexts: variables for the runs of the stacks that a selector matches
 * (docs/access.md#contexts-and-protected-labels). A family without single grants.
 */
import { and, eq, sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Db, Queryable, Tx } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { keyChecks } from "../labels/protectedKeys.ts";
import type { Context } from "./answer.ts";
import { contextChanges, contextDetails } from "./auditDetails.ts";
import { contexts, contextVariables } from "./schema.ts";
import { keepSecrets, type StoredVariable, sealVariables, type VariableInput } from "./variables.ts";

class ContextNameTakenError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "There is already a context of that name." });
  }
}

export type ContextInput = { name: string; selector: Record<string, string>; variables: VariableInput[] };
export type ContextDeps = { service: Service; keyring: Keyring };

const COLUMNS = sql`c.id, c.org_id, c.name, c.selector, c.created_at, c.updated_at, (
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', v.name, 'secret', v.secret, 'value', v.value))
    order by v.name collate "C"), '[]')
  from context_variables v where v.context_id = c.id) as variables`;

function answer({ id, org_id, name, selector, variables, created_at, updated_at }: Context): Context {
  const times = { created_at: rfc3339(created_at), updated_at: rfc3339(updated_at) };
  return { id, org_id, name, selector, variables, ...times };
}

export const CONTEXT_LIST = {
  fields: {
    name: { value: sql`c.name`, type: "text" },
    created_at: { value: sql`c.created_at`, type: "timestamptz" },
  },
  byDefault: "name",
  id: sql`c.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (context, read). @throws ForbiddenError, InvalidValueError */
export async function listContexts(
  db: Db,
  subject: Subject,
  orgId: string,
  query: ListQuery,
): Promise<{ items: Context[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, { type: "context", action: "read" });
  const list = listPage(query, CONTEXT_LIST);
  const rows = await db.execute<Context & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from contexts c where c.org_id = ${orgId} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(answer), next_cursor };
}

/** Needs (context, read). @throws ForbiddenError, NotFoundError */
export async function readContext(db: Db, subject: Subject, orgId: string, contextId: string): Promise<Context> {
  await requireOrg(db, subject, orgId, { type: "context", action: "read" });
  return load(db, orgId, contextId);
}

async function load(db: Queryable, orgId: string, contextId: string): Promise<Context> {
  requireUuids(contextId);
  const rows = await db.execute<Context>(sql`
    select ${COLUMNS} from contexts c where c.id = ${contextId} and c.org_id = ${orgId}`);
  return answer(requireRow(rows));
}

/**
 * Needs (context, create), and (label, update) on every key of the selector.
 * @throws ForbiddenError, InvalidValueError, ContextNameTakenError, NotFoundError when a super-admin names no
 * organization
 */
export async function createContext(
  { service, keyring }: ContextDeps,
  subject: Subject,
  orgId: string,
  { name, selector, variables }: ContextInput,
): Promise<Context> {
  const checks = keyChecks(Object.keys(selector));
  await requireOrg(service.db, subject, orgId, { type: "context", action: "create" }, ...checks);
  requireUuids(orgId);
  const id = uuidv7();
  const sealed = keepSecrets(await sealVariables(keyring, id, variables), []);
  return uniqueRow(ContextNameTakenError, () =>
    unitOfWork(service, async ({ tx }) => {
      await tx.insert(contexts).values({ id, orgId, name, selector });
      await writeVariables(tx, id, sealed);
      const context = await load(tx, orgId, id);
      const details = contextDetails(context);
      await recordAudit(tx, { orgId, actor: subject, action: "context.create", resourceId: id, details });
      return context;
    }),
  );
}

/**
 * Replace a context; a secret without a value stays what it is. Needs (context, update), (context, read), since it goes
 * on using what is there, and (label, update) on every key of the selector as it was and as it will be: without the key
 * that kept its secrets from other stacks, they would reach all of them.
 * @throws ForbiddenError, NotFoundError, InvalidValueError, ContextNameTakenError
 */
export async function updateContext(
  { service, keyring }: ContextDeps,
  subject: Subject,
  orgId: string,
  contextId: string,
  { name, selector, variables }: ContextInput,
): Promise<Context> {
  const family = (["update", "read"] as const).map((action) => ({ type: "context", action }) as const);
  await requireOrg(service.db, subject, orgId, ...family, ...keyChecks(Object.keys(selector)));
  requireUuids(orgId, contextId);
  const one = and(eq(contexts.id, contextId), eq(contexts.orgId, orgId));
  const sealed = await sealVariables(keyring, contextId, variables);
  return uniqueRow(ContextNameTakenError, () =>
    unitOfWork(service, async ({ tx }) => {
      requireRow(await tx.select({ id: contexts.id }).from(contexts).where(one).for("no key update"));
      const before = await load(tx, orgId, contextId);
      await requireOrg(tx, subject, orgId, ...keyChecks(Object.keys(before.selector)));
      const stored = (await tx
        .select()
        .from(contextVariables)
        .where(eq(contextVariables.contextId, contextId))) as unknown as StoredVariable[];
      const after = keepSecrets(sealed, stored);
      const changes = contextChanges(before, { name, selector }, stored, after);
      if (changes === null) return before;
      await tx.update(contexts).set({ name, selector, updatedAt: sql`svc_now()` }).where(one);
      await tx.delete(contextVariables).where(eq(contextVariables.contextId, contextId));
      await writeVariables(tx, contextId, after);
      await recordAudit(tx, {
        orgId,
        actor: subject,
        action: "context.update",
        resourceId: contextId,
        details: changes,
      });
      return load(tx, orgId, contextId);
    }),
  );
}

/** Runs that were accepted keep what they got. Needs (context, delete). @throws ForbiddenError, NotFoundError */
export async function deleteContext(
  service: Service,
  subject: Subject,
  orgId: string,
  contextId: string,
): Promise<void> {
  await requireOrg(service.db, subject, orgId, { type: "context", action: "delete" });
  await unitOfWork(service, async ({ tx }) => {
    const context = await load(tx, orgId, contextId);
    const one = and(eq(contexts.id, contextId), eq(contexts.orgId, orgId));
    requireRow(await tx.delete(contexts).where(one).returning({ id: contexts.id }));
    const details = contextDetails(context);
    await recordAudit(tx, { orgId, actor: subject, action: "context.delete", resourceId: contextId, details });
  });
}

async function writeVariables(tx: Tx, contextId: string, variables: readonly StoredVariable[]): Promise<void> {
  if (variables.length === 0) return;
  const rows = variables.map(({ name, secret, value, sealed }) => ({ contextId, name, secret, value, sealed }));
  await tx.insert(contextVariables).values(rows);
}
