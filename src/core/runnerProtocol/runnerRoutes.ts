/** What an ephemeral runner calls about itself: ready, deregister. */
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import type { RunnerRow } from "../runnerIdentity/admission.ts";
import { RunnerConflictError } from "../runnerIdentity/errors.ts";
import { removeRunner } from "../runners/removeRunner.ts";
import type { RunnerDeps } from "./deps.ts";
import { overOr, runnerCall } from "./runnerCall.ts";
import { ofRunner } from "./runnerOperation.ts";

export function runnerRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .post(
      "/:runner_id/ready",
      ofRunner({ id: "runnerReady", summary: "Say that the runner is up", problems: [409] }),
      (c) => ready(deps, c, c.req.param("runner_id")),
    )
    .delete(
      "/:runner_id/deregister",
      ofRunner({ id: "deregisterRunner", summary: "Go; refused while it holds a run", problems: [409] }),
      (c) => deregister(deps, c, c.req.param("runner_id")),
    );
}

/**
 * not-ready -> ready, and again; a busy runner's replay and a removed row are conflicts, without a code while the run
 * goes on.
 */
async function ready(deps: RunnerDeps, c: Context, runner_id: string): Promise<Response> {
  const row = await runnerCall<RunnerRow & { marked: boolean }>(
    deps,
    c,
    { runner_id },
    ["own", "stale", "removed", "unknown"],
    (claims) => sql`, marked as (
        update runners s set status = 'ready', last_seen_at = svc_now() from caller c
        where s.id = ${claims.runner_id} and c.valid and c.relation in ('own', 'stale') and s.status in ('not-ready', 'ready')
        returning s.id
      )
      select c.*, exists (select from marked) as marked from caller c`,
  );
  if (row.runner_status === null) throw overOr(row, "The runner does not exist any more.");
  if (!row.marked) throw overOr(row, `The runner is ${row.runner_status}.`);
  return c.body(null, 204);
}

/** Refused only while the runner holds a run; a row that is gone already is what was asked for. */
async function deregister(deps: RunnerDeps, c: Context, runner_id: string): Promise<Response> {
  const row = await runnerCall(deps, c, { runner_id }, ["own", "stale", "removed", "unknown"]);
  if (row.runner_status !== null && !(await removeRunner(deps.service.db, runner_id))) {
    throw new RunnerConflictError("The runner holds a run.");
  }
  return c.body(null, 204);
}
