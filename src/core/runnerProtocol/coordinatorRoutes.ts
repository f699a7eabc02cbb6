/** What a coordinator calls with its group's token: poll, heartbeat, dispatch-failed. */
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import * as v from "valibot";
import { refuseHead } from "../../http/methods.ts";
import { numberText } from "../../http/parameters.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { handBack } from "../deployments/transitions/handBack.ts";
import { reportDispatchFailed } from "../deployments/transitions/report.ts";
import { claimRun, PollerGoneError } from "../dispatch/claim.ts";
import { returnToken } from "../dispatch/dispatchBudget.ts";
import { failOpen } from "../dispatch/failOpen.ts";
import { peek } from "../dispatch/pendingWork.ts";
import type { Claimant, ClaimedRun, ClaimOutcome } from "../dispatch/types.ts";
import { admit, type GroupRow, groupCaller } from "../runnerIdentity/admission.ts";
import { ForeignRunError, NotAuthenticatedError, RunnerConflictError } from "../runnerIdentity/errors.ts";
import { DispatchFailedBody, HeartbeatBody, IsolationName, PollAnswer } from "../runs/protocol.ts";
import type { runs } from "../runs/schema.ts";
import { bearerOf, clientAddress } from "./bearer.ts";
import type { RunnerDeps } from "./deps.ts";
import { type PollConnection, pollConnection } from "./pollConnection.ts";
import { ofGroup } from "./runnerOperation.ts";
import { readKnown } from "./runnerRequest.ts";

/** Longest wait of a poll, in seconds: below the minute after which proxies give up. */
const MAX_WAIT_S = 50;

export function groupRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .get(
      "/poll",
      refuseHead(),
      ofGroup({
        id: "pollForRun",
        summary: "Claim a run; with wait_seconds, wait for one",
        query: PollQuery,
        answer: PollAnswer,
        orNothing: "No run; with Retry-After, the organization's budget is spent",
        problems: [422],
      }),
      (c) => poll(deps, c),
    )
    .post(
      "/heartbeat",
      ofGroup({ id: "heartbeat", summary: "Say that the coordinator is there", body: HeartbeatBody }),
      (c) => heartbeat(deps, c),
    )
    .post(
      "/dispatch-failed",
      ofGroup({
        id: "reportDispatchFailed",
        summary: "A claimed run could not be started on a machine",
        body: DispatchFailedBody,
        problems: [403, 409],
      }),
      (c) => dispatchFailed(deps, c),
    );
}

/** For the document; `waitSeconds` reads it. */
const PollQuery = v.object({
  wait_seconds: v.optional(
    numberText({ minimum: 0, maximum: MAX_WAIT_S, description: `0 to ${MAX_WAIT_S}; 0 when absent` }),
  ),
  isolation: v.optional(
    v.pipe(
      IsolationName,
      v.metadata({
        description: "What is around each run; without a wall, or unsaid, no preview of foreign code is given",
      }),
    ),
  ),
});

