/** All changes of a plan, with every digit: as lines that follow one another, or page by page from an older service. */
import { errorOf } from "../../clients/api/problem.ts";
import { parseExact } from "../../clients/plan/exactJson.ts";
import { linesOf } from "../../clients/plan/lines.ts";
import type { Session } from "../service/session.ts";
import type { Change } from "../service/types.ts";
import type { DeploymentPath } from "../watching/watch.ts";

type Page = { run_id: string; items: Change[]; next_cursor: string | null };
export type Changes = { run_id: string; items: Change[] };

const LINES = "application/x-ndjson";
const ATTEMPTS = 3;

export function deploymentPath({ orgId }: Pick<Session, "orgId">, { stackId, id }: DeploymentPath): string {
  return `/api/v1/orgs/${orgId}/stacks/${encodeURIComponent(stackId)}/deployments/${encodeURIComponent(id)}`;
}

/** @param runId of the plan; the newest when absent. @throws ApiError */
export async function readChanges(session: Session, path: DeploymentPath, runId?: string): Promise<Changes> {
  const address = `${deploymentPath(session, path)}/plan/changes?${new URLSearchParams(runId && { run_id: runId })}`;
  for (let attempt = 1; ; attempt++) {
    const response = await session.fetch(address, { headers: { accept: `${LINES}, application/json` } });
    if (!response.ok) throw await errorOf(response);
    if (!(response.headers.get("content-type") ?? "").startsWith(LINES)) {
      return pagesFrom(session, path, parseExact(await response.text()) as Page);
    }
    try {
      return { run_id: response.headers.get("x-plan-run") ?? runId ?? "", items: await changesOf(response) };
    } catch (error) {
      // A connection that breaks in the middle; what is no JSON is no better the next time.
      if (attempt === ATTEMPTS || error instanceof SyntaxError) throw error;
    }
  }
}

/** Parsed as they come, so that no text of all of them is held beside them. */
async function changesOf({ body }: Response): Promise<Change[]> {
  const items: Change[] = [];
  if (body === null) return items;
  for await (const lines of linesOf(body)) for (const line of lines) items.push(parseExact(line) as Change);
  return items;
}

async function pagesFrom(session: Session, path: DeploymentPath, first: Page): Promise<Changes> {
  const items = first.items;
  // The newest plan may be another one by the next page.
  const { run_id } = first;
  for (let cursor = first.next_cursor; cursor !== null; ) {
    const query = new URLSearchParams({ limit: "200", run_id, cursor });
    const response = await session.fetch(`${deploymentPath(session, path)}/plan/changes?${query}`);
    if (!response.ok) throw await errorOf(response);
    const page = parseExact(await response.text()) as Page;
    items.push(...page.items);
    cursor = page.next_cursor;
  }
  return { run_id, items };
}
