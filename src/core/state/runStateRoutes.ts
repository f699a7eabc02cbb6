/**
 * The state of a run's stack, for the engine of that run. Its password is a token that is given to the run alone, opens
 * nothing else, and is good while the run lives. The address names the run, so that a stack may be renamed meanwhile.
 */
import { type Context, Hono } from "hono";
import { basicPassword } from "../../http/authenticate.ts";
import { refuseHead } from "../../http/methods.ts";
import { type AnyOperation, described } from "../../http/operation.ts";
import { isUuid } from "../../platform/ids/uuid.ts";
import { NotAuthenticatedError } from "../runnerIdentity/errors.ts";
import { deleteState, type EngineDeps, lockState, readState, unlockState, writeState } from "./engineCalls.ts";
import { runOfToken, type StateUser } from "./stateUser.ts";

type Call = (deps: EngineDeps, user: StateUser, c: Context) => Promise<Response>;

const STATE = "/:run_id/state";
const LOCK = "/:run_id/state/lock";
const JSON_TYPE = "application/json";

export function runStateRoutes(deps: EngineDeps): Hono {
  const by = (call: Call) => async (c: Context) => call(deps, await callerOf(deps, c), c);
  return new Hono()
    .get(
      STATE,
      refuseHead(),
      ofEngine({
        id: "readRunState",
        summary: "The newest state of the run's stack",
        raw: JSON_TYPE,
        orNothing: "There is none",
      }),
      by(readState),
    )
    .post(
      STATE,
      ofEngine({
        id: "writeRunState",
        summary: "Store a newer state; `ID` is the lock's",
        rawBody: "application/octet-stream",
        raw: JSON_TYPE,
        problems: [409, 422],
      }),
      by(writeState),
    )
    .delete(STATE, ofEngine({ id: "deleteRunState", summary: "Remove the state", raw: JSON_TYPE }), by(deleteState))
    .put(
      LOCK,
      ofEngine({
        id: "lockRunState",
        summary: "Lock the state; the lock ends with the run",
        rawBody: JSON_TYPE,
        raw: JSON_TYPE,
      }),
      by(lockState),
    )
    .delete(LOCK, ofEngine({ id: "unlockRunState", summary: "Give the lock back", raw: JSON_TYPE }), by(unlockState))
    .on("LOCK", LOCK, by(lockState))
    .on("UNLOCK", LOCK, by(unlockState));
}

/** 423 is the one answer that is no problem: it is the document of the lock that somebody else has. */
function ofEngine(operation: Omit<AnyOperation, "tag" | "caller">) {
  const { rawBody, problems = [] } = operation;
  const ofBody = rawBody === undefined ? [] : [400, 413, 415];
  return described({
    ...operation,
    tag: "runner protocol",
    caller: "engine",
    problems: [401, 403, 503, ...ofBody, ...problems],
  });
}

/** @throws NotAuthenticatedError */
async function callerOf({ db }: EngineDeps, c: Context): Promise<StateUser> {
  const token = basicPassword(c);
  const runId = c.req.param("run_id") ?? "";
  const user = token !== null && isUuid(runId) ? await runOfToken(db, runId, token) : null;
  if (user === null) throw new NotAuthenticatedError();
  return user;
}
