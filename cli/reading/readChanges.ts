/** All changes of a plan, page by page, with every digit. */
import { errorOf } from "../../clients/api/problem.ts";
import { parseExact } from "../../clients/plan/exactJson.ts";
import type { Session } from "../service/session.ts";
import type { Change } from "../service/types.ts";
import type { DeploymentPath } from "../watching/watch.ts";

type Page = { run_id: string; items: Change[]; next_cursor: string | null };
export type Changes = { run_id: string; items: Change[] };

export function deploymentPath({ orgId }: Pick<Session, "orgId">, { stackId, id }: DeploymentPath): string {
  return `/api/v1/orgs/${orgId}/stacks/${encodeURIComponent(stackId)}/deployments/${encodeURIComponent(id)}`;
}

/** @param runId of the plan; the newest when absent. @throws ApiError */
export async function readChanges(session: Session, path: DeploymentPath, runId?: string): Promise<Changes> {
  const items: Change[] = [];
  for (let cursor: string | null = null; ; ) {
    const query = new URLSearchParams({ limit: "200", ...(runId && { run_id: runId }), ...(cursor && { cursor }) });
    const response = await session.fetch(`${deploymentPath(session, path)}/plan/changes?${query}`);
    if (!response.ok) throw await errorOf(response);
    const page = parseExact(await response.text()) as Page;
    items.push(...page.items);
    if (page.next_cursor === null) return { run_id: page.run_id, items };
    cursor = page.next_cursor;
  }
}
