/** Skip or cancel many deployments of one stack: one result each (docs/rules/deployments.md#bulk-decisions). */
import * as v from "valibot";
import type { Principal } from "../../http/principal.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import type { Service } from "../../work/service.ts";
import { authorizeMany } from "./authorizeDeployment.ts";
import type { BatchKind } from "./endTogether.ts";
import { type BatchAnswer, type BatchSender, submitBatch } from "./submitBatch.ts";
import { OrchestratorUnavailableError } from "./submitDecision.ts";

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

type Deps = { service: Service; sender: BatchSender; decisionDeadlineMs: number };
type Path = { orgId: string; stackId: string };

/** Decide on each of `ids`. What the caller may not decide about is not found; the rest is one batch. */
export async function decideMany(
  { service, sender, decisionDeadlineMs }: Deps,
  principal: Principal,
  path: Path,
  kind: BatchKind,
  ids: string[],
): Promise<BulkResult[]> {
  const known = new Set(ids.map((id) => id.toLowerCase()));
  const allowed = await authorizeMany(service.db, principal, path, [...known], kind);
  const batch = {
    orgId: path.orgId,
    deploymentIds: [...known].filter((id) => allowed.has(id)),
    kind,
    actor: { id: principal.id, kind: principal.kind },
  };
  const answers = allowed.size > 0 ? await submitBatch(service, sender, batch, decisionDeadlineMs) : new Map();
  return ids.map((id) => resultOf(id, answers.get(id.toLowerCase())));
}

function resultOf(id: string, answer: BatchAnswer | undefined): BulkResult {
  if (answer === undefined) return refusal(id, new NotFoundError());
  if (answer.outcome === "expired") return refusal(id, new OrchestratorUnavailableError());
  if (answer.outcome === "conflict") return refusal(id, answer);
  return { id, http_status: 200, deployment_status: answer.deployment_status };
}

function refusal(
  id: string,
  { status, code, detail }: { status: number; code?: string | undefined; detail: string },
): BulkResult {
  return { id, http_status: status, detail, ...(code ? { code } : {}) };
}
