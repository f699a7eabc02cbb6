/** A stack without a backend on the whole product: its runs have their state here (docs/state.md). */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";

let parent: string;
let running: LocalInstallation;
let sql: postgres.Sql;
let repository: string;
const at = "/stacks/hosted/deployments";

const one = 'resource "terraform_data" "one" {\n  input = "one"\n}\n';
const two = 'resource "terraform_data" "two" {\n  input = "two"\n}\n';

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-state-"));
  running = await startLocalInstallation(join(parent, "data"));
  sql = postgres(running.ready.database_url, { max: 2 });
  const { url } = commitFiles({ "main.tf": one });
  repository = fileURLToPath(url);
  const { tool } = running.ready;
  await running.api.request("POST", "/stacks", { name: "hosted", repository_url: url, branch: "main", tool });
}, 120_000);
afterAll(async () => {
  await sql?.end();
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

async function becomes(id: string, ...statuses: string[]): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", `${at}/${id}`);
      return (statuses.includes(deployment.status) || deployment.completed_at !== null) && deployment;
    },
    { what: `${id} to be ${statuses}`, timeoutMs: 60_000, everyMs: 100 },
  );
  expect(statuses, `${last.error}\n${await log(id)}`).toContain(last.status);
  return last;
}

const log = (id: string) => running.api.text(`${at}/${id}/logs`);
const plan = () => running.api.request<DeploymentResource>("POST", at, { mode: "plan" });
const run = (script: string) => running.api.request<DeploymentResource>("POST", `${at}/run-command`, { script });
const confirm = (planned: DeploymentResource) =>
  running.api.request("POST", `${at}/${planned.id}/confirm`, { action: "apply", plan_run_id: planRunOf(planned) });
const countsOf = (deployment: DeploymentResource) => deployment.stages[0]?.run?.plan_summary?.counts;
const versions = () => sql`select * from state_versions where number is not null order by number`;

function commit(files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(repository, name), content);
  const author = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  execFileSync("git", ["add", "."], { cwd: repository });
  execFileSync("git", [...author, "commit", "--quiet", "-m", "more"], { cwd: repository });
}

test("what is applied is there for the next plan, for commands and for local plans", async () => {
  const first = await becomes((await plan()).id, "waiting");
  expect(first.stages[0]?.run?.plan_summary?.warnings ?? []).toEqual([]);
  expect(await log(first.id)).toContain("The service keeps the state of this stack.");
  await confirm(first);
  await becomes(first.id, "finished");
  const [version] = await versions();
  expect(version).toMatchObject({ number: "1", origin: "run", resources: "1", created_by: null });
  expect(await sql`select from stack_states where lock_id is not null`).toHaveLength(0);

  const nothing = await becomes((await plan()).id, "finished", "skipped");
  expect(nothing.stages[0]?.run?.plan_summary?.has_changes).toBe(false);

  const listed = await becomes((await run(`${running.ready.tool} state list`)).id, "finished");
  expect(await log(listed.id)).toContain("terraform_data.one");

  const archive = archiveOfFiles({ "main.tf": one + two });
  const upload = `/stacks/hosted/local-sources?sha256=${sha256Of(archive)}`;
  const { local_source_key, local_source_sha256 } = await running.api.upload<Record<string, string>>(
    upload,
    "application/gzip",
    archive,
  );
  const body = { local_source_key, local_source_sha256 };
  const local = await running.api.request<DeploymentResource>("POST", `${at}/local`, body);
  expect(countsOf(await becomes(local.id, "finished"))).toMatchObject({ add: 1, change: 0, destroy: 0 });
  expect(await versions()).toHaveLength(1);
}, 180_000);

test("a command changes it, and the next plan sees that", async () => {
  const { tool } = running.ready;
  const removed = await becomes((await run(`${tool} state rm terraform_data.one`)).id, "finished");
  expect(await log(removed.id)).toContain("terraform_data.one");
  expect(await versions()).toHaveLength(2);
  const again = await becomes((await plan()).id, "waiting");
  expect(countsOf(again)).toMatchObject({ add: 1 });
  await confirm(again);
  await becomes(again.id, "finished");
}, 120_000);

test("the lock ends with a run whose runner dies, in the moment that ends it", async () => {
  const begun = join(parent, "begun");
  const slow = `resource "terraform_data" "slow" {\n  provisioner "local-exec" {\n    command = "touch ${begun}; sleep 600"\n  }\n}\n`;
  commit({ "slow.tf": slow });
  const planned = await becomes((await plan()).id, "waiting");
  await confirm(planned);
  await waitFor(async () => existsSync(begun), { what: "the apply to be at work", timeoutMs: 60_000 });
  const [held] = await sql`select lock_run_id from stack_states where lock_id is not null`;
  const [live] = await sql`select id from runs where kind = 'apply_run' and completed_at is null`;
  expect(held?.lock_run_id).toBe(live?.id);
  const token = running.ready.admin_token;
  const refused = await fetch(
    `${running.ready.base_url}/api/v1/orgs/${running.ready.org_id}/stacks/hosted/state/lock`,
    {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ ID: "mine" }),
    },
  );
  expect([refused.status, ((await refused.json()) as { Operation: string }).Operation]).toEqual([
    423,
    "OperationTypeApply",
  ]);
  await running.api.request("POST", `${at}/${planned.id}/cancel`, {});
  await becomes(planned.id, "cancelled");
  expect(await sql`select from stack_states where lock_id is not null`).toHaveLength(0);
}, 120_000);

test("a stack with resources in its state is deleted only with force", async () => {
  await expect(running.api.request("DELETE", "/stacks/hosted")).rejects.toThrow("answered 409");
  await running.api.request("DELETE", "/stacks/hosted?force=true");
}, 60_000);
