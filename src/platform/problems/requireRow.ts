/**
 * Rows that a path names. What is malformed, missing or another organization's is refused alike
 * (docs/rules/permissions.md#the-uniform-404).
 */
import { isUuid } from "../ids/uuid.ts";
import { NotFoundError } from "./problem.ts";

/**
 * Before a statement with these ids, which Postgres would answer with an error.
 * @throws NotFoundError unless all can be ids of rows
 */
export function requireUuids(...ids: readonly string[]): void {
  if (!ids.every(isUuid)) throw new NotFoundError();
}

/** The row that a statement read or wrote. @throws NotFoundError when there was none */
export function requireRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new NotFoundError();
  return row;
}
