/**
 * Raw commands and local plans on the whole product: API, Temporal, Postgres, the reference runner and real Terraform.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import { clearForms, databaseText, formsIn } from "../support/databaseText.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";
import { workflowHistories } from "../support/workflowHistories.ts";

let parent: string;
let running: LocalInstallation;
let deployments: string;
const stack = "commands";

const configuration = (resources: string[]) => `terraform {
  backend "local" {
    path = ${JSON.stringify(join(parent, "stack.tfstate"))}
  }
}
${resources.map((name) => `resource "terraform_data" "${name}" {}\n`).join("")}`;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-commands-"));
  running = await startLocalInstallation(join(parent, "data"));
  const { url } = commitFiles({ "main.tf": configuration(["kept"]) });
  await running.api.request("POST", "/stacks", {
    name: stack,
    repository_url: url,
    branch: "main",
    tool: running.ready.tool,
  });
  deployments = `/stacks/${stack}/deployments`;
  const { id } = await running.api.request<DeploymentResource>("POST", deployments, { mode: "plan" });
  const waiting = await becomes(id, ["waiting"]);
  await running.api.request("POST", `${deployments}/${id}/confirm`, {
    action: "apply",
    plan_run_id: planRunOf(waiting),
  });
  await becomes(id, ["finished"]);
}, 120_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

async function becomes(id: string, statuses: string[]): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", `${deployments}/${id}`);
      return (statuses.includes(deployment.status) || deployment.completed_at !== null) && deployment;
    },
    { what: `${id} to be ${statuses}`, timeoutMs: 45_000, everyMs: 100 },
  );
  expect(statuses, last.error ?? "").toContain(last.status);
  return last;
}

const run = (script: string) =>
  running.api.request<DeploymentResource>("POST", `${deployments}/run-command`, { script });
const log = (id: string) => running.api.text(`${deployments}/${id}/logs`);

test("a command sees the stack's state and ends finished; one that fails ends failed; the lane goes on each time", async () => {
  const good = await run(`${running.ready.tool} state list`);
  const bad = await run("echo before\nfalse\necho after");
  const next = await run("true");
  expect(await becomes(good.id, ["finished"])).toMatchObject({
    mode: "raw",
    command_bytes: `${running.ready.tool} state list`.length,
  });
  expect(await log(good.id)).toContain("terraform_data.kept");
  expect(await becomes(bad.id, ["failed"])).toMatchObject({ error: "The command failed with exit code 1." });
  expect(await log(bad.id)).toMatch(/before\n(?!.*after)/);
  await becomes(next.id, ["finished"]);
}, 90_000);

test("a command that is cancelled is interrupted and ends cancelled; what waited behind it runs", async () => {
  const [started, saved] = [join(parent, "started"), join(parent, "saved")];
  const long = await run(`trap 'touch ${saved}; exit 0' INT\ntouch ${started}\nwhile :; do sleep 0.1; done`);
  const next = await run("true");
  expect(next).toMatchObject({ status: "queued", blocked_by: long.id });
  await waitFor(async () => existsSync(started), { what: "the command to be at work", timeoutMs: 30_000 });
  await running.api.request("POST", `${deployments}/${long.id}/cancel`, {});
  await becomes(long.id, ["cancelled"]);
  expect(existsSync(saved)).toBe(true);
  await becomes(next.id, ["finished"]);
}, 90_000);

test("uploaded files are planned while a command holds the lane, and nothing of them is applied", async () => {
  const [started, go] = [join(parent, "holding"), join(parent, "go")];
  const holder = await run(`touch ${started}\nwhile [ ! -e ${go} ]; do sleep 0.1; done`);
  await waitFor(async () => existsSync(started), { what: "the command to be at work", timeoutMs: 30_000 });
  const archive = archiveOfFiles({ "main.tf": configuration(["kept", "uploaded"]) });
  const source = await running.api.upload<Record<string, string>>(
    `/stacks/${stack}/local-sources?sha256=${sha256Of(archive)}`,
    "application/gzip",
    archive,
  );
  const { local_source_key, local_source_sha256 } = source;
  const plan = await running.api.request<DeploymentResource>("POST", `${deployments}/local`, {
    local_source_key,
    local_source_sha256,
  });
  const planned = await becomes(plan.id, ["finished"]);
  expect(planned).toMatchObject({ mode: "plan_unlocked", origin_type: "local", local_source_sha256 });
  expect(planned.stages[0]?.run?.plan_summary?.counts).toMatchObject({ add: 1, destroy: 0 });
  expect(await log(plan.id)).toContain("terraform_data.uploaded will be created");
  await expect(running.api.request("POST", `${deployments}/${plan.id}/confirm`, { action: "apply" })).rejects.toThrow(
    "answered 409",
  );
  await expect(running.api.request("POST", `${deployments}/${plan.id}/retry`)).rejects.toThrow("answered 409");
  await writeFile(go, "");
  await becomes(holder.id, ["finished"]);
  expect(await readFile(join(parent, "stack.tfstate"), "utf8")).not.toContain("uploaded");
}, 90_000);

test("the text of a command is in no file, no table and no workflow history", async () => {
  const canary = `canary-${crypto.randomUUID()}`;
  const good = await run(`: ${canary}`);
  const bad = await run(`: ${canary}\nexit 9`);
  await becomes(good.id, ["finished"]);
  await becomes(bad.id, ["failed"]);

  const sql = postgres(running.ready.database_url, { max: 1 });
  const stored = await databaseText(sql).finally(() => sql.end());
  expect(stored).toContain(good.id);
  expect(formsIn(stored, canary)).toEqual([]);

  const { temporal_address, temporal_namespace } = running.ready;
  const histories = await workflowHistories(temporal_address, temporal_namespace);
  // The same search finds what is there: the deployment's id in a workflow's argument.
  expect(formsIn(histories, bad.id).length).toBeGreaterThan(1);
  expect(formsIn(histories, canary)).toEqual([]);

  // Logs of every program, Postgres' and Temporal's own files, stored objects, whatever a run left behind.
  const patterns = clearForms(canary).flatMap((form) => ["-e", form]);
  const found = () => execFileSync("grep", ["-rlaF", ...patterns, join(parent)], { encoding: "utf8" });
  expect(found).toThrow(expect.objectContaining({ status: 1, stdout: "" }));
  const known = execFileSync("grep", ["-rlaF", "-e", good.id, join(parent)], { encoding: "utf8" });
  expect(known).not.toBe("");
}, 90_000);
