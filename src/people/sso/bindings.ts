/**
 * What the groups of an identity source confer: 1 to 5 roles a group, within what the writer holds
 * (docs/access.md#bindings).
 */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { type ListQuery, type ListRules, listPage } from "../../http/listQuery.ts";
import type { Subject } from "../../http/principal.ts";
import { hasControlCharacters } from "../../http/textFields.ts";
import type { Db, Queryable, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { requireRow, requireUuids } from "../../platform/problems/requireRow.ts";
import { uniqueRow } from "../../platform/problems/uniqueRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { changedFields } from "../audit/changedFields.ts";
import { recordAudit } from "../audit/record.ts";
import { requireOrg } from "../authorization/authorize.ts";
import { ROLES_PER_BINDING } from "../authorization/grants.ts";
import { RoleName } from "../roles/answer.ts";
import { assertCovers } from "../roles/coverage.ts";
import { keepingAnAdmin } from "../roles/lastAdmin.ts";
import type { ProviderKey } from "./provider.ts";
import type { groupRoleBindings, identitySources } from "./schema.ts";

/** Body of POST and PUT. */
export const BindingBody = v.strictObject({
  group_key: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(500),
    v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
  ),
  role_ids: v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.minLength(1), v.maxLength(ROLES_PER_BINDING)),
});
type BindingInput = v.InferOutput<typeof BindingBody>;

export const Binding = v.pipe(
  v.object({ id: Id, group_key: v.string(), roles: v.array(RoleName), created_at: Time }),
  v.metadata({ ref: "GroupRoleBinding" }),
);
export const BindingPage = v.pipe(pageOf(Binding), v.metadata({ ref: "GroupRoleBindingPage" }));
type Binding = v.InferInput<typeof Binding>;

class GroupBoundError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "This group of this source has a binding already; change that." });
  }
}

const MANAGE = { type: "identity_source", action: "manage" } as const;

const COLUMNS = sql`b.id, b.group_key, b.created_at, (
  select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name, 'is_system', r.is_system) order by r.id), '[]')
  from group_role_binding_roles br join roles r on r.id = br.role_id where br.binding_id = b.id) as roles`;

function answer(row: Binding): Binding {
  return { ...row, created_at: rfc3339(row.created_at) };
}

export const BINDING_LIST = {
  fields: {
    group_key: { value: sql`b.group_key`, type: "text" },
    created_at: { value: sql`b.created_at`, type: "timestamptz" },
  },
  byDefault: "group_key",
  id: sql`b.id`,
  idType: "uuid",
} as const satisfies ListRules<string>;

/** Needs (identity_source, manage), as every call here. @throws ForbiddenError, NotFoundError, InvalidValueError */
export async function listBindings(
  db: Db,
  subject: Subject,
  orgId: string,
  sourceId: string,
  query: ListQuery,
): Promise<{ items: Binding[]; next_cursor: string | null }> {
  await requireOrg(db, subject, orgId, MANAGE);
  const list = listPage(query, BINDING_LIST);
  await assertSourceOf(db, orgId, sourceId);
  const rows = await db.execute<Binding & { sort_value: string }>(sql`
    select ${COLUMNS}, ${list.sortValue} from group_role_bindings b
    where b.identity_source_id = ${sourceId} and ${list.after}
    order by ${list.orderBy} limit ${list.limit}`);
  const { items, next_cursor } = list.cut(rows, (row) => row.id);
  return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
}

/** @throws ForbiddenError, NotFoundError */
export async function readBinding(
  db: Db,
  subject: Subject,
  orgId: string,
  sourceId: string,
  bindingId: string,
): Promise<Binding> {
  await requireOrg(db, subject, orgId, MANAGE);
  return load(db, orgId, sourceId, bindingId);
}

/**
 * Bind a group. It takes effect for people at their next sign-in: groups that nothing binds are not kept.
 * @throws ForbiddenError, NotFoundError, InvalidValueError for a role that is not the organization's, GroupBoundError
 */
