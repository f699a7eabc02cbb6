/** Writes of things that bear a name of their own in their organization. */
import { sqlState } from "../db/sqlState.ts";
import { NotFoundError, type ProblemError } from "./problem.ts";

/** @throws what `taken` makes, when another has the name; NotFoundError */
export async function uniqueName<T>(taken: new () => ProblemError, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (sqlState(error) === "23505") throw new taken();
    // Only a super-admin passes the check for an organization that does not exist.
    if (sqlState(error) === "23503") throw new NotFoundError();
    throw error;
  }
}
