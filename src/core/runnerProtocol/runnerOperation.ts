/** What the document says alike of every route of the runner protocol. */
import type { MiddlewareHandler } from "hono";
import { type AnyOperation, described } from "../../http/operation.ts";

type ProtocolOperation = Omit<AnyOperation, "tag" | "caller">;

/** A route that an ephemeral runner calls with its own token; 403 when the token is of another runner or run. */
export function ofRunner(operation: ProtocolOperation): MiddlewareHandler {
  return described({ ...operation, ...PROTOCOL, caller: "runner", problems: [403, ...problemsOf(operation)] });
}

/** A route that a coordinator calls with its group's token. */
export function ofGroup(operation: ProtocolOperation): MiddlewareHandler {
  return described({ ...operation, ...PROTOCOL, caller: "group", problems: problemsOf(operation) });
}

const PROTOCOL = { tag: "runner protocol" } as const;

/** 503 everywhere: a runner must know that it may try again. A body that its schema refuses is 400 here, not 422. */
function problemsOf({ body, rawBody, problems = [] }: ProtocolOperation): number[] {
  const ofBody = body === undefined && rawBody === undefined ? [] : [400, 413, 415];
  return [401, 503, ...ofBody, ...problems];
}
