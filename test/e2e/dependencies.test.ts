/**
 * Dependencies on the whole product: comments and remote states in real configurations, scanned by the reference
 * runner, and a cascade of real applies that passes a value on.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";

type Dependent = { dependent_stack_id: string; triggered_deployment_id: string | null; skipped_reason: string | null };
type Edge = { dependent: string; dependency: string; trigger: string; provenance: string; declared_at: object | null };

let parent: string;
let running: LocalInstallation;
let repository: string;

const stateOf = (stack: string) => join(parent, `${stack}.tfstate`);
const backend = (stack: string) => `terraform {
  backend "local" { path = ${JSON.stringify(stateOf(stack))} }
}
`;
const network = (vpc: string, zone: string) => `${backend("network")}
resource "terraform_data" "vpc" { input = "${vpc}" }
resource "terraform_data" "zone" { input = "${zone}" }
output "vpc_id" { value = terraform_data.vpc.output }
output "zone_id" { value = terraform_data.zone.output }
`;
/** Reads the network's state, and says why in `comments`. */
const reader = (stack: string, output: string, comments: string) => `${backend(stack)}${comments}
data "terraform_remote_state" "network" {
  backend = "local"
  config  = { path = ${JSON.stringify(stateOf("network"))} }
}
resource "terraform_data" "service" { input = data.terraform_remote_state.network.outputs.${output} }
`;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-dependencies-"));
  const { url } = commitFiles({
    "network/main.tf": network("vpc-1", "zone-1"),
    "app/main.tf": reader(
      "app",
      "vpc_id",
      `# svc:dependency: from_stack_tpl="{{ .stack.Labels.base }}" from_resource=output.vpc_id trigger=always
# svc:dependency: from_stack=elsewhere stack=someone-else
# svc:dependency: from_stack=network sometimes`,
    ),
    "dns/main.tf": reader(
      "dns",
      "zone_id",
      "// svc:dependency: from_stack=network from_resource=output.zone_id trigger=always",
    ),
    "reports/main.tf": reader("reports", "vpc_id", ""),
  });
  repository = fileURLToPath(url);
  running = await startLocalInstallation(join(parent, "data"));
  for (const name of ["network", "app", "dns", "reports"]) {
    await running.api.request("POST", "/stacks", {
      name,
      repository_url: url,
      branch: "main",
      working_directory: name,
      tool: running.ready.tool,
      labels: name === "app" ? { base: "network" } : {},
      auto_approve_mode: name === "app" || name === "dns" ? "auto" : "manual",
    });
  }
  await deploy("network");
  await Promise.all(["app", "dns", "reports"].map(deploy));
}, 180_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

function commit(file: string, content: string): void {
  mkdirSync(dirname(join(repository, file)), { recursive: true });
  writeFileSync(join(repository, file), content);
  const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  execFileSync("git", ["-C", repository, ...author, "commit", "--quiet", "--all", `--message=${file}`]);
}

/** The deployment once it has one of these; one that ends otherwise fails the test with its own words. */
async function becomes(stack: string, id: string, statuses: string[]): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const one = await running.api.request<DeploymentResource>("GET", `/stacks/${stack}/deployments/${id}`);
      return (statuses.includes(one.status) || one.completed_at !== null) && one;
    },
    { what: `${stack}'s deployment to be ${statuses}`, timeoutMs: 60_000, everyMs: 100 },
  );
  expect(statuses, last.error ?? "").toContain(last.status);
  return last;
}

/** Plan, confirm where a person has to, apply. */
async function deploy(stack: string): Promise<DeploymentResource> {
  const { id } = await running.api.request<DeploymentResource>("POST", `/stacks/${stack}/deployments`, {
    mode: "plan",
  });
  return settle(stack, id);
}

async function settle(stack: string, id: string): Promise<DeploymentResource> {
  const reached = await becomes(stack, id, ["waiting", "finished"]);
  if (reached.status === "finished") return reached;
  const confirm = { action: "apply", plan_run_id: planRunOf(reached) };
  await running.api.request("POST", `/stacks/${stack}/deployments/${id}/confirm`, confirm);
  return becomes(stack, id, ["finished"]);
}

const edgesOf = async (stack: string) =>
  (await running.api.request<{ edges: Edge[] }>("GET", `/stacks/${stack}/dependencies`)).edges;

/** What the apply did to its dependents, by stack, once it is resolved. */
async function dependentsOf(id: string): Promise<Record<string, Dependent>> {
  const { items } = await waitFor(
    async () => {
      const answer = await running.api.request<{ dependents_resolved_at: string | null; items: Dependent[] }>(
        "GET",
        `/stacks/network/deployments/${id}/dependents`,
      );
      return answer.dependents_resolved_at !== null && answer;
    },
    { what: "the dependents to be resolved", timeoutMs: 45_000, everyMs: 100 },
  );
  return Object.fromEntries(items.map((one) => [one.dependent_stack_id, one]));
}

async function appliedValue(stack: string): Promise<unknown> {
  const { resources } = JSON.parse(await readFile(stateOf(stack), "utf8"));
  return resources.find((one: { type: string }) => one.type === "terraform_data").instances[0].attributes.input.value;
}

