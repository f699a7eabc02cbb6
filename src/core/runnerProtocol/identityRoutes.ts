/**
 * `POST /runs/{id}/identities`: new tokens for a run that goes on (docs/rules/identity.md#while-the-run-lives). What
 * they are for is decided here, by what the run is: there is nothing that its runner could ask for.
 */
import { sql } from "drizzle-orm";
import { type Context, Hono } from "hono";
import type { RunnerRow } from "../runnerIdentity/admission.ts";
import { RunnerConflictError } from "../runnerIdentity/errors.ts";
import { isAccepted } from "../runs/lifecycle.ts";
import { RunIdentities } from "../runs/protocol.ts";
import { ContextRefusedError } from "./contextErrors.ts";
import { type ContextSubject, subjectColumn } from "./contextSubject.ts";
import type { RunnerDeps } from "./deps.ts";
import { overOr, runnerCall } from "./runnerCall.ts";
import { ofRunner } from "./runnerOperation.ts";

export function identityRoutes(deps: RunnerDeps): Hono {
  return new Hono().post(
    "/:run_id/identities",
    ofRunner({
      id: "renewIdentities",
      summary: "New tokens of the run's identities, while it goes on",
      answer: RunIdentities,
      problems: [409],
    }),
    (c) => renew(deps, c, c.req.param("run_id")),
  );
}

async function renew(deps: RunnerDeps, c: Context, run_id: string): Promise<Response> {
  const { maxRunDurationMs } = deps.service.timeouts;
  // Only a runner that looks at the branch was given any.
  const subjectOf = subjectColumn({ looksAtBranch: true, maxRunDurationMs });
  const row = await runnerCall<RunnerRow & { subject: ContextSubject; time_left: boolean }>(
    deps,
    c,
    { run_id },
    ["own"],
    () => sql`select c.*, x.subject, (x.subject->>'endsAtMs')::float8 > extract(epoch from svc_now()) * 1000 as time_left
      from caller c left join runs r on r.id = c.run_id left join deployments d on d.id = r.deployment_id
      left join stacks s on s.stack_key = d.stack_key left join pull_requests q on q.id = d.pull_request_id
      cross join lateral (select ${subjectOf} as subject) x`,
  );
  if (!isAccepted(row.run_status)) throw overOr(row, "The run was not accepted by this runner.");
  if (!row.time_left) throw overOr(row, "The run has reached its longest duration.");
  const items = await deps.sources.identities(row.subject).catch((error: unknown) => {
    throw error instanceof ContextRefusedError ? new RunnerConflictError(error.message) : error;
  });
  return c.json({ items } satisfies RunIdentities, 200, { "cache-control": "no-store" });
}
