/**
 * The demo's chapters about a pull request: preview, a new commit, promote, merge, each seen from the code host too.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { type ApiClient, planRunOf } from "./apiClient.ts";
import type { PullRequest } from "./codeHost/api.ts";
import type { CodeHost } from "./codeHost/codeHost.ts";
import { describePlan } from "./describePlan.ts";
import { eventually, follow } from "./follow.ts";
import { tell } from "./narrate.ts";
import type { SampleRepository } from "./sampleRepository.ts";

const BRANCH = "greet-mars";

export type PullRequestDemo = { api: ApiClient; host: CodeHost; repository: SampleRepository; stackId: string };

/**
 * From an integration to a merged pull request on top of what is applied. @returns what is applied then
 * @throws when anything is not as it is told
 */
export async function pullRequestChapters(
  demo: PullRequestDemo,
  applied: Record<string, string>,
): Promise<Record<string, string>> {
  const { api, host, repository, stackId } = demo;
  const deployments = `/stacks/${stackId}/deployments`;
  await connect(demo);

  tell.chapter("A pull request: a preview that nobody can apply");
  const first = await repository.commit("Greet Mars", { ...applied, mars: "anyone there?" }, BRANCH);
  const request = await host.openPullRequest(BRANCH, "Greet Mars");
  tell.fact(`#${request.number} opened at ${first.slice(0, 8)}; the host delivers, the service asks it what changed`);
  await previewed(demo, request, first);

  tell.chapter("A new commit on it: a preview of its own, and the old one cannot be promoted");
  const greetings = { ...applied, mars: "welcome", phobos: "hello" };
  const second = await repository.commit("Greet Phobos too", greetings, BRANCH);
  await host.pushedTo(request);
  tell.fact(`pushed ${second.slice(0, 8)}`);
  const promote = () =>
    api.request<DeploymentResource>("POST", `/stacks/${stackId}/pull-requests/${request.number}/promote`);
  await previewStarted(demo, second);
  const refused = await promote().then(
    () => "promoted",
    (error: Error) => error.message,
  );
  ok(refused.includes("preview_not_finished"), `promote before the preview had finished: ${refused}`);
  tell.fact("promote now is refused: preview_not_finished");
  await previewed(demo, request, second);

  tell.chapter("Promote: a deployment of exactly the commit that was previewed");
  const promoted = await promote();
  deepStrictEqual(promoted.commit_sha, second, "another commit was promoted");
  const printed = new Map();
  const waiting = await follow(api, `${deployments}/${promoted.id}`, printed, ["waiting"]);
  tell.fact(`the plan: ${describePlan(waiting)}; a person looks at it and confirms`);
  const confirm = { action: "apply", plan_run_id: planRunOf(waiting) };
  await api.request("POST", `${deployments}/${promoted.id}/confirm`, confirm);
  await follow(api, `${deployments}/${promoted.id}`, printed, ["finished"]);
  deepStrictEqual(await repository.applied(), greetings, "the applied state is not what was promoted");
  tell.fact(`finished; the state holds ${JSON.stringify(greetings)}`);

  tell.chapter("Merge: the pull request goes, the push finds nothing left to do");
  await host.merge(request);
  const merged = await eventually("the merge's deployment", async () =>
    (await list(demo)).find((one) => one.origin_type === "push" && one.commit_sha === second),
  );
  const done = await follow(api, `${deployments}/${merged.id}`, new Map(), ["finished"]);
  tell.fact(`deployment of the push, with nobody as its creator: ${describePlan(done)}`);
  await eventually("the pull request to be gone", async () => (await openRequests(demo)).length === 0);
  deepStrictEqual(await repository.applied(), greetings, "the merge changed the state");
  tell.fact("the stack lists no open pull requests any more");
  return greetings;
}

async function connect({ api, host, stackId }: PullRequestDemo): Promise<void> {
  tell.chapter("The repository moves to a code host: an integration, its webhook, the stack's new address");
  const integration = await api.request<{ webhook_url: string }>("POST", "/scm-integrations", {
    name: "code host",
    url_pattern: `^http://${host.address.replaceAll(".", "\\.")}/acme/`,
    api_base_url: host.apiUrl,
    auth_config: { kind: "token", token: host.token, webhook_secret: host.webhookSecret },
  });
  host.deliverTo(integration.webhook_url);
  tell.fact(`deliveries go to ${new URL(integration.webhook_url).pathname}, signed; the repository is private`);
  await api.request("PATCH", `/stacks/${stackId}`, { repository_url: host.repositoryUrl, pr_plan_mode: "auto" });
  tell.fact(`the stack's code comes from ${host.repositoryUrl}, and pull requests are planned at once`);
}

/** Follow the preview of a commit to its end, then see it on the host. */
async function previewed(demo: PullRequestDemo, request: PullRequest, sha: string): Promise<void> {
  const { api, host, stackId } = demo;
  const { id } = await previewStarted(demo, sha);
  const finished = await follow(api, `/stacks/${stackId}/deployments/${id}`, new Map(), ["finished"]);
  tell.fact(`preview finished: ${describePlan(finished)}; the lane was never taken`);
  const status = await eventually("the commit's status", async () => {
    const shown = host.statusesOf(sha).get(`preview/${stackId}`);
    return shown?.startsWith("success") && shown;
  });
  tell.fact(`on the host, the commit's status is "${status}"`);
  const comment = await eventually("the comment", async () =>
    host.commentsOn(request).find((body) => body.includes(sha.slice(0, 12)) && body.includes(id)),
  );
  deepStrictEqual(host.commentsOn(request).length, 1, "there is more than one comment");
  tell.fact(`and one comment, changed in place: ${comment.split("\n").find((line) => line.startsWith("**"))}`);
}

const previewStarted = (demo: PullRequestDemo, sha: string) =>
  eventually(`a preview of ${sha}`, async () =>
    (await list(demo)).find((one) => one.mode === "plan_unlocked" && one.commit_sha === sha),
  );

async function list({ api, stackId }: PullRequestDemo): Promise<DeploymentResource[]> {
  return (await api.request<{ items: DeploymentResource[] }>("GET", `/stacks/${stackId}/deployments`)).items;
}

async function openRequests({ api, stackId }: PullRequestDemo): Promise<unknown[]> {
  return (await api.request<{ items: unknown[] }>("GET", `/stacks/${stackId}/pull-requests`)).items;
}