async function poll(deps: RunnerDeps, c: Context): Promise<Response> {
  const arrived = performance.now();
  const connection = pollConnection(c);
  const visit = deps.dispatcher.enter();
  try {
    const { signed, row } = await admit(deps.keys, "runner_group", bearerOf(deps, c), (s) =>
      failOpen(deps, (limiter) => peek(deps.service.db, s, deps.limits, limiter)),
    );
    const until = arrived + waitSeconds(c) * 1000;
    await deps.addresses.saw({ groupId: row.group_id, orgId: row.org_id }, clientAddress(deps, c));
    const claimant: Claimant = {
      groupId: row.group_id,
      orgId: row.org_id,
      fingerprint: signed.fingerprint,
      walled: isWalled(c),
    };
    if (row.claimable > 0 && row.throttled_s > 0) {
      deps.metrics.runDispatch.inc({ outcome: "limited" });
      return throttled(c, row.throttled_s);
    }
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

function isWalled(c: Context): boolean {
  const isolation = c.req.query("isolation") ?? "none";
  if (["bubblewrap", "user", "command"].includes(isolation)) return true;
  if (isolation === "none") return false;
  throw new InvalidValueError([{ field: "isolation", message: "expected bubblewrap, user, command or none" }]);
}

/** Null when there was nothing to claim after all. */
async function tryClaim(
  deps: RunnerDeps,
  c: Context,
  claimant: Claimant,
  connection: PollConnection,
): Promise<Response | null> {
  const { gone } = connection;
  let claim: ClaimOutcome | null;
  try {
    claim = await deps.dispatcher.turns.take(claimant.orgId, () => claimRun(deps, claimant, () => gone.aborted), gone);
  } catch (error) {
    if (error instanceof PollerGoneError) return c.body(null, 204);
    throw error;
  }
  if (claim === null) return c.body(null, 204);
  if (claim.outcome === "nothing") return null;
  if (claim.outcome === "key_changed") throw new NotAuthenticatedError();
  if (claim.outcome === "throttled") return throttled(c, claim.retryAfterSeconds);
  const { run } = claim;
  if (await connection.hasLeft()) {
    await takeBack(deps, run);
    return c.body(null, 204);
  }
  connection.watchAnswer(() => void takeBack(deps, run));
  return c.json({ run_id: run.runId, runner_id: run.runnerId } satisfies PollAnswer);
}

function throttled(c: Context, seconds: number): Response {
  return c.body(null, 204, { "retry-after": String(seconds) });
}

/** Nobody got the claim's answer: no attempt and no token is lost. If this fails too, the lease lapses. */
async function takeBack(deps: RunnerDeps, { runId, claimSeq, orgId, tookToken }: ClaimedRun): Promise<void> {
  try {
    const handedBack = await failOpen(deps, (limiter) =>
      handBack(deps.service, runId, claimSeq, async (tx) => {
        if (tookToken && limiter === "on") await returnToken(tx, orgId);
      }),
    );
    if (handedBack) deps.metrics.runDispatch.inc({ outcome: "handed_back" });
  } catch {
    // The database is away; the lease's own deadline returns the run.
  }
}

/**
 * The body is read between the check and the effect, so that only a caller who may call learns what is wrong with it.
 */
async function heartbeat(deps: RunnerDeps, c: Context): Promise<Response> {
  const { signed } = await admit(deps.keys, "runner_group", bearerOf(deps, c), async (s) => {
    const rows = await deps.service.db.execute(groupCaller(s));
    return rows[0] as GroupRow | undefined;
  });
  const { version, isolation = "none" } = await readKnown(c, HeartbeatBody, deps.metrics, "heartbeat");
  await deps.service.db.execute(sql`
    update runner_groups set last_contact_at = svc_now(), runner_version = coalesce(${version ?? null}::text, runner_version),
      walled_contact_at = ${isolation === "none" ? sql`walled_contact_at` : sql`svc_now()`}
    where id = ${signed.claims.group_id}`);
  return c.body(null, 204);
}

async function dispatchFailed(deps: RunnerDeps, c: Context): Promise<Response> {
  const { row } = await admit(deps.keys, "runner_group", bearerOf(deps, c), async (s) => {
    const rows = await deps.service.db.execute(groupCaller(s));
    return rows[0] as GroupRow | undefined;
  });
  const body = await readKnown(c, DispatchFailedBody, deps.metrics, "dispatch-failed");
  const selectorId = await assertStubOf(deps, row, body);
  const report = await reportDispatchFailed(deps.service, body.run_id, body.runner_id, body.error);
  if (report.outcome === "refused") throw new RunnerConflictError(report.why, report.code);
  deps.service.runsPending([selectorId]);
  return c.body(null, 204);
}

/** The ids are in the body here, so what a runner's token has signed is looked up. @throws ForeignRunError */
async function assertStubOf(
  { service }: RunnerDeps,
  group: GroupRow,
  { run_id, runner_id }: { run_id: string; runner_id: string },
): Promise<string> {
  const [found] = await service.db.execute<SqlRow<typeof runs, "selector_id"> & { foreign_stub: boolean }>(sql`
    select r.selector_id, coalesce(s.group_id <> ${group.group_id} or s.run_id <> r.id, false) as foreign_stub
    from runs r left join runners s on s.id = ${runner_id}
    where r.id = ${run_id} and r.org_id = ${group.org_id}`);
  if (found === undefined || found.foreign_stub) throw new ForeignRunError();
  return found.selector_id;
}
