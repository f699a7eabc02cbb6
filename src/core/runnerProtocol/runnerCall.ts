/** The common part of every call with a runner's token: verify it, run the route's first statement, compare the ids. */
import { type SQL, sql } from "drizzle-orm";
import type { Context } from "hono";
import { ProblemError } from "../../platform/problems/problem.ts";
import {
  admit,
  assertOfRun,
  type Relation,
  type RunnerRow,
  runnerCaller,
  type Signed,
} from "../runnerIdentity/admission.ts";
import { ForeignRunError, RunnerConflictError } from "../runnerIdentity/errors.ts";
import type { Claims } from "../runnerIdentity/jwt.ts";
import { isRunTerminal } from "../runs/lifecycle.ts";
import { bearerOf } from "./bearer.ts";
import type { RunnerDeps } from "./deps.ts";

type RunnerClaims = Extract<Claims, { token_type: "runner" }>;

/**
 * `caller` is the CTE every statement here begins with; `rest` adds to the `with` list and ends with a select from it.
 */
export type Statement = (claims: RunnerClaims) => SQL | Promise<SQL>;

/** Only look. */
const LOOK: Statement = () => sql`select * from caller`;

/**
 * A conflict of any route but accept, whose refusals are its own (docs/rules/runner-protocol.md#refusals-of-accept).
 * Once the run is over it has that code whatever else is wrong: there is nothing left to do for its runner.
 */
export function overOr({ run_status }: Pick<RunnerRow, "run_status">, why: string): RunnerConflictError {
  if (isRunTerminal(run_status)) return new RunnerConflictError(`The run is ${run_status}.`, "run_already_terminal");
  return new RunnerConflictError(why);
}

/**
 * Admit a runner's call. `path` is the id in the path, which must be the signed one before `statement` may have an
 * effect.
 * @param relations those the route serves; a stub of an older claim gets 409, anyone else 403
 */
export async function runnerCall<R extends RunnerRow = RunnerRow>(
  deps: RunnerDeps,
  c: Context,
  path: { runner_id: string } | { run_id: string },
  relations: readonly Relation[],
  statement: Statement = LOOK,
): Promise<R & { runner_id: string; run_id: string }> {
  const isSigned = (claims: RunnerClaims) =>
    "run_id" in path ? path.run_id === claims.run_id : path.runner_id === claims.runner_id;
  // A body that makes no sense is said only to a caller who may call.
  let refusal: ProblemError | undefined;
  const { signed, row } = await admit(deps.keys, "runner", bearerOf(deps, c), async (s: Signed<RunnerClaims>) => {
    const chosen = isSigned(s.claims) ? statement : LOOK;
    const rest = await Promise.resolve(chosen(s.claims)).catch((error) => {
      if (!(error instanceof ProblemError)) throw error;
      refusal = error;
      return LOOK(s.claims);
    });
    const rows = await deps.service.db.execute(sql`with caller as (${runnerCaller(s, deps.graceMs)}) ${rest}`);
    return rows[0] as R | undefined;
  });
  if (!isSigned(signed.claims)) throw new ForeignRunError();
  assertOfRun(row);
  if (!relations.includes(row.relation)) {
    if (row.relation === "unknown") throw new ForeignRunError();
    throw overOr(row, "The run is not assigned to this runner any more.");
  }
  if (refusal !== undefined) throw refusal;
  return { ...row, runner_id: signed.claims.runner_id, run_id: signed.claims.run_id };
}
