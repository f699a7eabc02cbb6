/**
 * Source control with a real Gitea, the whole product and real Terraform: what the conformance suite holds against a
 * stand-in, as a team meets it; and a host that is killed in the middle loses nothing and doubles nothing.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { waitFor } from "../support/waitFor.ts";
import { Gitea, type Person } from "./gitea.ts";
import { WorkingCopy } from "./workingCopy.ts";

const BRANCH = "release/50%#1";
const REPO = "/repos/acme/infra";
const SCOPES = "write:repository,write:issue";

let parent: string;
let gitea: Gitea;
let running: LocalInstallation;
let root: Person;
let bot: Person;
let ann: Person;
let bea: Person;
let stranger: Person;
let copy: WorkingCopy;
let integration: string;
let webhookUrl: string;
const secret = randomBytes(20).toString("hex");

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-gitea-"));
  gitea = await Gitea.start(join(parent, "gitea"));
  running = await startLocalInstallation(join(parent, "data"), { SVC_EGRESS_ALLOW: "127.0.0.1" });
  root = await gitea.person("root1", "all", true);
  [bot, ann, bea, stranger] = [
    await gitea.person("deploy-bot", SCOPES),
    await gitea.person("ann", SCOPES),
    await gitea.person("bea", SCOPES),
    await gitea.person("stranger", SCOPES),
  ];
  await gitea.api(root, "POST", "/orgs", { username: "acme" });
  await gitea.api(root, "POST", "/orgs/acme/repos", { name: "infra", private: true, default_branch: "main" });
  const permissions = { "deploy-bot": "admin", ann: "write", bea: "write", stranger: "read" };
  for (const [login, permission] of Object.entries(permissions))
    await gitea.api(root, "PUT", `${REPO}/collaborators/${login}`, { permission });
  copy = await WorkingCopy.clone(gitea, ann, "acme/infra", join(parent, "copy"));
  await copy.commit({ "network/main.tf": resources("network", 1), "app/main.tf": resources("app", 1) }, "start");
  await copy.push("main");
  await copy.push(BRANCH);
  // The host tells of pushes a moment later; one that made the branch would be about every stack.
  await eventually("the host to have told of the first pushes", async () => {
    const feed: { ref_name: string }[] = await gitea.api(root, "GET", `${REPO}/activities/feeds?limit=50`);
    return feed.some(({ ref_name }) => ref_name === `refs/heads/${BRANCH}`);
  });
});
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await gitea?.kill();
  await rm(parent, { recursive: true, force: true });
});

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
const eventually = <T>(what: string, read: () => Promise<T | undefined | false>) =>
  waitFor(async () => (await read()) || undefined, { what, timeoutMs: 90_000, everyMs: 200 }) as Promise<T>;
const deployments = async (stack: string) =>
  (await running.api.request<{ items: DeploymentResource[] }>("GET", `/stacks/${stack}/deployments?limit=100`)).items;
const requestsOf = async (stack: string) =>
  (
    await running.api.request<{ items: { number: number; head_sha: string }[] }>(
      "GET",
      `/stacks/${stack}/pull-requests`,
    )
  ).items;

async function becomes(stack: string, id: string, status: string): Promise<DeploymentResource> {
  const last = await eventually(`${stack}'s deployment to be ${status}`, async () => {
    const one = await running.api.request<DeploymentResource>("GET", `/stacks/${stack}/deployments/${id}`);
    return (one.status === status || one.completed_at !== null) && one;
  });
  expect(last, last.error ?? "").toMatchObject({ status });
  return last;
}
const pushed = (stack: string, sha: string) =>
  eventually(`${stack} at ${sha}`, async () =>
    (await deployments(stack)).find((one) => one.origin_type === "push" && one.commit_sha === sha),
  );
const previewOf = (stack: string, sha: string) =>
  eventually(`a preview of ${sha}`, async () =>
    (await deployments(stack)).find((one) => one.mode === "plan_unlocked" && one.commit_sha === sha),
  );

async function apply(stack: string, waiting: DeploymentResource): Promise<void> {
  const path = `/stacks/${stack}/deployments/${waiting.id}`;
  await running.api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: planRunOf(waiting) });
  await becomes(stack, waiting.id, "finished");
}

const statusOf = async (sha: string, context: string) => {
  const { statuses } = await gitea.api(bot, "GET", `${REPO}/commits/${sha}/status`);
  return (statuses ?? []).find((one: { context: string }) => one.context === context)?.status;
};
const showsStatus = (sha: string, context: string, state: string) =>
  eventually(`${context} to be ${state}`, async () => (await statusOf(sha, context)) === state);
const comments = async (number: number): Promise<{ id: number; body: string }[]> =>
  gitea.api(bot, "GET", `${REPO}/issues/${number}/comments`);
const eventsAre = async (status: string) => {
  const path = `/scm-integrations/${integration}/scm-events?limit=100`;
  const { items } = await running.api.request<{ items: { status: string }[] }>("GET", path);
  return items.every((one) => one.status === status);
};

type TestAnswer = { ok: boolean; reason: string | null; webhook: { state: string; missing: string[] } | null };
const test = () => running.api.request<TestAnswer>("POST", `/scm-integrations/${integration}/test`, {});

it("an integration is made, and the test call tells what its webhook lacks", async () => {
  const settings = (host_kind: string) => ({
    name: "acme",
    host_kind,
    url_pattern: `^${gitea.url}/acme/`,
    api_base_url: `${gitea.url}/api/v1`,
    auth_config: { kind: "token", token: bot.token, webhook_secret: secret },
  });
  const made = await running.api.request<{ id: string; webhook_url: string }>(
    "POST",
    "/scm-integrations",
    settings("gitlab"),
  );
  [integration, webhookUrl] = [made.id, made.webhook_url];
  for (const name of ["network", "app"]) {
    await running.api.request("POST", "/stacks", {
      name,
      repository_url: `${gitea.url}/acme/infra.git`,
      branch: BRANCH,
      working_directory: name,
      tool: running.ready.tool,
      pr_plan_mode: name === "app" ? "auto" : "manual",
      ...(name === "network" && { pr_requirements: { promote: ["approved"] } }),
    });
  }
  expect(await test()).toMatchObject({ ok: false, reason: expect.stringMatching(/host_kind/) });
  await running.api.request("PUT", `/scm-integrations/${integration}`, settings("gitea"));
  expect(await test()).toMatchObject({ ok: true, webhook: { state: "absent" } });
  const hook = { type: "gitea", active: true, branch_filter: "*" };
  const config = { url: webhookUrl, content_type: "json", secret };
  const { id } = await gitea.api(bot, "POST", `${REPO}/hooks`, { ...hook, config, events: ["push"] });
  const lacking = await test();
  expect(lacking.webhook?.state).toBe("incomplete");
  expect(lacking.webhook?.missing.length).toBeGreaterThan(1);
  const events = ["push", "pull_request", "pull_request_sync", "pull_request_review", "status"];
  await gitea.api(bot, "PATCH", `${REPO}/hooks/${id}`, { ...hook, events });
  expect((await test()).webhook).toMatchObject({ state: "complete", missing: [] });
});

it("a push deploys the stacks it touches, and no others", async () => {
  const sha = await copy.commit({ "network/main.tf": resources("network", 2) }, "Two of them");
  await copy.push(BRANCH);
  const found = await pushed("network", sha);
  expect(found).toMatchObject({ commit_message: "Two of them", created_by: null });
  await apply("network", await becomes("network", found.id, "waiting"));
  expect(await applied("network")).toBe(2);
  expect(await deployments("app")).toEqual([]);
});

it("a pull request is previewed, with a status and one comment; a new head supersedes; what is approved is promoted", async () => {
  await copy.git("checkout", "--quiet", "-b", "feature/more");
  const both = (count: number) => ({
    "network/main.tf": resources("network", count),
    "app/main.tf": resources("app", count),
  });
  const head = await copy.commit(both(3), "Three");
  await copy.push("feature/more");
  const { number } = await gitea.api(ann, "POST", `${REPO}/pulls`, {
    title: "More",
    head: "feature/more",
    base: BRANCH,
  });
  const parked = await previewOf("network", head);
  await becomes("app", (await previewOf("app", head)).id, "finished");
  await showsStatus(head, "preview/app", "success");
  await showsStatus(head, "preview/network", "pending");

  const next = await copy.commit(both(4), "Four");
  await copy.push("feature/more");
  const fresh = await previewOf("network", next);
  expect(await becomes("network", parked.id, "skipped")).toMatchObject({ skipped_reason: "superseded" });
  await running.api.request("POST", `/stacks/network/deployments/${fresh.id}/confirm-preview`);
  await becomes("network", fresh.id, "finished");
  await showsStatus(next, "preview/network", "success");
  await eventually("one comment for each stack", async () => {
    const bodies = (await comments(number)).map(({ body }) => body);
    return bodies.filter((body) => body.includes("2 to add")).length === 1 && bodies.length === 2;
  });

  const promote = () =>
    running.api.request<DeploymentResource>("POST", `/stacks/network/pull-requests/${number}/promote`);
  const reviewed = (as: Person) =>
    gitea.api(as, "POST", `${REPO}/pulls/${number}/reviews`, { event: "APPROVED", body: "ok" });
  await reviewed(stranger);
  await expect(promote()).rejects.toThrow(/requirements_not_met/);
  await eventually("the reason in the comment", async () =>
    (await comments(number)).some(({ body }) => body.includes("1 review by a person without write access")),
  );
  await reviewed(bea);
  const promoted = await eventually("the promotion", () => promote().catch(() => undefined));
  expect(promoted).toMatchObject({ origin_type: "promoted_pull_request", commit_sha: next });
  await apply("network", await becomes("network", promoted.id, "waiting"));
  expect(await applied("network")).toBe(4);

  await gitea.api(ann, "POST", `${REPO}/pulls/${number}/merge`, { Do: "merge" });
  await eventually("the request to be gone", async () => (await requestsOf("network")).length === 0);
  await copy.git("fetch", "--quiet", "origin");
  const merged = await copy.git("rev-parse", `origin/${BRANCH}`);
  await becomes("network", (await pushed("network", merged)).id, "finished");
  expect(await comments(number)).toHaveLength(2);
});

it("a draft is previewed like any other, a retargeted request leaves, a closed one is taken back", async () => {
  await copy.git("checkout", "--quiet", "-B", "feature/draft", `origin/${BRANCH}`);
  const head = await copy.commit({ "network/main.tf": resources("network", 5) });
  await copy.push("feature/draft");
  const body = { title: "WIP: draft", head: "feature/draft", base: BRANCH };
  const { number, draft } = await gitea.api(ann, "POST", `${REPO}/pulls`, body);
  expect(draft).toBe(true);
  const parked = await previewOf("network", head);
  await gitea.api(ann, "PATCH", `${REPO}/pulls/${number}`, { base: "main" });
  // Whoever looks at the old base again sees that it is not one of its requests any more.
  await running.api.request("POST", "/stacks/network/pull-requests/refresh");
  expect(await becomes("network", parked.id, "skipped")).toMatchObject({ status: "skipped" });
  expect(await requestsOf("network")).toEqual([]);
  await gitea.api(ann, "PATCH", `${REPO}/pulls/${number}`, { base: BRANCH });
  await eventually("the request to be back", async () => (await requestsOf("network")).length === 1);
  await gitea.api(ann, "PATCH", `${REPO}/pulls/${number}`, { state: "closed" });
  await eventually("the request to be gone", async () => (await requestsOf("network")).length === 0);
});

it("a fork's request is parked whatever the stack says, and so is what is pushed for review", async () => {
  await gitea.api(stranger, "POST", `${REPO}/forks`, { name: "mine" });
  await eventually("the fork", () =>
    gitea.api(stranger, "GET", "/repos/stranger/mine/branches/main").catch(() => undefined),
  );
  const fork = await WorkingCopy.clone(gitea, stranger, "stranger/mine", join(parent, "fork"));
  await fork.git("fetch", "--quiet", "origin");
  await fork.git("checkout", "--quiet", "-b", "evil", `origin/${BRANCH}`);
  const head = await fork.commit({ "app/main.tf": resources("app", 9) });
  await fork.push("evil");
  const body = { title: "From a fork", head: "stranger/mine:evil", base: BRANCH };
  const made = await gitea
    .api(stranger, "POST", `${REPO}/pulls`, body)
    .catch(() => gitea.api(stranger, "POST", `${REPO}/pulls`, { ...body, head: "stranger:evil" }));
  expect(await previewOf("app", head)).toMatchObject({ status: "waiting" });
  await showsStatus(head, "preview/app", "pending");
  await gitea.api(stranger, "PATCH", `${REPO}/pulls/${made.number}`, { state: "closed" });

  await fork.git(
    "remote",
    "set-url",
    "origin",
    (await fork.git("remote", "get-url", "origin")).replace("stranger/mine", "acme/infra"),
  );
  const review = await fork.commit({ "app/main.tf": resources("app", 8) });
  const ref = `HEAD:refs/for/${BRANCH}`;
  await fork.git("push", "--quiet", "origin", ref, "-o", "topic=look", "-o", "title=Look");
  expect(await previewOf("app", review)).toMatchObject({ status: "waiting" });
});

it("a forced push compares both ways, and a branch that is deleted deploys nothing", async () => {
  await copy.git("checkout", "--quiet", "-B", "line", `origin/${BRANCH}`);
  const start = await copy.git("rev-parse", "HEAD");
  const taken = await copy.commit({ "app/extra.tf": "" });
  await copy.push(BRANCH);
  await pushed("app", taken);
  await copy.git("reset", "--quiet", "--hard", start);
  const forced = await copy.commit({ "network/extra.tf": "" });
  await copy.push(BRANCH, true);
  await pushed("network", forced);
  await pushed("app", forced);

  await copy.push("going");
  await running.api.request("PATCH", "/stacks/app", { branch: "going" });
  const before = (await deployments("app")).length;
  await copy.git("push", "--quiet", "origin", "--delete", "going");
  await eventually("everything to be worked through", () => eventsAre("processed"));
  expect((await deployments("app")).length).toBe(before);
  await running.api.request("PATCH", "/stacks/app", { branch: BRANCH });
});

it("Gitea is killed in the middle and comes back: nothing is lost, nothing is doubled", async () => {
  await copy.git("checkout", "--quiet", "-B", "feature/killed");
  const head = await copy.commit({ "app/main.tf": resources("app", 6) });
  await copy.push("feature/killed");
  const { number } = await gitea.api(ann, "POST", `${REPO}/pulls`, {
    title: "K",
    head: "feature/killed",
    base: BRANCH,
  });
  const preview = await previewOf("app", head);
  await gitea.kill();
  // The run has its clone or is cloning: what it ends with is shown once the host is back.
  await eventually("the preview's end, or its failure to clone", async () => {
    const one = await running.api.request<DeploymentResource>("GET", `/stacks/app/deployments/${preview.id}`);
    return one.completed_at !== null;
  });
  await gitea.up();
  const one = await running.api.request<DeploymentResource>("GET", `/stacks/app/deployments/${preview.id}`);
  await showsStatus(head, "preview/app", one.status === "finished" ? "success" : "failure");
  await eventually("one comment", async () => (await comments(number)).length === 1);

  // Pushed, and killed before it could tell or be asked.
  await copy.git("checkout", "--quiet", "-B", "line2", `origin/${BRANCH}`);
  await copy.git("fetch", "--quiet", "origin");
  await copy.git("reset", "--quiet", "--hard", `origin/${BRANCH}`);
  const sha = await copy.commit({ "network/main.tf": resources("network", 6) });
  await copy.push(BRANCH);
  await gitea.kill();
  await gitea.up();
  await pushed("network", sha);
  await eventually("everything to be worked through", () => eventsAre("processed"));
  const ofIt = (await deployments("network")).filter((each) => each.commit_sha === sha && each.origin_type === "push");
  expect(ofIt).toHaveLength(1);
  expect(await comments(number)).toHaveLength(1);
});
