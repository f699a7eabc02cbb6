/**
 * Source control on the whole product, as a team meets it: a code host over HTTP with a real repository behind it,
 * signed deliveries, and the reference runner that clones with the integration's token and plans with real Terraform.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf, planSummaryOf } from "../../src/main/demo/apiClient.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { APP_ID, type Delivered, ScriptedHost } from "../support/scriptedHost.ts";
import { waitFor } from "../support/waitFor.ts";

const BRANCH = "release/50%#1";

let parent: string;
let running: LocalInstallation;
let host: ScriptedHost;
let webhookUrl: string;
let first: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-source-control-"));
  [host, running] = await Promise.all([
    ScriptedHost.start(),
    startLocalInstallation(join(parent, "data"), { SVC_EGRESS_ALLOW: "127.0.0.1" }),
  ]);
  first = await host.commit({ "network/main.tf": resources("network", 1), "app/main.tf": resources("app", 1) });
  await host.commit({}, { branch: BRANCH });
}, 90_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await host?.stop();
  await rm(parent, { recursive: true, force: true });
}, 90_000);

function resources(stack: string, count: number): string {
  return `terraform {
  backend "local" { path = ${JSON.stringify(join(parent, `${stack}.tfstate`))} }
}
resource "terraform_data" "thing" { count = ${count} }
`;
}

const applied = async (stack: string) => {
  const state = JSON.parse(await readFile(join(parent, `${stack}.tfstate`), "utf8"));
  return state.resources.flatMap((resource: { instances: unknown[] }) => resource.instances).length;
};

async function deliver({ body, headers }: Delivered): Promise<string[]> {
  const answer = await fetch(webhookUrl, { method: "POST", body, headers });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { event_ids: string[] }).event_ids;
}

type PullRequest = { number: number; head_sha: string; latest_deployment_id: string | null };
const pullRequests = async (stack: string) =>
  (await running.api.request<{ items: PullRequest[] }>("GET", `/stacks/${stack}/pull-requests`)).items;
const deployments = async (stack: string) =>
  (await running.api.request<{ items: DeploymentResource[] }>("GET", `/stacks/${stack}/deployments`)).items;
const eventually = <T>(what: string, read: () => Promise<T | undefined | false>) =>
  waitFor(async () => (await read()) || undefined, { what, timeoutMs: 45_000, everyMs: 100 }) as Promise<T>;

/** The deployment once it has `status`; one that ends otherwise fails the test with its own words. */
async function becomes(stack: string, id: string, status: string): Promise<DeploymentResource> {
  const last = await eventually(`${stack}'s deployment to be ${status}`, async () => {
    const one = await running.api.request<DeploymentResource>("GET", `/stacks/${stack}/deployments/${id}`);
    return (one.status === status || one.completed_at !== null) && one;
  });
  expect(last, last.error ?? "").toMatchObject({ status });
  return last;
}

const previewOf = (stack: string, sha: string) =>
  eventually(`a preview of ${sha}`, async () =>
    (await deployments(stack)).find((one) => one.mode === "plan_unlocked" && one.commit_sha === sha),
  );
const shown = (sha: string, context: string) =>
  host.statuses.filter((status) => status.sha === sha && status.context === context).at(-1)?.state;
const showsState = (sha: string, context: string, state: string) =>
  eventually(`status ${state}`, async () => shown(sha, context) === state);

async function apply(stack: string, waiting: DeploymentResource): Promise<void> {
  const path = `/stacks/${stack}/deployments/${waiting.id}`;
  await running.api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: planRunOf(waiting) });
  await becomes(stack, waiting.id, "finished");
}

it("an integration and its stacks are made by the API", async () => {
  const integration = await running.api.request<{ id: string; webhook_url: string }>("POST", "/scm-integrations", {
    name: "acme",
    url_pattern: `^${host.url}/acme/`,
    api_base_url: host.apiUrl,
    auth_config: { kind: "app", app_id: APP_ID, private_key: host.appKey, webhook_secret: host.webhookSecret },
  });
  webhookUrl = integration.webhook_url;
  expect(JSON.stringify(integration)).not.toContain(host.webhookSecret);
  for (const name of ["network", "app"]) {
    await running.api.request("POST", "/stacks", {
      name,
      repository_url: host.repositoryUrl,
      branch: BRANCH,
      working_directory: name,
      tool: running.ready.tool,
      pr_plan_mode: name === "app" ? "auto" : "manual",
    });
  }
});

