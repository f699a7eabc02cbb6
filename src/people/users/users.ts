/** Reading people across all organizations, for super-admins (docs/access.md#who-there-is). */
import { type SQL, sql } from "drizzle-orm";
import * as v from "valibot";
import { type ListQuery, type ListRules, listFields, listPage } from "../../http/listQuery.ts";
import type { Db } from "../../platform/db/client.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { inTransaction } from "../../work/unitOfWork.ts";
import type { SessionHolder } from "../authorization/requireSession.ts";
import { requireSuperAdmin } from "../authorization/superAdmin.ts";
import type { User, UserDetail } from "./answer.ts";

/** Byte order, so that the index serves the order and every prefix, whatever language the database speaks. */
const LOGIN = sql`lower(u.login) collate "C"`;

const USER_LIST = {
  fields: {
    created_at: { value: sql`u.created_at`, type: "timestamptz" },
    login: { value: LOGIN, type: "text" },
  },
  byDefault: "created_at",
  id: sql`u.id`,
  idType: "text",
} as const satisfies ListRules<string>;

const flag = v.optional(v.picklist(["true", "false"]));

export const UserQuery = v.strictObject({
  ...listFields(Object.keys(USER_LIST.fields)),
  login_prefix: v.optional(
    v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(320),
      v.metadata({ description: "How the login begins, in either case; at the workspace it is the e-mail address" }),
    ),
  ),
  disabled: flag,
  is_super_admin: flag,
});
export type UserFilter = Omit<v.InferOutput<typeof UserQuery>, keyof ListQuery>;

const COLUMNS = sql`u.id, u.login, u.display_name, u.provider_key, u.is_super_admin, u.disabled_at, u.created_at,
  (select max(i.last_login_at) from user_identities i where i.user_id = u.id) as last_login_at`;

function answer<Row extends User>(row: Row): Row {
  return {
    ...row,
    disabled_at: rfc3339(row.disabled_at),
    last_login_at: rfc3339(row.last_login_at),
    created_at: rfc3339(row.created_at),
  };
}

/** Everybody who has ever signed in. @throws ForbiddenError unless the caller is a super-admin, InvalidValueError */
export async function listUsers(
  db: Db,
  caller: SessionHolder,
  { limit, cursor, sort, order, ...filter }: ListQuery & UserFilter,
): Promise<{ items: User[]; next_cursor: string | null }> {
  return inTransaction(db, async (tx) => {
    await requireSuperAdmin(tx, caller);
    const list = listPage({ limit, cursor, sort, order }, USER_LIST);
    const rows = await tx.execute<User & { sort_value: string }>(sql`
      select ${COLUMNS}, ${list.sortValue} from users u where ${matching(filter)} and ${list.after}
      order by ${list.orderBy} limit ${list.limit}`);
    const { items, next_cursor } = list.cut(rows, (row) => row.id);
    return { items: items.map(({ sort_value, ...row }) => answer(row)), next_cursor };
  });
}

/** Over `users u`. A range instead of LIKE: a parameter of that could not use the index. */
function matching({ login_prefix, disabled, is_super_admin }: UserFilter): SQL {
  const conditions = [
    sql`true`,
    ...(login_prefix === undefined
      ? []
      : [sql`${LOGIN} >= lower(${login_prefix}) and ${LOGIN} < lower(${login_prefix}) || chr(1114111)`]),
    ...(disabled === undefined
      ? []
      : [disabled === "true" ? sql`u.disabled_at is not null` : sql`u.disabled_at is null`]),
    ...(is_super_admin === undefined
      ? []
      : [is_super_admin === "true" ? sql`u.is_super_admin` : sql`not u.is_super_admin`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** One person, with how they can sign in and how much they hold. @throws ForbiddenError, NotFoundError */
export async function getUser(db: Db, caller: SessionHolder, userId: string): Promise<UserDetail> {
  return inTransaction(db, async (tx) => {
    await requireSuperAdmin(tx, caller);
    const rows = await tx.execute<UserDetail>(sql`
      select ${COLUMNS}, (
          select coalesce(jsonb_agg(jsonb_build_object('id', i.id, 'provider_key', i.provider_key, 'issuer', i.issuer,
            'subject', i.subject, 'login', i.login, 'last_login_at', i.last_login_at::text, 'created_at', i.created_at::text)
            order by i.created_at, i.id), '[]') from user_identities i where i.user_id = u.id) as identities,
        (select count(*)::int from sessions s where s.user_id = u.id and s.expires_at > svc_now()) as sessions,
        (select count(*)::int from personal_access_tokens t where t.user_id = u.id and t.expires_at > svc_now()) as personal_tokens,
        (select count(*)::int from service_account_tokens t where t.created_by = u.id and t.expires_at > svc_now()) as minted_tokens
      from users u where u.id = ${userId}`);
    const row = requireRow(rows);
    const identities = row.identities.map((identity) => ({
      ...identity,
      last_login_at: rfc3339(identity.last_login_at),
      created_at: rfc3339(identity.created_at),
    }));
    return { ...answer(row), identities };
  });
}
