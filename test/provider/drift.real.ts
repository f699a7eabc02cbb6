/**
 * Drift on the whole product with an engine and a provider as people have them: a file is applied, deleted by hand,
 * found by a check, told of, and planned back (docs/drift.md#a-worked-example).
 */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import type { StackDrift } from "../../src/core/drift/answer.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";
import { localProvider, REQUIRED } from "./localProvider.ts";

type Told = { event_type: string; drift?: { drifted: number; addresses: string[] } };

let parent: string;
let running: LocalInstallation;
let receiver: Server;
const told: Told[] = [];
const at = "/stacks/motd";

beforeAll(async () => {
  const RUNNER_CLI_CONFIG_FILE = localProvider();
  parent = await mkdtemp(join(tmpdir(), "svc-drift-"));
  running = await startLocalInstallation(join(parent, "data"), {
    RUNNER_CLI_CONFIG_FILE,
    RUNNER_ISOLATION: "none",
    SVC_EGRESS_ALLOW: "127.0.0.1",
  });
  receiver = createServer(async (request, response) => {
    told.push(JSON.parse(Buffer.concat(await request.toArray()).toString("utf8")));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const file = join(parent, "motd");
  const files = ["motd", "kept"].map(
    (name) => `resource "local_file" "${name}" {\n  filename = "${file}-${name}"\n  content  = "hello"\n}\n`,
  );
  const { url } = commitFiles({ "main.tf": [REQUIRED, ...files].join("\n") });
  const { tool } = running.ready;
  const { port } = receiver.address() as AddressInfo;
  await running.api.request("POST", "/stacks", { name: "motd", repository_url: url, branch: "main", tool });
  await running.api.request("POST", "/notification-integrations", {
    ...{ name: "hook", provider_type: "webhook", stack_label_selector: {}, changes_only: true, provider_config: {} },
    auth_config: { url: `http://127.0.0.1:${port}/` },
    events: ["drift_detected", "drift_resolved", "drift_check_failed"],
  });
});
afterAll(async () => {
  receiver?.close();
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
});

const drift = () => running.api.request<StackDrift>("GET", `${at}/drift`);
const deployments = (query = "") =>
  running.api.request<{ items: DeploymentResource[] }>("GET", `${at}/deployments${query}`).then(({ items }) => items);

async function becomes(id: string, ...statuses: string[]): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", `${at}/deployments/${id}`);
      return (statuses.includes(deployment.status) || deployment.completed_at !== null) && deployment;
    },
    { what: `${id} to be ${statuses}`, timeoutMs: 60_000, everyMs: 100 },
  );
  expect(statuses, `${last.error}\n${await running.api.text(`${at}/deployments/${id}/logs`)}`).toContain(last.status);
  return last;
}

async function apply(planned: DeploymentResource): Promise<void> {
  const body = { action: "apply", plan_run_id: planRunOf(planned) };
  await running.api.request("POST", `${at}/deployments/${planned.id}/confirm`, body);
  await becomes(planned.id, "finished");
}

/** A check that ends, by somebody's wish. */
async function checked(): Promise<StackDrift> {
  const before = (await drift()).checked_deployment_id;
  await running.api.request("POST", `${at}/drift/check`);
  return waitFor(
    async () => {
      const now = await drift();
      return now.checked_deployment_id !== before && now.running_deployment_id === null && now;
    },
    { what: "the check to end", timeoutMs: 60_000 },
  );
}

const news = (name: string, count: number) =>
  waitFor(() => told.filter(({ event_type }) => event_type === name).length >= count, {
    what: `${count} of ${name}, of ${JSON.stringify(told)}`,
    timeoutMs: 20_000,
  });

test("what is deleted by hand is found, told of once, planned back, and over", async () => {
  const motd = join(parent, "motd-motd");
  const plan = await running.api.request<DeploymentResource>("POST", `${at}/deployments`, { mode: "plan" });
  await apply(await becomes(plan.id, "waiting"));
  await running.api.request("PUT", `${at}/drift`, { interval: "P1D" });
  expect(await checked()).toMatchObject({ status: "none", total: 0, resources: [] });

  rmSync(motd);
  const found = await checked();
  expect(found).toMatchObject({
    status: "drifted",
    total: 1,
    resources: [{ address: "local_file.motd", action: "deleted" }],
  });
  await news("drift_detected", 1);
  const check = await becomes(found.checked_deployment_id as string, "finished");
  expect(check.stages[0]?.run?.plan_summary).toMatchObject({ has_changes: true, counts: { forget: 1, destroy: 0 } });
  const changes = await running.api.text(`${at}/deployments/${check.id}/plan/changes`);
  expect(changes).toContain("local_file.motd");
  expect((await deployments()).map(({ mode }) => mode)).toEqual(["plan"]);
  expect(await commandLine()).toMatch(
    /^motd {2}drifted {2}since \S+ {2}1 resource\n {2}deleted {2}local_file\.motd\n$/,
  );

  await checked();
  await running.api.request("PUT", `${at}/drift`, { interval: "P1D", reconcile: "plan" });
  await checked();
  const mending = await waitFor(
    async () => (await deployments())[0]?.origin_type === "drift" && (await deployments())[0],
    {
      what: "the plan that mends it",
      timeoutMs: 30_000,
    },
  );
  const waiting = await becomes((mending as DeploymentResource).id, "waiting");
  expect(waiting.commit_sha).toBe(check.commit_sha);
  await apply(waiting);
  expect(readFileSync(motd, "utf8")).toBe("hello");
  await waitFor(async () => (await drift()).status === "none", { what: "the check after it", timeoutMs: 60_000 });
  await news("drift_resolved", 1);
  expect(told.map(({ event_type }) => event_type)).toEqual(["drift_detected", "drift_resolved"]);
  expect(told[0]?.drift).toEqual({ drifted: 1, addresses: ["local_file.motd"] });
});

test("what is changed by hand, and ignored, is none", async () => {
  await running.api.request("PUT", `${at}/drift`, { interval: "P1D", ignore: ["local_file.k*"] });
  rmSync(join(parent, "motd-kept"));
  expect(await checked()).toMatchObject({ status: "none", total: 0, ignored: 1 });
  expect(existsSync(join(parent, "motd-motd"))).toBe(true);
});

test("a provider that cannot look makes a failed check, which holds nothing", async () => {
  const mirror = join(tmpdir(), "svc-provider-cache", "terraformrc");
  const before = readFileSync(mirror, "utf8");
  writeFileSync(mirror, before.replace('mirror"', 'nowhere"'));
  try {
    expect(await checked()).toMatchObject({ status: "failed", error: expect.any(String) });
  } finally {
    writeFileSync(mirror, before);
  }
  await news("drift_check_failed", 1);
  const plan = await running.api.request<DeploymentResource>("POST", `${at}/deployments`, { mode: "plan" });
  await apply(await becomes(plan.id, "waiting"));
});

/** What `deploy drift motd` prints. */
async function commandLine(): Promise<string> {
  const { base_url, org_id, admin_token } = running.ready;
  const env = { ...process.env, DEPLOY_HOST: base_url, DEPLOY_ORG: org_id, DEPLOY_TOKEN: admin_token, NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, ["cli/main.ts", "drift", "motd"], { env });
  return stdout;
}
