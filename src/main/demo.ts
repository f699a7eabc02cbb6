/**
 * `npm run demo`: the main job on real input. A throw-away instance, a sample repository, a stack; plan, a person's
 * confirm, apply by the real engine; a second change; a command; a local plan; a pull request from preview to merge on
 * a small code host; two stacks that depend on the first and follow its apply; a stack of three repositories, whose
 * module moves and whose secret is rotated while a plan waits; a stack that is given another one's output and follows
 * it; a destroy that a policy denies; a plan that two others approve, once more after a replan; a destroy. Exits 0 only
 * when the applied state is right after each.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DeploymentResource } from "../core/deployments/resourceSchema.ts";
import "../platform/db/mendedDriver.ts";
import { anthemChapters } from "./demo/anthem.ts";
import { type AnthemRepositories, anthemRepositories } from "./demo/anthemRepositories.ts";
import { type ApiClient, apiClient, planRunOf, planSummaryOf } from "./demo/apiClient.ts";
import { approvalChapter } from "./demo/approvals.ts";
import { type CodeHost, startCodeHost } from "./demo/codeHost/codeHost.ts";
import { cascadeChapters, readerChapter } from "./demo/dependencies.ts";
import { describePlan } from "./demo/describePlan.ts";
import { follow, type PrintedLogs } from "./demo/follow.ts";
import { startInstance } from "./demo/instance.ts";
import { elapsedSeconds, tell } from "./demo/narrate.ts";
import { outputChapters } from "./demo/outputs.ts";
import { policyChapter } from "./demo/policies.ts";
import { pullRequestChapters } from "./demo/pullRequest.ts";
import { type SampleRepository, sampleRepository } from "./demo/sampleRepository.ts";

const folder = await mkdtemp(join(tmpdir(), "deployments-demo-"));
let failed = false;
tell.chapter("Starting a throw-away instance: Postgres, Temporal, API, worker, one runner group");
const repository = await sampleRepository(folder);
const states = dirname(repository.state);
const anthem = await anthemRepositories(folder);
const host = await startCodeHost(repository.bare, anthem.served);
const instance = await startInstance(join(folder, "data"), {
  SVC_EGRESS_ALLOW: host.address,
  // Its states are files, so that the demo can read them: each run writes what another one wrote.
  RUNNER_WALL_WRITE: states,
  RUNNER_SLOT_UID: "0",
});
try {
  const as = (token: string) => apiClient(`${instance.ready.base_url}/api/v1/orgs/${instance.ready.org_id}`, token);
  const api = as(instance.ready.admin_token);
  tell.fact(`API at ${instance.ready.base_url}, Temporal's UI at ${instance.ready.temporal_ui_url}`);
  tell.fact(`Look on in a browser: ${instance.firstVisit} (signs you in, once)`);
  await story(api, as, repository, host, anthem, instance.ready.tool);
  tell.chapter(`Done in ${elapsedSeconds().toFixed(1)} s: every applied state was read back and is right`);
} catch (error) {
  failed = true;
  console.error(error instanceof Error ? error.message : error);
} finally {
  await instance.stop();
  await host.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

async function story(
  api: ApiClient,
  as: (token: string) => ApiClient,
  repository: SampleRepository,
  host: CodeHost,
  anthem: AnthemRepositories,
  tool: string,
): Promise<void> {
  const first = { world: "hello", moon: "good night" };
  tell.chapter("A team has a repository with two resources");
  const commit = await repository.commit("Greet the world and the moon", first);
  const stack = await api.request<{ id: string }>("POST", "/stacks", {
    name: "Greetings Production",
    repository_url: repository.url,
    branch: "main",
    working_directory: "greetings",
    tool,
  });
  tell.fact(`stack ${stack.id} at commit ${commit.slice(0, 8)}`);

  await deploy(api, repository, stack.id, "plan", "First deployment: plan, confirm, apply", first);

  const second = { world: "hello again", sun: "good morning" };
  await repository.commit("Greet the sun instead of the moon", second);
  await deploy(api, repository, stack.id, "plan", "A second change: one to add, one to change, one to destroy", second);

  await repository.commit("Greet two more", { ...second, venus: "good evening", pluto: "goodbye" });
  const third = { ...second, venus: "good evening" };
  const target = 'terraform_data.greeting["venus"]';
  await deploy(
    api,
    repository,
    stack.id,
    "plan",
    "Two more, but only one of them now: replan with a target",
    third,
    target,
  );

  await runCommand(api, stack.id, `${tool} state list`);
  await planLocally(api, repository, stack.id, { ...third, mars: "anyone there?" });
  deepStrictEqual(await repository.applied(), third, "a local plan or a command changed the state");

  await readerChapter({ api, repository, stackId: stack.id, tool }, third);
  const merged = await pullRequestChapters({ api, host, repository, stackId: stack.id }, third);
  await cascadeChapters({ api, repository, stackId: stack.id, tool }, third, merged);

  await anthemChapters({ api, host, repositories: anthem, tool });
  await outputChapters({ api, folder, tool });
  await approvalChapter({ api, as, folder, tool });

  await policyChapter(api, stack.id);
  await deploy(api, repository, stack.id, "destroy", "Destroy everything", {});
}

/**
 * Create, follow, confirm exactly the plan that was seen, follow to the end, and read the state back. With a `target`
 * the person first asks for another plan of that resource alone.
 */
