/** What a coordinator calls with its group's token: poll, heartbeat, dispatch-failed (spec 4.7). */
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import { handBack } from "../deployments/transitions/lapse.ts";
import { reportDispatchFailed } from "../deployments/transitions/report.ts";
import { bearerToken } from "../http/authenticate.ts";
import { InvalidValueError } from "../http/requestErrors.ts";
import { type Claimant, type ClaimedRun, type ClaimOutcome, claimRun, PollerGoneError } from "../runs/claim.ts";
import { peek } from "../runs/pendingWork.ts";
import { DispatchFailedBody, HeartbeatBody, type PollAnswer } from "../runs/protocol.ts";
import { admit, type GroupRow, groupCaller } from "./admission.ts";
import type { RunnerDeps } from "./deps.ts";
import { returnToken } from "./dispatchBudget.ts";
import { ForeignRunError, NotAuthenticatedError, RunnerConflictError } from "./errors.ts";
import { type PollConnection, pollConnection } from "./pollConnection.ts";
import { jsonBody } from "./runnerRequest.ts";

/** Longest wait of a poll, in seconds: below the minute after which proxies give up. */
const MAX_WAIT_S = 50;

export function groupRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .get("/poll", (c) => poll(deps, c))
    .post("/heartbeat", (c) => heartbeat(deps, c))
    .post("/dispatch-failed", (c) => dispatchFailed(deps, c));
}

async function poll(deps: RunnerDeps, c: Context): Promise<Response> {
  const waitMs = waitSeconds(c) * 1000;
  const until = performance.now() + waitMs;
  const connection = pollConnection(c);
  const visit = deps.dispatcher.enter();
  try {
    const { signed, row } = await admit(deps.keys, "runner_group", bearerToken(c), (s) =>
      peek(deps.service.db, s, deps.limits),
    );
    const claimant: Claimant = { groupId: row.group_id, orgId: row.org_id, fingerprint: signed.fingerprint };
    if (row.claimable > 0 && row.throttled_s > 0 && deps.limits.rateLimit) return throttled(c, row.throttled_s);
    for (let work = row.claimable > 0; ; work = true) {
      const answer = work ? await tryClaim(deps, c, claimant, connection) : null;
      if (answer !== null) return answer;
      const left = until - performance.now();
      if (left <= 0 || (await visit.wait(claimant.groupId, left, connection.gone)) !== "work") return c.body(null, 204);
    }
  } finally {
    visit.leave();
  }
}

function waitSeconds(c: Context): number {
  const text = c.req.query("wait_seconds") ?? "0";
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_WAIT_S) return Number(text);
  throw new InvalidValueError([{ field: "wait_seconds", message: `expected a whole number from 0 to ${MAX_WAIT_S}` }]);
}

/** Null when there was nothing to claim after all. */
async function tryClaim(
  deps: RunnerDeps,
  c: Context,
  claimant: Claimant,
  connection: PollConnection,
): Promise<Response | null> {
  let claim: ClaimOutcome;
  try {
    claim = await claimRun(deps, claimant, () => connection.gone.aborted);
  } catch (error) {
    if (error instanceof PollerGoneError) return c.body(null, 204);
    throw error;
  }
  if (claim.outcome === "nothing") return null;
  if (claim.outcome === "key_changed") throw new NotAuthenticatedError();
  if (claim.outcome === "throttled") return throttled(c, claim.retryAfterSeconds);
  const { run } = claim;
  connection.watchAnswer(() => void takeBack(deps, run));
  return c.json({ run_id: run.runId, runner_id: run.runnerId } satisfies PollAnswer);
}

function throttled(c: Context, seconds: number): Response {
  return c.body(null, 204, { "retry-after": String(seconds) });
}

/** Nobody got the claim's answer: no attempt and no token is lost. If this fails too, the lease lapses. */
async function takeBack({ service, limits, metrics }: RunnerDeps, run: ClaimedRun): Promise<void> {
  try {
    if (!(await handBack(service, run.runId, run.claimSeq))) return;
    metrics.runDispatch.inc({ outcome: "handed_back" });
    if (limits.rateLimit) await returnToken(service.db, run.orgId);
  } catch {
    // The database is away; the lease's own deadline returns the run.
  }
}

async function heartbeat(deps: RunnerDeps, c: Context): Promise<Response> {
  const body = jsonBody(c, HeartbeatBody, deps.metrics, "heartbeat");
  await admit(deps.keys, "runner_group", bearerToken(c), async (signed) => {
    const { version } = await body();
    const rows = await deps.service.db.execute(sql`
      with caller as (${groupCaller(signed)}), seen as (
        update runner_groups g set last_contact_at = svc_now(), runner_version = coalesce(${version ?? null}::text, g.runner_version)
        from caller c where g.id = c.group_id and c.key_current and c.in_time
      )
      select * from caller`);
    return rows[0] as GroupRow | undefined;
  });
  return c.body(null, 204);
}

async function dispatchFailed(deps: RunnerDeps, c: Context): Promise<Response> {
  const body = jsonBody(c, DispatchFailedBody, deps.metrics, "dispatch-failed");
  const { row } = await admit(deps.keys, "runner_group", bearerToken(c), async (signed) => {
    const { run_id, runner_id } = await body();
    const rows = await deps.service.db.execute(sql`
      with caller as (${groupCaller(signed)})
      select c.*, r.id as run_id, r.selector_id, s.group_id <> c.group_id or s.run_id <> r.id as foreign_stub
      from caller c
      left join runs r on r.id = ${run_id} and r.org_id = c.org_id
      left join runners s on s.id = ${runner_id}`);
    return rows[0] as
      | (GroupRow & { run_id: string | null; selector_id: string; foreign_stub: boolean | null })
      | undefined;
  });
  if (row.run_id === null || row.foreign_stub === true) throw new ForeignRunError();
  const { run_id, runner_id, error } = await body();
  const report = await reportDispatchFailed(deps.service, run_id, runner_id, error);
  if (report.outcome === "refused") throw new RunnerConflictError(report.why, report.code);
  deps.service.runsPending([row.selector_id]);
  return c.body(null, 204);
}
