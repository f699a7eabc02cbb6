/**
 * The first steps of the README with what `npm start` sets by itself: a repository in a temporary folder that is closed
 * to others, a state that the service keeps, and a wall that shows the run nothing else of that folder.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";
import { WALLS } from "../support/walls.ts";

const deployments = "/stacks/network/deployments";

let parent: string;
let running: LocalInstallation;
let repository: string;
/** Of another program of this machine. */
let socket: Server;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-first-"));
  socket = createServer().listen(join(parent, "agent"));
  await writeFile(join(parent, "private"), "");
  running = await startLocalInstallation(join(parent, "data"), {
    RUNNER_WALL_WRITE: undefined,
    RUNNER_SLOT_UID: undefined,
  });
  const { url } = commitFiles({ "main.tf": 'resource "terraform_data" "vpc" {}\n' });
  repository = new URL(url).pathname;
  await running.api.request("POST", "/stacks", {
    name: "network",
    repository_url: url,
    branch: "main",
    tool: running.ready.tool,
  });
}, 90_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  socket.close();
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

async function becomes({ id }: DeploymentResource, status: string): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", `${deployments}/${id}`);
      return (deployment.status === status || deployment.completed_at !== null) && deployment;
    },
    { what: `${id} to be ${status}`, timeoutMs: 45_000, everyMs: 100 },
  );
  expect(last, last.error ?? "").toMatchObject({ status });
  return last;
}

/** A line for each thing that should not be. */
const look = () => `[ "$(id -u)" = 0 ] && echo FOUND root
[ -w /proc/sys/kernel/core_pattern ] && echo FOUND kernel
[ -e ${parent}/agent ] && echo FOUND socket
[ -e ${parent}/private ] && echo FOUND private
[ -e ${repository} ] && echo FOUND repository
for each in /tmp/*; do echo "HAS $each"; done
touch /tmp/mine && echo DONE
`;

test.runIf(WALLS.includes("bubblewrap"))(
  "a stack is planned and applied, and its runs see nothing of /tmp",
  async () => {
    const planned = await running.api.request<DeploymentResource>("POST", deployments, { mode: "plan" });
    const waiting = await becomes(planned, "waiting");
    await running.api.request("POST", `${deployments}/${planned.id}/confirm`, {
      action: "apply",
      plan_run_id: planRunOf(waiting),
    });
    await becomes(planned, "finished");
    const script = look();
    const looked = await running.api.request<DeploymentResource>("POST", `${deployments}/run-command`, { script });
    await becomes(looked, "finished");
    const log = await running.api.text(`${deployments}/${looked.id}/logs`);
    expect(log).toContain("DONE");
    expect(log.match(/^FOUND .*/gm) ?? []).toEqual([]);
    expect((log.match(/^HAS .*/gm) ?? []).join()).not.toContain(basename(repository));
    expect(existsSync("/tmp/mine")).toBe(false);
  },
  90_000,
);
