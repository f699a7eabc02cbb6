/** Two stacks on the whole product: the second is given what the first one left, and follows it (docs/outputs.md). */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { clearForms, databaseText, formsIn } from "../support/databaseText.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";
import { workflowHistories } from "../support/workflowHistories.ts";

const DIGITS = "123456789012345678901234567890";
const SECRET = `password-${crypto.randomUUID()}`;
const PART = `part-${crypto.randomUUID()}`;
const LIST = ["a$" + "{b}", "%{c}", 'say "d"\n', "\b"];

const network = (vpc: string) => `
output "vpc_id" {
  value = ${JSON.stringify(vpc)}
}
output "digits" {
  value = ${DIGITS}
}
output "list" {
  value = jsondecode(${JSON.stringify(JSON.stringify(LIST)).replaceAll(/[$%](?=\{)/g, "$&$&")})
}
output "password" {
  value     = ${JSON.stringify(SECRET)}
  sensitive = true
}
output "login" {
  value     = { user = "ada", keys = [${JSON.stringify(PART)}] }
  sensitive = true
}
`;
const declared = (output: string, type: string) => `
# svc:dependency: from_stack=network from_resource=output.${output} as=TF_VAR_${output} trigger=always
variable ${JSON.stringify(output)} {
  type = ${type}
}
`;
const app = `
${declared("vpc_id", "string")}
${declared("digits", "number")}
${declared("list", "list(string)")}
${declared("password", "string")}
${declared("login", "object({ user = string, keys = list(string) })")}
resource "terraform_data" "all" {
  input = { vpc = var.vpc_id, digits = var.digits, list = var.list }
}
resource "terraform_data" "shown" {
  input = jsonencode({ password = var.password, login = var.login })
  provisioner "local-exec" {
    command = "env; echo '\${var.password}' '\${jsonencode(var.login)}'"
  }
}
check "loud" {
  assert {
    condition     = length(var.vpc_id) == 0
    error_message = "It is \${var.password} of \${var.login.keys[0]}."
  }
}
output "vpc" {
  value = "in \${var.vpc_id}"
}
output "digits" {
  value = var.digits
}
output "list" {
  value = var.list
}
output "copy" {
  value = "copy of \${var.password}"
}
`;

let parent: string;
let running: LocalInstallation;
let sql: postgres.Sql;
let repository: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-outputs-"));
  running = await startLocalInstallation(join(parent, "data"));
  sql = postgres(running.ready.database_url, { max: 2 });
  const { url } = commitFiles({ "README.md": "two stacks" });
  repository = fileURLToPath(url);
  commit({ "network/main.tf": network("vpc-1"), "app/main.tf": app });
  for (const name of ["network", "app"]) {
    const settings = { name, repository_url: url, branch: "main", tool: running.ready.tool, working_directory: name };
    await running.api.request("POST", "/stacks", settings);
  }
}, 120_000);
afterAll(async () => {
  await sql?.end();
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

function commit(files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(repository, name, ".."), { recursive: true });
    writeFileSync(join(repository, name), content);
  }
  const author = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  execFileSync("git", ["add", "."], { cwd: repository });
  execFileSync("git", [...author, "commit", "--quiet", "-m", "more"], { cwd: repository });
}

const at = (stack: string) => `/stacks/${stack}/deployments`;
const log = (stack: string, id: string) => running.api.text(`${at(stack)}/${id}/logs`);

async function becomes(stack: string, id: string, ...statuses: string[]): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", `${at(stack)}/${id}`);
      return (statuses.includes(deployment.status) || deployment.completed_at !== null) && deployment;
    },
    { what: `${id} to be ${statuses}`, timeoutMs: 60_000, everyMs: 100 },
  );
  expect(statuses, `${last.error}\n${await log(stack, id)}`).toContain(last.status);
  return last;
}

async function plan(stack: string, ...statuses: string[]): Promise<DeploymentResource> {
  const made = await running.api.request<DeploymentResource>("POST", at(stack), { mode: "plan" });
  return becomes(stack, made.id, ...statuses);
}

async function confirm(stack: string, planned: DeploymentResource): Promise<void> {
  const body = { action: "apply", plan_run_id: planRunOf(planned) };
  await running.api.request("POST", `${at(stack)}/${planned.id}/confirm`, body);
  await becomes(stack, planned.id, "finished");
}

/** The newest deployment of app that an apply of network has made, once there are so many. */
function following(count: number): Promise<DeploymentResource> {
  return waitFor(
    async () => {
      const { items } = await running.api.request<{ items: DeploymentResource[] }>("GET", at("app"));
      const made = items.filter(({ origin_type }) => origin_type === "dependency");
      return made.length === count && made[0];
    },
    { what: `${count} deployments of app after network`, timeoutMs: 60_000, everyMs: 100 },
  );
}

