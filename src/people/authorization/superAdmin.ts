import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import { ForbiddenError } from "./authorize.ts";
import type { SessionHolder } from "./requireSession.ts";

/**
 * First statement of what operators do; they stay super-admin until its end.
 * @throws ForbiddenError unless the caller is an enabled super-admin
 */
export async function requireSuperAdmin(tx: Tx, { id }: SessionHolder): Promise<void> {
  const rows = await tx.execute(
    sql`select from users where id = ${id} and is_super_admin and disabled_at is null for share`,
  );
  if (rows.length === 0) throw new ForbiddenError("Only super-admins may do this.");
}

/**
 * First statement of what a super-admin does with a person: both rows are held until the end, in the order of their
 * ids, so that two who act on each other never wait for each other. A sign-in and a token that is being minted hold the
 * person's row too.
 * @throws ForbiddenError unless the caller is an enabled super-admin, NotFoundError when there is no such person
 */
export async function holdAsSuperAdmin(tx: Tx, { id }: SessionHolder, userId: string): Promise<void> {
  const rows = await tx.execute<{ id: string; may: boolean }>(sql`
    select id, is_super_admin and disabled_at is null as may from users where id in (${id}, ${userId}) order by id for no key update
  `);
  if (!rows.some((row) => row.id === id && row.may)) throw new ForbiddenError("Only super-admins may do this.");
  if (!rows.some((row) => row.id === userId)) throw new NotFoundError();
}
