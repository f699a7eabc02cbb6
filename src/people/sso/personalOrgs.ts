import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";

class PersonalOrgError extends ProblemError {
  constructor() {
    super({ status: 409, code: "conflict", detail: "A personal organization admits nobody by a rule." });
  }
}

/** @throws PersonalOrgError */
export async function assertShared(db: Queryable, orgId: string): Promise<void> {
  const personal = await db.execute(sql`select from organizations where id = ${orgId}::uuid and is_personal`);
  if (personal.length > 0) throw new PersonalOrgError();
}