type Outputs = { items: { name: string; sensitive: boolean; value: string | null }[] };
const outputs = async (stack: string) =>
  Object.fromEntries(
    (await running.api.request<Outputs>("GET", `/stacks/${stack}/outputs`)).items.map((each) => [
      each.name,
      each.value,
    ]),
  );

test("a plan whose inputs are missing says which, and runs nothing", async () => {
  const failed = await plan("app", "failed");
  expect(failed.error).toContain("(inputs_missing): output vpc_id of stack network: the stack gives this one no");
  await running.api.request("PUT", "/stacks/network/output-readers/app", { sensitive: true });
  const waiting = await plan("app", "failed");
  expect(waiting.error).toContain("output list of stack network: the stack was not applied yet");
  expect(waiting.error).toContain("planned again after the next apply");
}, 120_000);

test("every kind of value arrives as it was", async () => {
  await confirm("network", await plan("network", "waiting"));
  expect(await outputs("network")).toEqual({
    digits: DIGITS,
    list: JSON.stringify(LIST),
    login: null,
    password: null,
    vpc_id: '"vpc-1"',
  });
  // It has waited for that.
  const planned = await becomes("app", (await following(1)).id, "waiting");
  expect(await log("app", planned.id)).toContain("TF_VAR_vpc_id from output.vpc_id of network");
  await confirm("app", planned);
  expect(await outputs("app")).toEqual({
    copy: null,
    digits: DIGITS,
    list: JSON.stringify(LIST),
    vpc: '"in vpc-1"',
  });
  expect(await log("app", planned.id)).toMatch(/It is \*\*\* of\s+\*\*\*/);
}, 180_000);

test("when a used output changes the second stack is deployed with the new value", async () => {
  commit({ "network/main.tf": network("vpc-2") });
  await confirm("network", await plan("network", "waiting"));
  await confirm("app", await becomes("app", (await following(2)).id, "waiting"));
  expect((await outputs("app")).vpc).toBe('"in vpc-2"');
  // Another one changes, which it does not use.
  commit({ "network/more.tf": 'output "unused" {\n  value = "x"\n}\n' });
  const planned = await plan("network", "waiting");
  await confirm("network", planned);
  const { items } = await waitFor(
    async () => {
      const answer = await running.api.request<Dependents>("GET", `${at("network")}/${planned.id}/dependents`);
      return answer.dependents_resolved_at !== null && answer;
    },
    { what: "the dependents", timeoutMs: 60_000, everyMs: 100 },
  );
  expect(items).toMatchObject([{ dependent_stack_id: "app", skipped_reason: "not_affected" }]);
}, 240_000);

type Dependents = { dependents_resolved_at: string | null; items: object[] };

test("nothing sensitive is in logs, events, errors, answers, histories, rows or files", async () => {
  const answers: string[] = [];
  const { base_url, org_id, admin_token, explore_database_url } = running.ready;
  const read = async (path: string) => {
    const headers = { authorization: `Bearer ${admin_token}` };
    answers.push(await (await fetch(`${base_url}/api/v1/orgs/${org_id}${path}`, { headers })).text());
  };
  for (const stack of ["network", "app"]) {
    const { items } = await running.api.request<{ items: DeploymentResource[] }>("GET", at(stack));
    for (const { id } of items) {
      for (const part of ["", "/logs", "/events", "/plan", "/plan/changes", "/plan/text", "/dependents"])
        await read(`${at(stack)}/${id}${part}`);
    }
    for (const part of ["", "/outputs", "/outputs/password", "/outputs/copy", "/output-readers", "/variables"])
      await read(`/stacks/${stack}${part}`);
  }
  await read("/audit-log");
  await read("/explore/resources");
  const explore = postgres(explore_database_url, { max: 1 });
  const { temporal_address, temporal_namespace } = running.ready;
  const searched = {
    answers: answers.join("\n"),
    database: await databaseText(sql),
    explore: await databaseText(explore).finally(() => explore.end()),
    histories: await workflowHistories(temporal_address, temporal_namespace),
  };
  for (const secret of [SECRET, PART]) {
    for (const [where, text] of Object.entries(searched)) expect([where, formsIn(text, secret)]).toEqual([where, []]);
    // Stored objects, every program's log, and the databases' own files.
    const patterns = clearForms(secret).flatMap((form) => ["-e", form]);
    const found = () => execFileSync("grep", ["-rlaF", ...patterns, join(parent, "data")], { encoding: "utf8" });
    expect(found).toThrow(expect.objectContaining({ status: 1, stdout: "" }));
  }
  // It is there, for who asks for it by name.
  const shown = await running.api.request<{ value: string }>("GET", "/stacks/network/outputs/password?reveal=true");
  expect(shown.value).toBe(JSON.stringify(SECRET));
}, 120_000);
