/** What pipelines and outside statuses say of a merge request's head. */
import { type Checks, verdictOfChecks } from "../checks.ts";
import type { RepositoryCalls } from "../client.ts";
import { listIfAnswered, NO_LIST } from "../readRequests.ts";

type Status = { name?: unknown; status?: unknown; allow_failure?: unknown };
type Pipeline = { sha?: unknown; status?: unknown };

/** Jobs that nobody has to wait for. */
const PASSED: ReadonlySet<unknown> = new Set(["success", "skipped"]);
const FAILED: ReadonlySet<unknown> = new Set(["failed", "canceled"]);

/**
 * Every job and status counts, but those that may fail and those that wait for a person: the host does not say which
 * are required.
 * @param request as the host tells of it by itself
 */
export async function checksOf(calls: RepositoryCalls, sha: string, request: unknown): Promise<Checks> {
  const { items, complete } = await listIfAnswered(() => calls.list("/repository/commits/{sha}/statuses", { sha }));
  if (!complete) return { passed: null, reason: NO_LIST };
  const counting = (items as Status[]).filter(
    ({ allow_failure, status }) => allow_failure !== true && status !== "manual",
  );
  const statuses = counting.map(({ name, status }) => ({ context: name, state: stateOf(status) }));
  return verdictOfChecks([...statuses, ...mergedResult(sha, request)], [], []);
}

/** A pipeline of what merging would give runs on another commit, and none of our statuses are in it. */
function mergedResult(sha: string, request: unknown): { context: string; state: string }[] {
  const { head_pipeline: pipeline } = (request ?? {}) as { head_pipeline?: Pipeline | null };
  if (!pipeline || typeof pipeline.sha !== "string" || pipeline.sha === sha) return [];
  return [{ context: "the pipeline of the merged result", state: stateOf(pipeline.status) }];
}

function stateOf(status: unknown): "success" | "failure" | "pending" {
  if (PASSED.has(status)) return "success";
  return FAILED.has(status) ? "failure" : "pending";
}
