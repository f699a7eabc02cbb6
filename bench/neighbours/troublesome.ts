/**
 * One organization with names that are never answered, hosts that never answer, 500 creates at once and 100 branches
 * whose host hangs. Its callers come again when they are told to.
 */
import type postgres from "postgres";
import { insertStacks } from "../harness/rows.ts";
import { startCallers } from "./callers.ts";
import { integrate } from "./codeHost.ts";
import type { Outside } from "./outside.ts";
import type { Tenant } from "./tenant.ts";

export type Sizes = { creates: number; names: number; sends: number; branches: number };

export type Troublesome = {
  /** Begin all of it; `stop` ends it and waits until nothing of it is under way. */
  begin(): { stop(): Promise<void> };
  /** How often it was answered what. */
  answers: Record<string, number>;
};

export async function openTroublesome(
  sql: postgres.Sql,
  tenant: Tenant,
  { silent }: Outside,
  sizes: Sizes,
): Promise<Troublesome> {
  const { org, person } = tenant;
  const branches = Array.from({ length: sizes.branches }, (_, i) => `hangs-${i}`);
  silent.hang(false);
  const hooks = await integrate(sql, tenant, silent.url, branches);
  const named: string[] = [];
  for (let i = 0; i < sizes.names; i++) {
    const repository_url = `https://n${i}.silent.test/acme/infra.git`;
    named.push((await insertStacks(sql, org.orgId, 1, { repository_url }))[0]!.slug);
  }
  const sender = await person.call("POST", "notification-integrations", {
    name: "hangs",
    provider_type: "webhook",
    events: ["deployment_failed"],
    provider_config: {},
    auth_config: { url: `${silent.url}/hook` },
  });
  if (sender.status !== 201) throw new Error(`no notifications: ${JSON.stringify(sender.body)}`);
  const { id } = sender.body as { id: string };
  const answers: Record<string, number> = {};

  // Each caller stays with one of the APIs.
  const at = (path: string) => `${tenant.baseUrl()}/api/v1/orgs/${org.orgId}/${path}`;
  const calls = [
    ...Array.from({ length: sizes.creates }, (_, i) => ({
      url: at(`stacks/${named[i % named.length]}/deployments`),
      body: { mode: "plan_unlocked" },
    })),
    ...Array.from({ length: sizes.sends }, () => ({ url: at(`notification-integrations/${id}/test`) })),
  ];

  return {
    answers,
    begin() {
      silent.hang(true);
      const callers = startCallers({ token: org.adminToken, calls });
      const pushes = branches.map(async (branch) => {
        const { status } = await hooks.push(branch);
        answers[`push ${status}`] = (answers[`push ${status}`] ?? 0) + 1;
      });
      return {
        async stop() {
          silent.hang(false);
          const seen = await callers.stop();
          for (const [status, count] of Object.entries(seen)) answers[status] = (answers[status] ?? 0) + count;
          await Promise.all(pushes);
          await sql`update scm_events set status = 'dead', processed_at = now() where org_id = ${org.orgId} and status in ('pending', 'failed')`;
        },
      };
    },
  };
}