export async function createBinding(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  { group_key, role_ids }: BindingInput,
): Promise<Binding> {
  await requireOrg(service.db, subject, orgId, MANAGE);
  return uniqueRow(GroupBoundError, () =>
    unitOfWork(service, async ({ tx }) => {
      await holdSourceOf(tx, orgId, sourceId);
      await assertCovers(tx, subject, orgId, role_ids, "role_ids");
      const [row] = await tx.execute<SqlRow<typeof groupRoleBindings, "id">>(sql`
        insert into group_role_bindings (identity_source_id, group_key) values (${sourceId}, ${group_key}) returning id`);
      await attach(tx, row!.id, role_ids);
      const binding = await load(tx, orgId, sourceId, row!.id);
      await recordAudit(tx, { ...audited(orgId, subject, sourceId, binding), action: "group_binding.create" });
      return binding;
    }),
  );
}

/** Replace a binding's group and roles; what it confers afterwards must all be covered. @throws as `createBinding`, LastAdminError */
export async function replaceBinding(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  bindingId: string,
  { group_key, role_ids }: BindingInput,
): Promise<Binding> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, MANAGE);
  return uniqueRow(GroupBoundError, () =>
    unitOfWork(service, ({ tx }) =>
      keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
        const before = await load(tx, orgId, sourceId, bindingId);
        await assertCovers(tx, subject, orgId, role_ids, "role_ids");
        await tx.execute(sql`update group_role_bindings set group_key = ${group_key} where id = ${bindingId}`);
        await tx.execute(sql`delete from group_role_binding_roles where binding_id = ${bindingId}`);
        await attach(tx, bindingId, role_ids);
        const binding = await load(tx, orgId, sourceId, bindingId);
        const entry = audited(orgId, subject, sourceId, binding);
        const changed = changedFields(detailsOf(sourceId, before), entry.details, ["group_key", "roles"]);
        const details = { ...entry.details, ...changed };
        await recordAudit(tx, { ...entry, details, action: "group_binding.update" });
        return binding;
      }),
    ),
  );
}

/** Its grants end at once. @throws ForbiddenError, NotFoundError, LastAdminError */
export async function deleteBinding(
  service: Service,
  subject: Subject,
  orgId: string,
  sourceId: string,
  bindingId: string,
): Promise<void> {
  const { superAdmin } = await requireOrg(service.db, subject, orgId, MANAGE);
  await unitOfWork(service, ({ tx }) =>
    keepingAnAdmin(tx, { orgId, superAdmin }, async () => {
      const binding = await load(tx, orgId, sourceId, bindingId);
      await tx.execute(sql`delete from group_role_bindings where id = ${bindingId}`);
      await recordAudit(tx, { ...audited(orgId, subject, sourceId, binding), action: "group_binding.delete" });
    }),
  );
}

async function attach(tx: Queryable, bindingId: string, roleIds: readonly string[]): Promise<void> {
  await tx.execute(sql`
    insert into group_role_binding_roles (binding_id, role_id)
    select ${bindingId}, role_id from unnest(${sql.param([...new Set(roleIds)])}::uuid[]) role_id`);
}

async function load(db: Queryable, orgId: string, sourceId: string, bindingId: string): Promise<Binding> {
  requireUuids(sourceId, bindingId);
  const rows = await db.execute<Binding>(sql`
    select ${COLUMNS} from group_role_bindings b join identity_sources s on s.id = b.identity_source_id
    where b.id = ${bindingId} and s.id = ${sourceId} and s.org_id = ${orgId}`);
  return answer(requireRow(rows));
}

/** The provider of a source of this organization. @throws NotFoundError */
export function assertSourceOf(db: Queryable, orgId: string, sourceId: string): Promise<ProviderKey> {
  return sourceOf(db, orgId, sourceId, sql``);
}

/** The same for a write below it, which nobody who deletes the source at this moment overtakes. */
export function holdSourceOf(tx: Tx, orgId: string, sourceId: string): Promise<ProviderKey> {
  return sourceOf(tx, orgId, sourceId, sql`for key share`);
}

async function sourceOf(db: Queryable, orgId: string, sourceId: string, lock: SQL): Promise<ProviderKey> {
  requireUuids(sourceId);
  const rows = await db.execute<SqlRow<typeof identitySources, "provider_key">>(
    sql`select provider_key from identity_sources where id = ${sourceId} and org_id = ${orgId} ${lock}`,
  );
  return requireRow(rows).provider_key;
}

function audited(orgId: string, actor: Subject, sourceId: string, binding: Binding) {
  return { orgId, actor, resourceId: binding.id, details: detailsOf(sourceId, binding) };
}

function detailsOf(sourceId: string, { group_key, roles }: Binding) {
  return { identity_source_id: sourceId, group_key, roles: roles.map((role) => role.id) };
}
