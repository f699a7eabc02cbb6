/**
 * One trace from a request through Temporal to the runner and back, on the whole product and a collector that keeps
 * what it is sent.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { type CollectedSpan, type Collector, edges, startCollector } from "../support/collector.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";

let parent: string;
let collector: Collector;
let running: LocalInstallation;
beforeAll(async () => {
  collector = await startCollector();
  parent = await mkdtemp(join(tmpdir(), "svc-traces-"));
  running = await startLocalInstallation(join(parent, "data"), {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  const state = (name: string) => `terraform {
  backend "local" {
    path = ${JSON.stringify(join(parent, `${name}.tfstate`))}
  }
}
resource "terraform_data" "x" {}
`;
  for (const name of ["approving", "asking"]) {
    await running.api.request("POST", "/stacks", {
      name,
      repository_url: commitFiles({ "main.tf": state(name) }).url,
      branch: "main",
      auto_approve_mode: name === "approving" ? "auto" : "manual",
    });
  }
}, 90_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await collector?.close();
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

const CREATE = "POST /api/v1/orgs/:org_id/stacks/:stack_id/deployments";
const CONFIRM = `${CREATE}/:id/confirm`;
const DONE = "POST /api/v1/runs/:run_id/done";

async function plan(stack: string): Promise<string> {
  const { id } = await running.api.request<DeploymentResource>("POST", `/stacks/${stack}/deployments`, {
    mode: "plan",
  });
  return id;
}

function becomes(stack: string, id: string, status: string): Promise<DeploymentResource> {
  return waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", `/stacks/${stack}/deployments/${id}`);
      return deployment.status === status && deployment;
    },
    { what: `${id} to be ${status}`, timeoutMs: 60_000, everyMs: 200 },
  );
}

/** The newest trace that begins with this request, once all of `wanted` are in it. */
async function traceOf(request: string, wanted: string[]): Promise<CollectedSpan[]> {
  const newest = () => {
    const root = collector.spans.findLast((span) => span.name === request && span.parentId === null);
    return collector.spans.filter((span) => span.traceId === root?.traceId);
  };
  const complete = async () => wanted.every((edge) => edges(newest()).includes(edge));
  await waitFor(complete, { what: `a trace of ${request}`, timeoutMs: 45_000, everyMs: 100 }).catch(() => {});
  expect(edges(newest())).toEqual(expect.arrayContaining(wanted));
  return newest();
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.filter((span) => span.name === name);

it("is one for a deployment that nobody had to confirm: request, workflow's activities, both runs and their calls back", async () => {
  const id = await plan("approving");
  await becomes("approving", id, "finished");
  const artifact = "PUT /api/v1/runs/:run_id/artifacts/:kind";
  const spans = await traceOf(CREATE, [
    `api ${CREATE} <- nothing`,
    `api SignalWithStartWorkflow:assigned <- api ${CREATE}`,
    `runner run plan_run <- api ${CREATE}`,
    "runner checkout <- runner run plan_run",
    "runner terraform init <- runner run plan_run",
    "runner terraform plan <- runner run plan_run",
    "runner read the plan <- runner run plan_run",
    "runner upload plan <- runner run plan_run",
    `api ${artifact} <- runner upload plan`,
    "api PUT /api/v1/runs/:run_id/logs/chunks/:index <- runner run plan_run",
    "runner report <- runner run plan_run",
    `api ${DONE} <- runner report`,
    // The report of the plan made the run of the apply.
    `runner run apply_run <- api ${DONE}`,
    "runner download plan <- runner run apply_run",
    "runner terraform apply <- runner run apply_run",
    "runner report <- runner run apply_run",
    `api SignalWorkflow:runFinished <- api ${DONE}`,
  ]);
  expect(spans.filter(({ failed }) => failed)).toEqual([]);
  expect(edges(spans).filter((edge) => edge.endsWith("<- ?"))).toEqual([]);
  // Its workflows slept all the while, so no worker had a task with them. Any process's relay starts them.
  expect(spans.filter(({ name }) => name.startsWith("RunActivity:"))).toEqual([]);
  expect(named(spans, "StartWorkflow:deployment")).toHaveLength(1);

  const { org_id } = running.ready;
  expect(named(spans, "run apply_run")[0]?.attributes).toMatchObject({
    "svc.organization.id": org_id,
    "svc.deployment.id": id,
    "svc.run.kind": "apply_run",
    "svc.run.status": "success",
    "svc.tool": "terraform",
  });
  // A step is within its run.
  const [run] = named(spans, "run plan_run") as [CollectedSpan];
  for (const step of spans.filter(({ parentId, service }) => parentId === run.spanId && service === "runner")) {
    expect([step.name, step.start >= run.start && step.end <= run.end]).toEqual([step.name, true]);
  }
  // The accept of a run is asked for before its trace is known: it is linked.
  const accepts = named(collector.spans, "POST /api/v1/runs/:run_id/accept");
  expect(accepts.filter(({ links }) => links.includes(run.traceId))).toHaveLength(2);
  expect(named(collector.spans, "GET /api/v1/runs/:run_id/status")).toEqual([]);
  expect(await readFile(join(parent, "data", "logs", "api.log"), "utf8")).toContain(`"trace_id":"${run.traceId}"`);
});

it("of a decision is its own, with a link to the one that began the deployment, and so is what follows from it", async () => {
  const id = await plan("asking");
  await becomes("asking", id, "waiting");
  const began = await traceOf(CREATE, ["runner report <- runner run plan_run"]);
  await running.api.request("POST", `/stacks/asking/deployments/${id}/confirm`, { action: "apply" });
  await becomes("asking", id, "finished");
  const spans = await traceOf(CONFIRM, [
    `api ${CONFIRM} <- nothing`,
    `api UpdateWorkflow:confirm <- api ${CONFIRM}`,
    "worker RunActivity:decide <- api UpdateWorkflow:confirm",
    "api SignalWithStartWorkflow:assigned <- worker RunActivity:decide",
    "runner run apply_run <- worker RunActivity:decide",
    "runner terraform apply <- runner run apply_run",
    "worker RunActivity:readDeployment <- api SignalWorkflow:runFinished",
  ]);
  expect(named(spans, "RunActivity:decide").map(({ links }) => links)).toEqual([[began[0]?.traceId]]);
  expect(named(spans, "RunActivity:readDeployment").map(({ links }) => links)).toEqual([[began[0]?.traceId]]);
  expect(named(began, "run apply_run")).toEqual([]);
});

it("marks what failed, and tells what it was by its class alone", async () => {
  const { url } = commitFiles({ "main.tf": 'resource "canary_resource" {' });
  await running.api.request("POST", "/stacks", { name: "broken", repository_url: url, branch: "main" });
  await becomes("broken", await plan("broken"), "failed");
  const spans = await traceOf(CREATE, ["runner terraform init <- runner run plan_run"]);
  expect(spans.filter(({ failed }) => failed).map(({ name, attributes }) => [name, attributes["error.type"]])).toEqual(
    expect.arrayContaining([
      ["terraform init", "RunFailed"],
      ["run plan_run", undefined],
    ]),
  );
  expect(collector.text()).not.toContain("canary_resource");
});

it("holds nothing but these attributes", () => {
  const known = [
    /^http\.(?:request\.method|route|response\.status_code)$/,
    /^temporal\.(?:workflow\.(?:id|type)|activity\.(?:type|attempt|local))$/,
    /^svc\.(?:organization\.id|deployment\.id|run\.id|run\.kind|run\.status|tool)$/,
    /^(?:rpc\.system\.name|error\.type)$/,
  ];
  const names = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...names].filter((name) => !known.some((pattern) => pattern.test(name)))).toEqual([]);
});