it("a signed push deploys the stacks it touches: cloned with the app's token, planned, confirmed, applied", async () => {
  const sha = await host.commit(
    { "network/main.tf": resources("network", 2) },
    { branch: BRANCH, message: "Two of them" },
  );
  const delivered = host.push(BRANCH, first, sha);
  expect(await deliver(delivered)).toHaveLength(1);
  expect(await deliver(delivered)).toEqual([]);
  const pushed = await eventually("the push to be deployed", async () => (await deployments("network"))[0]);
  expect(pushed).toMatchObject({
    mode: "plan",
    origin_type: "push",
    commit_sha: sha,
    commit_message: "Two of them",
    commit_author: "Ann Author",
    created_by: null,
  });
  await apply("network", await becomes("network", pushed.id, "waiting"));
  expect(await applied("network")).toBe(2);
  expect(await deployments("app")).toEqual([]);
  const forClones = { repositories: ["infra"], permissions: { contents: "read" } };
  expect(host.minted.map(({ body }) => body)).toContainEqual(forClones);
});

it("a pull request is previewed, its new head supersedes, the reviewed head is promoted, the merge closes it", async () => {
  const open = async (count: number) => {
    const files = ["network", "app"].map((stack) => [`${stack}/main.tf`, resources(stack, count)]);
    const sha = await host.commit(Object.fromEntries(files), { branch: "feature/more", from: BRANCH });
    host.setPull({
      number: 7,
      base: BRANCH,
      head: "feature/more",
      sha,
      files: files.map(([filename]) => ({ filename: filename as string })),
    });
    return sha;
  };
  const head = await open(3);
  await deliver(host.pullRequest("opened", 7, BRANCH));
  const parked = await previewOf("network", head);
  expect(parked).toMatchObject({ status: "waiting", origin_type: "pull_request" });
  await becomes("app", (await previewOf("app", head)).id, "finished");
  await showsState(head, "preview/app", "success");
  await showsState(head, "preview/network", "pending");

  const next = await open(4);
  await deliver(host.pullRequest("synchronize", 7, BRANCH));
  const fresh = await previewOf("network", next);
  expect(await becomes("network", parked.id, "skipped")).toMatchObject({ skipped_reason: "superseded" });
  const promote = () => running.api.request<DeploymentResource>("POST", "/stacks/network/pull-requests/7/promote");
  await expect(promote()).rejects.toThrow(/409.*preview_not_finished/);
  await running.api.request("POST", `/stacks/network/deployments/${fresh.id}/confirm-preview`);
  const planned = await becomes("network", fresh.id, "finished");
  expect(planSummaryOf(planned).counts).toMatchObject({ add: 2 });
  await showsState(next, "preview/network", "success");
  const comment = () => [...host.comments.values()].find(({ body }) => body.includes("`network`"));
  await eventually("the comment", async () => comment()?.body.includes("2 to add"));
  const link = /\[Open the deployment\]\((.+)\)/.exec(comment()?.body ?? "")?.[1] ?? "";
  const opened = await fetch(link, { headers: { authorization: `Bearer ${running.ready.admin_token}` } });
  expect([opened.status, opened.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(link).toMatch(new RegExp(`/deployments/${fresh.id}$`));
  expect(host.comments.size).toBe(2);

  const promoted = await promote();
  expect(promoted).toMatchObject({ mode: "plan", origin_type: "promoted_pull_request", commit_sha: next });
  await apply("network", await becomes("network", promoted.id, "waiting"));
  expect(await applied("network")).toBe(4);

  const before = await host.head(BRANCH);
  await host.reset(BRANCH, next);
  host.pulls.delete(7);
  await Promise.all([deliver(host.pullRequest("closed", 7, BRANCH)), deliver(host.push(BRANCH, before, next))]);
  await eventually("the request to be gone", async () =>
    (await Promise.all(["network", "app"].map(pullRequests))).every((items) => items.length === 0),
  );
  const merged = await eventually("the merge to be deployed", async () =>
    (await deployments("network")).find((one) => one.origin_type === "push" && one.commit_sha === next),
  );
  await becomes("network", merged.id, "finished");
  expect(await applied("network")).toBe(4);
});

it("the inbox shows what was taken, all of it processed", async () => {
  const integrations = await running.api.request<{ items: { id: string }[] }>("GET", "/scm-integrations");
  const inbox = `/scm-integrations/${integrations.items[0]?.id}/scm-events`;
  const statuses = async () =>
    (await running.api.request<{ items: { status: string }[] }>("GET", inbox)).items.map(({ status }) => status);
  await eventually("the inbox to be worked through", async () =>
    (await statuses()).every((one) => one === "processed"),
  );
  expect(await statuses()).toHaveLength(5);
});
