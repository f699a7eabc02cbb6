/**
 * Follows a deployment until it needs a person or is over, and prints the engine's log as it grows; waits for other
 * things too.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import type { ApiClient } from "./apiClient.ts";
import { tell } from "./narrate.ts";

const POLL_MS = 250;
const GIVE_UP_MS = 120_000;
const COMES_MS = 60_000;

/** How many bytes of each stage's log were printed. */
export type PrintedLogs = Map<string, number>;

/** @returns the deployment once it has one of `statuses`. @throws when it ends otherwise, or takes two minutes. */
export async function follow(
  api: ApiClient,
  path: string,
  printed: PrintedLogs,
  statuses: DeploymentResource["status"][],
): Promise<DeploymentResource> {
  let said = "";
  for (const deadline = performance.now() + GIVE_UP_MS; performance.now() < deadline; await pause(POLL_MS)) {
    const deployment = await api.request<DeploymentResource>("GET", path);
    if (deployment.waiting_for && deployment.waiting_for !== said) {
      said = deployment.waiting_for;
      tell.fact(`${deployment.status}: ${said}`);
    }
    await printNewLogLines(api, path, deployment, printed);
    if (statuses.includes(deployment.status)) return deployment;
    if (deployment.completed_at)
      throw new Error(`the deployment ended ${deployment.status}: ${deployment.error ?? "see its log"}`);
  }
  throw new Error(`the deployment did not become ${statuses.join(" or ")} within two minutes; last: ${said}`);
}

/** Ask again and again until there is an answer. @throws after a minute, naming what did not come */
export async function eventually<T>(what: string, read: () => Promise<T | undefined | false>): Promise<T> {
  for (const deadline = performance.now() + COMES_MS; performance.now() < deadline; await pause(100)) {
    const answer = await read();
    if (answer !== undefined && answer !== false) return answer;
  }
  throw new Error(`${what} did not come within a minute`);
}

/** Whole lines beyond what was printed of each run; the rest of a line waits for its end. */
async function printNewLogLines(
  api: ApiClient,
  path: string,
  deployment: DeploymentResource,
  printed: PrintedLogs,
): Promise<void> {
  for (const stage of deployment.stages) {
    if (!stage.run?.started_at) continue;
    const offset = printed.get(stage.stage_id) ?? 0;
    const bytes = Buffer.from(await api.text(`${path}/logs?stage=${stage.stage_id}&offset=${offset}`));
    const complete = stage.completed_at ? bytes.length : bytes.lastIndexOf(0x0a) + 1;
    printed.set(stage.stage_id, offset + complete);
    for (const line of bytes.subarray(0, complete).toString().split("\n")) if (line.trim()) tell.log(line);
  }
}
