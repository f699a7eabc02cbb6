/**
 * Skip or cancel many deployments of one stack: one decision and one result each
 * (docs/rules/deployments.md#bulk-decisions).
 */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { Principal } from "../../http/principal.ts";
import { ProblemError, toProblem } from "../../platform/problems/problem.ts";
import type { Service } from "../../work/service.ts";
import { type AuthorizedDeployment, authorizeCancel, authorizeDeployment } from "./authorizeDeployment.ts";
import { type DecisionSender, OrchestratorUnavailableError, submitDecision } from "./submitDecision.ts";

export const BulkBody = v.strictObject({
  ids: v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.minLength(1), v.maxLength(100)),
});

export const BulkAnswer = v.object({
  results: v.array(
    v.object({
      id: v.string(),
      /** What the single route would have answered. */
      http_status: v.number(),
      code: v.optional(v.string()),
      detail: v.optional(v.string()),
      deployment_status: v.optional(v.string()),
    }),
  ),
});
export type BulkResult = v.InferOutput<typeof BulkAnswer>["results"][number];

type Deps = { service: Service; sender: DecisionSender; decisionDeadlineMs: number };
type Path = { orgId: string; stackId: string };

/**
 * Decide on each of `ids`, the queue first and the lane's holder last, so that freeing the lane promotes nothing that is about
 * to end. Once no worker answers, the rest is not tried.
 */
export async function decideMany(
  deps: Deps,
  principal: Principal,
  path: Path,
  kind: "skip" | "cancel",
  ids: string[],
): Promise<BulkResult[]> {
  const results = new Map<string, BulkResult>();
  let unavailable: OrchestratorUnavailableError | null = null;
  for (const id of await queueFirst(deps.service, [...new Set(ids)])) {
    try {
      if (unavailable) throw unavailable;
      results.set(
        id,
        await decideOne(
          deps,
          principal,
          await authorize(deps.service, principal, { ...path, deploymentId: id }, kind),
          kind,
        ),
      );
    } catch (error) {
      if (error instanceof OrchestratorUnavailableError) unavailable = error;
      results.set(id, refusal(id, error));
    }
  }
  return ids.flatMap((id) => results.get(id) ?? []);
}

function authorize(
  service: Service,
  principal: Principal,
  path: Path & { deploymentId: string },
  kind: "skip" | "cancel",
) {
  return kind === "cancel"
    ? authorizeCancel(service.db, principal, path)
    : authorizeDeployment(service.db, principal, path, "confirm");
}

async function decideOne(
  deps: Deps,
  principal: Principal,
  deployment: AuthorizedDeployment,
  kind: "skip" | "cancel",
): Promise<BulkResult> {
  const actor = { id: principal.id, kind: principal.kind };
  const decision = {
    orgId: deployment.org_id,
    deploymentId: deployment.id,
    kind,
    actor,
    arguments: {},
    idempotency: null,
  };
  const answer = await submitDecision(deps.service, deps.sender, decision, deps.decisionDeadlineMs);
  return { id: deployment.id, http_status: 200, deployment_status: answer.deployment.status };
}

function refusal(id: string, error: unknown): BulkResult {
  const problem = error instanceof ProblemError ? error : toProblem(error);
  if (!problem) throw error;
  return { id, http_status: problem.status, detail: problem.detail, ...(problem.code ? { code: problem.code } : {}) };
}

async function queueFirst(service: Service, ids: string[]): Promise<string[]> {
  const rows = await service.db.execute<{
    id: string;
  }>(sql`
    select i.id from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality i (id, ord)
    left join deployments d on d.id = i.id::uuid order by d.status = 'queued' desc nulls last, i.ord`);
  return rows.map((row) => row.id);
}
