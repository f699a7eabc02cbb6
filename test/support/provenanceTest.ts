/**
 * A stack of a real repository behind a host that answers as documented, with a secret for its runs, an automatic
 * approval, and coordinators that claim what is made: where the tests of a commit's provenance begin.
 */
import { randomUUID } from "node:crypto";
import { test as plain } from "vitest";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { makeOrg, makeStack, statuses, uploadPlan } from "./fixtures.ts";
import { type PeopleApi, startPeopleApi } from "./peopleApi.ts";
import { coordinator, PLAN_WITH_CHANGES, runner } from "./runnerApi.ts";
import { makeIntegration } from "./scm.ts";
import { APP_ID, INSTALLATION, ScriptedHost } from "./scriptedHost.ts";

const SECRET = "correct-horse-battery";
const keyring = createKeyring({ provider: "aes-256", key: Buffer.alloc(32, 7), previousKeys: [] });

/** What a run was given: the names of its secrets, and whether it may read the owner's other repositories. */
export type Given = { secrets: string[]; owner: boolean; mustBeOnBranch: boolean; pullRequest?: number };
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
type Body = any;

async function worldOf(api: PeopleApi, host: ScriptedHost) {
  const org = await makeOrg(api.database, { runsPerHour: 1_000 });
  const { orgId } = org;
  const auth = {
    kind: "app",
    app_id: APP_ID,
    installation_id: String(INSTALLATION),
    private_key: host.appKey,
    webhook_secret: host.webhookSecret,
  } as const;
  await makeIntegration(api.database, keyring, orgId, host, { auth });
  const { token } = await api.makeAccount(orgId, [["*", "*"]]);
  const variables = [{ name: "TF_VAR_password", secret: true, value: SECRET }];
  await api.call("POST", `/api/v1/orgs/${orgId}/contexts`, { token, body: { name: "all", selector: {}, variables } });

  async function stack(settings: Record<string, unknown> = {}) {
    const slug = `s-${randomUUID().slice(0, 8)}`;
    const columns = { slug, name: slug, auto_approve_mode: "auto", repository_url: host.repositoryUrl, ...settings };
    const key = await makeStack(api.database, orgId, columns);
    const path = `/api/v1/orgs/${orgId}/stacks/${slug}`;
    const post = (below: string, body?: unknown) => api.call("POST", `${path}/${below}`, { token, body });
    return { key, path, post, create: (body: object) => post("deployments", { mode: "plan", ...body }) };
  }

  /** Claims the one run that is pending and accepts it as a runner of this version does, or of the one before. */
  async function accepted(looks = true): Promise<Given & { done: (more?: object) => Promise<Body>; runId: string }> {
    const at = { base: `${api.baseUrl}/api/v1` };
    const claimed = await (await coordinator(at, org)).claim(5);
    const one = await runner(at, org, claimed);
    const answer = await (looks
      ? one.call("POST", `/runs/${claimed.run_id}/accept`, { looks_at_branch: true })
      : one.accept());
    const { environment, scm_credentials, source } = (await answer.json()) as Body;
    return {
      secrets: environment.flatMap(({ name, secret }: Body) => (secret ? [name] : [])),
      owner: scm_credentials?.owner !== undefined,
      mustBeOnBranch: source.must_be_on_branch === true,
      ...(source.pull_request !== undefined && { pullRequest: source.pull_request }),
      runId: claimed.run_id,
      async done(more = {}) {
        await uploadPlan(api.database, claimed.run_id);
        await one.done({ ...PLAN_WITH_CHANGES, ...more });
      },
    };
  }

  /** An open request of this head, as a sync would have stored it. */
  let number = 0;
  async function request(headSha: string, isFork: boolean): Promise<string> {
    const [row] = await api.database.sql`
      insert into pull_requests (org_id, repository_key, number, title, url, base_branch, head_branch, head_sha, is_fork, files_complete, host_updated_at)
      values (${orgId}, ${host.repositoryKey}, ${++number}, 't', 'u', 'main', 'f', ${headSha}, ${isFork}, true, now()) returning id`;
    return row?.id;
  }

  const after = (id: string) => statuses(api.database, id);
  return { api, host, org, token, stack, accepted, request, after };
}
export type World = Awaited<ReturnType<typeof worldOf>>;

export const test = plain
  .extend("shared", { scope: "file" }, async ({}, { onCleanup }) => {
    const env = { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_GIT_ALLOW_PROTOCOL: "http:file" };
    const [api, host] = await Promise.all([startPeopleApi({ keyring, git: "host", env }), ScriptedHost.start()]);
    onCleanup(async () => {
      await host.stop();
      await api.close();
    });
    const older = await host.commit({ "main.tf": "1" });
    const head = await host.commit({ "main.tf": "2" });
    const ahead = await host.commit({ "main.tf": "3" }, { branch: "feature" });
    const fork = await host.commit({ "main.tf": "4" }, { branch: "of-a-fork", from: older, force: true });
    return { api, host, commits: { older, head, ahead, fork } };
  })
  .extend("world", ({ shared }) => worldOf(shared.api, shared.host));
