import { sql } from "drizzle-orm";
import { ForbiddenError } from "../authorization/authorize.ts";
import type { Tx } from "../db/client.ts";
import type { SessionHolder } from "../sessions/requireSession.ts";

/** First statement of what operators do; they stay super-admin until its end. @throws ForbiddenError unless the caller is an enabled super-admin */
export async function requireSuperAdmin(tx: Tx, { id }: SessionHolder): Promise<void> {
  const rows = await tx.execute(
    sql`select from users where id = ${id} and is_super_admin and disabled_at is null for share`,
  );
  if (rows.length === 0) throw new ForbiddenError("Only super-admins may do this.");
}
