/**
 * What an `Idempotency-Key` counts for below a stack: the path with the stack's key in place of its id. The id changes
 * when the stack is renamed, and may be another stack's tomorrow (docs/rules/api.md#repeated-requests).
 */
import type { Context } from "hono";
import type { Principal } from "../../http/principal.ts";
import { type IdempotencyScope, idempotencyScope } from "../../work/idempotency/keys.ts";

/** @throws 422 for a key that is not usable */
export function stackScope(
  c: Context,
  principal: Principal,
  stackKey: string,
  body: unknown,
  dependentKey?: string,
): IdempotencyScope | null {
  const own = c.req.path.replace(/\/stacks\/[^/]+/, `/stacks/${stackKey}`);
  const path = dependentKey === undefined ? own : own.replace(/\/dependents\/[^/]+/, `/dependents/${dependentKey}`);
  return idempotencyScope(principal.id, c.req.method, path, c.req.header("idempotency-key"), body);
}
