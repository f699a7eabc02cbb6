/** Writes of a row that its organization, or what it belongs to, may have once. */
import { sqlState } from "../db/sqlState.ts";
import { NotFoundError, type ProblemError } from "./problem.ts";

/** @throws what `taken` makes, when there is such a row; NotFoundError, when what it belongs to is not there */
export async function uniqueRow<T>(taken: new () => ProblemError, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (sqlState(error) === "23505") throw new taken();
    // Deleted at this moment; or an organization that never was, for which only a super-admin passes the check.
    if (sqlState(error) === "23503") throw new NotFoundError();
    throw error;
  }
}
