/** One trace from a request through Temporal to the runner and back, on the whole product and a collector that keeps what it is sent. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DeploymentResource } from "../../src/deployments/resourceSchema.ts";
import { type CollectedSpan, type Collector, startCollector } from "../support/collector.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";

let parent: string;
let collector: Collector;
let running: LocalInstallation;
const deployments = "/stacks/traced/deployments";
beforeAll(async () => {
  collector = await startCollector();
  parent = await mkdtemp(join(tmpdir(), "svc-traces-"));
  running = await startLocalInstallation(join(parent, "data"), {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
  const { url } = commitFiles({ "main.tf": 'resource "terraform_data" "x" {}\n' });
  await running.api.request("POST", "/stacks", { name: "traced", repository_url: url, branch: "main" });
}, 90_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await collector?.close();
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

async function becomes(id: string, status: string): Promise<DeploymentResource> {
  return waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", `${deployments}/${id}`);
      return deployment.status === status && deployment;
    },
    { what: `${id} to be ${status}`, timeoutMs: 45_000, everyMs: 100 },
  );
}

/** The spans of a trace so far, once one of that name is among them. */
function traceWith(traceId: string, name: string): Promise<CollectedSpan[]> {
  const found = async () => {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    return spans.some((span) => span.name === name) && spans;
  };
  return waitFor(found, { what: `${name} in the trace`, timeoutMs: 15_000, everyMs: 100 });
}

/** The newest trace that begins with this request. */
function traceOf(request: string): Promise<string> {
  const found = async () =>
    collector.spans.findLast((span) => span.name === request && span.parentId === null)?.traceId;
  return waitFor(found, { what: `a trace of ${request}`, timeoutMs: 15_000, everyMs: 100 });
}

/** "service name <- service name" for each span and its parent. */
function edges(spans: readonly CollectedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const named = (span: CollectedSpan | undefined) => (span === undefined ? "?" : `${span.service} ${span.name}`);
  return spans.map(
    (span) => `${named(span)} <- ${span.parentId === null ? "nothing" : named(byId.get(span.parentId))}`,
  );
}

const CREATE = "POST /api/v1/orgs/:org_id/stacks/:stack_id/deployments";
const CONFIRM = `${CREATE}/:id/confirm`;

it("goes from the request by outbox and Temporal to the activities", async () => {
  const { id } = await running.api.request<DeploymentResource>("POST", deployments, { mode: "plan" });
  await becomes(id, "waiting");
  const created = await traceWith(await traceOf(CREATE), "RunActivity:readDeployment");
  expect(edges(created)).toEqual(
    expect.arrayContaining([
      `api ${CREATE} <- nothing`,
      `api StartWorkflow:deployment <- api ${CREATE}`,
      "worker RunActivity:readDeployment <- api StartWorkflow:deployment",
      "worker RunActivity:readRun <- api SignalWithStartWorkflow:assigned",
    ]),
  );
  const activity = created.find(({ name }) => name === "RunActivity:readDeployment");
  expect(activity?.attributes).toEqual({
    "temporal.activity.type": "readDeployment",
    "temporal.activity.attempt": 1,
    "temporal.activity.local": true,
    "temporal.workflow.type": "deployment",
    "temporal.workflow.id": `deployment/${id}`,
    "svc.deployment.id": id,
  });
  expect(activity?.links).toEqual([]);

  // A decision comes days later: what it causes is its own trace, with a link to the one that began the deployment.
  await running.api.request("POST", `${deployments}/${id}/confirm`, { action: "apply" });
  await becomes(id, "finished");
  const confirmed = await traceWith(await traceOf(CONFIRM), "RunActivity:decide");
  expect(edges(confirmed)).toEqual(
    expect.arrayContaining([
      `api ${CONFIRM} <- nothing`,
      `api UpdateWorkflow:confirm <- api ${CONFIRM}`,
      "worker RunActivity:decide <- api UpdateWorkflow:confirm",
      "api SignalWithStartWorkflow:assigned <- worker RunActivity:decide",
    ]),
  );
  expect(confirmed.find(({ name }) => name === "RunActivity:decide")?.links).toEqual([created[0]?.traceId]);
});