test("comments and remote states become edges, each saying where it comes from; a malformed comment is told in the run's log", async () => {
  const edges = await waitFor(
    async () => {
      const found = await edgesOf("network");
      return found.length >= 5 && found;
    },
    { what: "every edge", timeoutMs: 30_000, everyMs: 100 },
  );
  const read = {
    dependency: "resource:network:terraform.state",
    provenance: "inferred",
    trigger: "manual",
    declared_at: null,
  };
  const declared = { trigger: "always", provenance: "declared" };
  const sorted = edges.toSorted((a, b) => (a.dependent + a.dependency < b.dependent + b.dependency ? -1 : 1));
  expect(sorted).toMatchObject([
    {
      dependent: "resource:app:data.terraform_remote_state.network",
      dependency: "resource:network:output.vpc_id",
      declared_at: { file: "main.tf", line: 4 },
      ...declared,
    },
    { dependent: "resource:app:data.terraform_remote_state.network", ...read },
    {
      dependent: "resource:dns:data.terraform_remote_state.network",
      dependency: "resource:network:output.zone_id",
      ...declared,
    },
    { dependent: "resource:dns:data.terraform_remote_state.network", ...read },
    { dependent: "resource:reports:data.terraform_remote_state.network", ...read },
  ]);
  const [deployment] = (await running.api.request<{ items: DeploymentResource[] }>("GET", "/stacks/app/deployments"))
    .items;
  expect(await running.api.text(`/stacks/app/deployments/${deployment?.id}/logs`)).toContain(
    'Ignored comment: main.tf:6: expected key=value at "sometimes"',
  );
  const { analysis } = await running.api.request<{ analysis: unknown }>("GET", "/stacks/app/dependencies");
  expect(analysis).toMatchObject({
    comment_errors: ['main.tf:6: expected key=value at "sometimes"'],
    comment_errors_count: 1,
  });
});

test("an apply deploys what depends on the output that changed, once, and says why; the others say why not", async () => {
  commit("network/main.tf", network("vpc-2", "zone-1"));
  const applied = await deploy("network");
  const { app, dns, reports } = await dependentsOf(applied.id);
  expect(app).toMatchObject({
    trigger: "always",
    evidence: "both",
    skipped_reason: null,
    triggering_resources: [
      {
        parent_resource: "output.vpc_id",
        dependent_resource: "data.terraform_remote_state.network",
        provenance: "declared",
      },
      {
        parent_resource: "terraform.state",
        dependent_resource: "data.terraform_remote_state.network",
        provenance: "inferred",
      },
    ],
  });
  const child = await becomes("app", String(app?.triggered_deployment_id), ["finished"]);
  expect(child).toMatchObject({
    origin_type: "dependency",
    origin_dependency_deployment_id: applied.id,
    origin_dependency_stack_id: "network",
    cascade_stack_path: ["network"],
    created_by: null,
  });
  expect(await appliedValue("app")).toBe("vpc-2");
  const { items } = await running.api.request<{ items: DeploymentResource[] }>("GET", "/stacks/app/deployments");
  expect(items.filter((one) => one.origin_type === "dependency").map(({ id }) => id)).toEqual([child.id]);

  // Its declared edge names an output that stayed as it was, and decides over the state that it is read from.
  expect(dns).toMatchObject({
    triggered_deployment_id: null,
    skipped_reason: "not_affected",
    triggering_resources: [],
  });
  expect(reports).toMatchObject({
    triggered_deployment_id: null,
    skipped_reason: "manual_trigger",
    evidence: "inferred",
  });
  expect(await appliedValue("reports")).toBe("vpc-1");
}, 120_000);

test("a person deploys a dependent that waits for one by the button, once", async () => {
  const { items } = await running.api.request<{ items: DeploymentResource[] }>("GET", "/stacks/network/deployments");
  const path = `/stacks/network/deployments/${items[0]?.id}/dependents/reports/deploy`;
  const pressed = await running.api.request<DeploymentResource>("POST", path);
  expect(pressed).toMatchObject({ origin_type: "dependency", origin_dependency_stack_id: "network" });
  await expect(running.api.request("POST", path)).rejects.toThrow("already_triggered");
  await settle("reports", pressed.id);
  expect(await appliedValue("reports")).toBe("vpc-2");
}, 90_000);

test("an apply that changes nothing that is depended on triggers nobody, and a comment that is taken away takes its edge away", async () => {
  commit("dns/main.tf", reader("dns", "zone_id", ""));
  await deploy("dns");
  await waitFor(async () => (await edgesOf("dns")).every(({ provenance }) => provenance === "inferred"), {
    what: "the declared edge to go",
    timeoutMs: 30_000,
    everyMs: 100,
  });
  commit("network/main.tf", `${network("vpc-2", "zone-1")}resource "terraform_data" "unrelated" {}\n`);
  const applied = await deploy("network");
  const dependents = await dependentsOf(applied.id);
  expect(Object.values(dependents).map((one) => one.triggered_deployment_id)).toEqual([null, null, null]);
  expect(Object.values(dependents).map((one) => one.skipped_reason)).toEqual([
    "not_affected",
    "not_affected",
    "not_affected",
  ]);
}, 120_000);