async function deploy(
  api: ApiClient,
  repository: SampleRepository,
  stackId: string,
  mode: "plan" | "destroy",
  title: string,
  expected: Record<string, string>,
  target?: string,
): Promise<void> {
  tell.chapter(title);
  const deployments = `/stacks/${stackId}/deployments`;
  const { id } = await api.request<DeploymentResource>("POST", deployments, { mode });
  const path = `${deployments}/${id}`;
  const printed: PrintedLogs = new Map();
  let waiting = await follow(api, path, printed, ["waiting"]);
  tell.fact(`the plan: ${describePlan(waiting)}`);
  if (target) {
    tell.fact(`a person asks for a plan of ${target} alone; the lane is kept`);
    await api.request("POST", `${path}/confirm`, { action: "replan", targets: [target] });
    waiting = await follow(api, path, printed, ["waiting"]);
    tell.fact(`the new plan: ${describePlan(waiting)}`);
  }
  tell.fact("a person looks at it and confirms");
  await api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: planRunOf(waiting) });
  const finished = await follow(api, path, printed, ["finished"]);
  deepStrictEqual(await repository.applied(), expected, "the applied state is not what was planned");
  tell.fact(`finished; the state holds ${JSON.stringify(expected)}`);
  const events = await api.request<{ items: { kind: string }[] }>("GET", `${path}/events`);
  tell.fact(`activity log: ${events.items.map((event) => event.kind).join(", ")}; workflow deployment/${finished.id}`);
}

/**
 * A one-off command in the stack's directory, with its state: in the lane like every change, its text shown to nobody.
 */
async function runCommand(api: ApiClient, stackId: string, script: string): Promise<void> {
  tell.chapter(`A command: ${script}`);
  const deployments = `/stacks/${stackId}/deployments`;
  const { id } = await api.request<DeploymentResource>("POST", `${deployments}/run-command`, { script });
  const printed: PrintedLogs = new Map();
  const finished = await follow(api, `${deployments}/${id}`, printed, ["finished"]);
  const log = await api.text(`${deployments}/${id}/logs`);
  ok(log.includes("terraform_data.greeting"), "the command did not see the stack's state");
  tell.fact(`finished; the API tells its length, ${finished.command_bytes} bytes, and nothing else of it`);
}

/** Files that nobody committed, planned as they are: beside the lane, and never applied. */
async function planLocally(
  api: ApiClient,
  repository: SampleRepository,
  stackId: string,
  greetings: Record<string, string>,
): Promise<void> {
  tell.chapter("A local plan: files that are not committed yet");
  const archive = await repository.archive(greetings);
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const source = await api.upload<{ local_source_key: string; local_source_sha256: string }>(
    `/stacks/${stackId}/local-sources?sha256=${sha256}`,
    "application/gzip",
    archive,
  );
  tell.fact(`uploaded ${archive.length} bytes`);
  const deployments = `/stacks/${stackId}/deployments`;
  const { local_source_key, local_source_sha256 } = source;
  const body = { local_source_key, local_source_sha256 };
  const { id } = await api.request<DeploymentResource>("POST", `${deployments}/local`, body);
  const finished = await follow(api, `${deployments}/${id}`, new Map(), ["finished"]);
  deepStrictEqual(planSummaryOf(finished).counts?.add, 1, "the local plan is not of the uploaded files");
  tell.fact(`finished; it would be: ${describePlan(finished)}`);
}
