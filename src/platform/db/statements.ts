/**
 * Counts the SQL statements a piece of work sends, so that a test can hold a route to its number
 * (docs/rules/limits.md#statements-of-a-request).
 */
import { AsyncLocalStorage } from "node:async_hooks";

const counting = new AsyncLocalStorage<string[]>();

/** Run `work` and return its result with the text of every statement it sent (BEGIN, COMMIT and savepoints aside). */
export async function countStatements<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[] }> {
  const statements: string[] = [];
  const result = await counting.run(statements, work);
  return { result, statements };
}

export function countStatement(text: string): void {
  counting.getStore()?.push(text);
}
