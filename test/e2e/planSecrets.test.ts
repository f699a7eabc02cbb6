/**
 * A plan with sensitive values on the whole product, with real Terraform: people read the plan, and none of the
 * values.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import type { PlanChange } from "../../src/core/runs/planChange.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { clearForms, databaseText, formsIn } from "../support/databaseText.ts";
import { openEventStream, readAll } from "../support/eventStream.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";
import { workflowHistories } from "../support/workflowHistories.ts";

const PASSWORD = `hunter2-${crypto.randomUUID()}`;
const ENDPOINT = `endpoint-${crypto.randomUUID()}`;

let parent: string;
let running: LocalInstallation;

/**
 * A sensitive variable, copied by the provider into a computed attribute that is not marked, and a sensitive output.
 */
const configuration = () => ({
  "main.tf": `terraform {
  backend "local" { path = ${JSON.stringify(join(parent, "stack.tfstate"))} }
}
variable "password" {
  sensitive = true
}
resource "terraform_data" "login" {
  input            = { user = "admin", password = var.password }
  triggers_replace = [var.password]
}
resource "terraform_data" "shown" {
  input = "for everyone"
}
output "endpoint" {
  value     = "https://${ENDPOINT}.example"
  sensitive = true
}
output "note" {
  value = "for everyone too"
}
`,
  "secret.auto.tfvars": `password = ${JSON.stringify(PASSWORD)}\n`,
});

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-secrets-"));
  running = await startLocalInstallation(join(parent, "data"));
}, 90_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

async function becomes(path: string, status: string): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", path);
      return (deployment.status === status || deployment.completed_at !== null) && deployment;
    },
    { what: `${path} to be ${status}`, timeoutMs: 45_000, everyMs: 100 },
  );
  expect(last, last.error ?? "").toMatchObject({ status });
  return last;
}

test("values marked sensitive are shown to nobody, are in no table and no history, and the rest of the plan is shown", async () => {
  const { url } = commitFiles(configuration());
  await running.api.request("POST", "/stacks", {
    name: "secrets",
    repository_url: url,
    branch: "main",
    tool: running.ready.tool,
  });
  const deployments = "/stacks/secrets/deployments";
  const { id } = await running.api.request<DeploymentResource>("POST", deployments, { mode: "plan" });
  const path = `${deployments}/${id}`;
  const { base_url, org_id, admin_token } = running.ready;
  const stream = await openEventStream(`${base_url}/api/v1/orgs/${org_id}${path}/logs`, {
    authorization: `Bearer ${admin_token}`,
  });
  const followed = readAll(stream);
  const waiting = await becomes(path, "waiting");

  const plan = await running.api.request<{ summary: object; run_id: string }>("GET", `${path}/plan`);
  expect(plan).toMatchObject({ run_id: planRunOf(waiting), summary: { counts: { add: 2, destroy: 0 } } });
  const { items } = await running.api.request<{ items: PlanChange[] }>("GET", `${path}/plan/changes`);
  expect(items.map(({ kind, address, action }) => `${kind} ${address} ${action}`)).toEqual([
    "resource terraform_data.login add",
    "resource terraform_data.shown add",
    "output output.endpoint add",
    "output output.note add",
  ]);
  expect(items[0]?.after).toMatchObject({ input: { user: "admin", password: "(sensitive value)" } });
  expect(items[2]?.after).toBe("(sensitive value)");
  expect(items[3]?.after).toBe("for everyone too");
  const text = await running.api.text(`${path}/plan/text`);
  expect(text).toContain("terraform_data.login will be created");
  expect(text).toContain("for everyone");

  await running.api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: plan.run_id });
  await becomes(path, "finished");
  // What is sensitive is real: the apply used it.
  expect(await readFile(join(parent, "stack.tfstate"), "utf8")).toContain(PASSWORD);

  // A second plan, in which the engine shows what is stored as what was before.
  const again = commitFiles({ ...configuration(), "secret.auto.tfvars": `password = "${PASSWORD}-changed"\n` });
  await running.api.request("PATCH", "/stacks/secrets", { repository_url: again.url });
  const second = await running.api.request<DeploymentResource>("POST", deployments, { mode: "plan" });
  const replaced = `${deployments}/${second.id}`;
  await becomes(replaced, "waiting");
  const changed = await running.api.request<{ items: PlanChange[] }>("GET", `${replaced}/plan/changes`);
  expect(changed.items).toMatchObject([{ address: "terraform_data.login", action: "replace" }]);

  const events = await followed;
  expect(events.at(-1)).toMatchObject({ event: "end", data: { status: "finished" } });
  const log = await running.api.text(`${path}/logs`);
  expect(events.map(({ data }) => data.text ?? "").join("")).toBe(log);
  expect(log).toContain("Apply complete!");

  const reads = [path, `${path}/events`, `${path}/plan`, `${path}/plan/changes`, `${path}/plan/text`, `${path}/logs`];
  const second_reads = [replaced, `${replaced}/plan/changes`, `${replaced}/plan/text`, `${replaced}/logs`];
  const answers = await Promise.all([...reads, ...second_reads].map((read) => running.api.text(read)));
  const { database_url, temporal_address, temporal_namespace } = running.ready;
  const sql = postgres(database_url, { max: 1 });
  const tables = await databaseText(sql).finally(() => sql.end());
  const histories = await workflowHistories(temporal_address, temporal_namespace);
  for (const secret of [PASSWORD, ENDPOINT]) {
    expect(formsIn(answers.join("\n"), secret)).toEqual([]);
    expect(formsIn(JSON.stringify(events), secret)).toEqual([]);
    expect(formsIn(tables, secret)).toEqual([]);
    expect(formsIn(histories, secret)).toEqual([]);
    // Stored artifacts, every program's log, the databases' own files, and what runs left behind.
    const patterns = clearForms(secret).flatMap((form) => ["-e", form]);
    const found = () => execFileSync("grep", ["-rlaF", ...patterns, join(parent, "data")], { encoding: "utf8" });
    expect(found).toThrow(expect.objectContaining({ status: 1, stdout: "" }));
  }
}, 150_000);
