/**
 * `Idempotency-Key`: the same key and body give the same answer for 24 h; another body is refused
 * (docs/rules/api.md#repeated-requests).
 */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Queryable, Tx } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import type { idempotencyKeys } from "./schema.ts";

/** A key with the principal, method and full path it counts for, and the hash of the body it came with. */
export type IdempotencyScope = { principalId: string; method: string; path: string; key: string; bodySha256: string };

export type StoredUse = SqlRow<typeof idempotencyKeys, "decision_id" | "answer">;
type Stored = StoredUse & SqlRow<typeof idempotencyKeys, "body_sha256">;

class IdempotencyKeyReusedError extends ProblemError {
  constructor() {
    super({
      status: 422,
      code: "idempotency_key_reused",
      detail: "This Idempotency-Key was used with another body; use a new key for a new request.",
    });
  }
}

/**
 * @returns the scope of a request, or null when it carries no key. @throws 422 for a key longer than 255 characters.
 */
export function idempotencyScope(
  principalId: string,
  method: string,
  path: string,
  key: string | undefined,
  body: unknown,
): IdempotencyScope | null {
  if (key === undefined) return null;
  if (key.length < 1 || key.length > 255) {
    const errors = [{ field: "Idempotency-Key", message: "must have 1 to 255 characters" }];
    throw new ProblemError({
      status: 422,
      code: "invalid_value",
      detail: "The Idempotency-Key is not usable.",
      errors,
    });
  }
  const bodySha256 = createHash("sha256")
    .update(JSON.stringify(body ?? null))
    .digest("hex");
  return { principalId, method, path, key, bodySha256 };
}

/** What an earlier request with this key led to, or null. Takes no lock. @throws IdempotencyKeyReusedError */
export async function findUse(db: Queryable, scope: IdempotencyScope): Promise<StoredUse | null> {
  const [row] = await db.execute<Stored>(sql`
    select decision_id, answer, body_sha256 from idempotency_keys where ${matches(scope)}`);
  return row ? sameBody(row, scope) : null;
}

/**
 * Take the key for this transaction: a second request with it waits here until the first has committed.
 * @returns what the first led to, or null when this is the first. @throws IdempotencyKeyReusedError
 */
export async function takeKey(tx: Tx, scope: IdempotencyScope): Promise<StoredUse | null> {
  const inserted = await tx.execute(sql`
    insert into idempotency_keys (principal_id, method, path, key, body_sha256)
    values (${scope.principalId}, ${scope.method}, ${scope.path}, ${scope.key}, ${scope.bodySha256})
    on conflict do nothing returning 1`);
  if (inserted.length > 0) return null;
  const [row] = await tx.execute<Stored>(sql`
    select decision_id, answer, body_sha256 from idempotency_keys where ${matches(scope)} for update`);
  // Housekeeping removed it between the two statements: the request is as good as new.
  if (!row) return takeKey(tx, scope);
  return sameBody(row, scope);
}

/** Remember what the key led to: an answer, or the decision that will have one. */
export async function storeUse(
  tx: Tx,
  scope: IdempotencyScope,
  use: { decisionId?: string; answer?: unknown },
): Promise<void> {
  await tx.execute(sql`
    update idempotency_keys set decision_id = ${use.decisionId ?? null}::uuid,
      answer = ${use.answer === undefined ? null : JSON.stringify(use.answer)}::jsonb
    where ${matches(scope)}`);
}

function matches(scope: IdempotencyScope) {
  return sql`scope_sha256 = sha256_of(${scope.principalId}, ${scope.method}, ${scope.path}, ${scope.key})`;
}

function sameBody(row: StoredUse & { body_sha256: string }, scope: IdempotencyScope): StoredUse {
  if (row.body_sha256 !== scope.bodySha256) throw new IdempotencyKeyReusedError();
  return { decision_id: row.decision_id, answer: row.answer };
}
