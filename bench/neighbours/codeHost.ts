/** An organization's integration with a code host, and what that host delivers. */
import { createHmac, randomUUID } from "node:crypto";
import type postgres from "postgres";
import { integrateHost } from "../harness/codeHost.ts";
import { COMMIT, insertStacks } from "../harness/rows.ts";
import { ask } from "./ask.ts";
import type { Tenant } from "./tenant.ts";

const SECRET = "0123456789abcdef0123456789abcdef";

export type Deliveries = {
  slugs: string[];
  /** Tell of a push to the branch. @returns how long the answer took, and what it was */
  push(branch: string): Promise<{ ms: number; status: number; eventIds: string[] }>;
};

/** With a stack on each of the branches. */
export async function integrate(
  sql: postgres.Sql,
  { org, person, baseUrl }: Tenant,
  host: string,
  branches: readonly string[],
): Promise<Deliveries> {
  const repository_url = `${host}/acme/infra.git`;
  const id = await integrateHost(person, host, SECRET);
  const path = `${baseUrl()}/api/v1/orgs/${org.orgId}/scm-integrations/${id}/webhook`;
  const slugs: string[] = [];
  for (const branch of branches) {
    const [stack] = await insertStacks(sql, org.orgId, 1, { repository_url, branch, deploy_on_push: false });
    slugs.push(stack!.slug);
  }
  return {
    slugs,
    async push(branch) {
      const repository = { id: 1, full_name: "acme/infra", clone_url: repository_url, html_url: `${host}/acme/infra` };
      const body = JSON.stringify({ repository, ref: `refs/heads/${branch}`, before: "0".repeat(40), after: COMMIT });
      const started = performance.now();
      const answer = await ask(path, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "x-github-event": "push",
          "x-github-delivery": randomUUID(),
          "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
        },
      });
      const told = (await answer.json()) as { event_ids?: string[] };
      return { ms: performance.now() - started, status: answer.status, eventIds: told.event_ids ?? [] };
    },
  };
}
