/** The projection of open pull requests: what its tests begin with. */
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { claim } from "./fixtures.ts";
import { previewsOf, REPOSITORY, statedHost } from "./pullRequests.ts";
import { test as base } from "./test.ts";

export const test = base.extend("world", async ({ org, service, database }) => {
  const host = statedHost();
  const on = (branch: string) => ({ orgId: org.orgId, repositoryKey: REPOSITORY, branch });
  const sync = (branch = "main") => syncPullRequests(service, host, on(branch), null);
  const shown = async (stackKey: string) =>
    (await previewsOf(database, stackKey)).map(({ status, skipped_reason: reason, generation }) =>
      [generation, status, reason].filter((part) => part !== null).join(" "),
    );

  /** Claim and accept the stack's pending preview. */
  async function start(stackKey: string): Promise<{ id: string; runId: string; runnerId: string }> {
    const pending = (await previewsOf(database, stackKey)).find(({ status }) => status === "pending");
    const run = await claim(database, org, pending?.id ?? "");
    await acceptRun(service, run.runId, run.runnerId);
    return { id: pending?.id ?? "", ...run };
  }

  async function finish(stackKey: string): Promise<string> {
    const { id, runId, runnerId } = await start(stackKey);
    await reportDone(service, runId, runnerId, {
      status: "success",
      plan_summary: { has_changes: false, counts: null, gaps: [] },
    });
    return id;
  }

  return { on, sync, shown, start, finish, host };
});
