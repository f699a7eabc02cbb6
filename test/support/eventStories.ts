/** What has to happen so that each event is notified of once: short stories of stacks, deployments and pushes. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { lockLane } from "../../src/core/deployments/lane.ts";
import { reportDispatchFailed, reportDone } from "../../src/core/deployments/transitions/report.ts";
import { withdrawPreview } from "../../src/core/deployments/transitions/withdrawPreview.ts";
import { writeChange } from "../../src/core/deployments/writeChange.ts";
import { overridePolicies } from "../../src/core/policies/decide.ts";
import { addEvents, type NewEvent } from "../../src/exchange/scm/inbox.ts";
import { recordFailure } from "../../src/graph/cascade/failed.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import type { TestCore } from "./core.ts";
import { DAILY, driftWorld, refreshed, SETTLED } from "./driftTest.ts";
import { ACTOR, create, decide, type TestOrg } from "./fixtures.ts";
import { accept, doneApply, poll, rowBecomes, untilWaiting } from "./lifecycle.ts";
import type { PeopleApi } from "./peopleApi.ts";
import { policyWorld } from "./policyTest.ts";
import { SETTLED as SETTLED_RUN, schedulesWorld } from "./schedulesTest.ts";
import { hostStack, makeIntegration, type TestHosts } from "./scm.ts";
import type { ScriptedHost } from "./scriptedHost.ts";
import { waitFor } from "./waitFor.ts";

export type StoryWorld = {
  api: PeopleApi;
  core: TestCore;
  org: TestOrg;
  token: string;
  hosts: TestHosts;
  host: ScriptedHost;
  /** The repository that a raw command runs in. */
  source: { url: string; commit: string };
};

export const SCRIPT = `echo canary-${randomUUID()}`;

/** Tells them one after the other. */
export async function tellStories({ api, core, org, token, hosts, host, source }: StoryWorld): Promise<void> {
  const people = async (method: string, path: string, body?: object) => {
    const answer = await api.call(method, `/api/v1/orgs/${org.orgId}/stacks${path}`, { token, ...(body && { body }) });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const key = async (slug: string): Promise<string> =>
    (await api.database.sql`select stack_key from stacks where org_id = ${org.orgId} and slug = ${slug}`)[0]?.stack_key;
  /** A stack of its own for each story. */
  async function newStack(settings: object = {}): Promise<{ slug: string; stackKey: string }> {
    const stack = await people("POST", "", {
      name: `s ${randomUUID().slice(0, 8)}`,
      repository_url: "https://git.example/r",
      branch: "main",
      labels: { env: "prod" },
      ...settings,
    });
    return { slug: stack.id, stackKey: await key(stack.id) };
  }

  async function stackLife(): Promise<void> {
    const { slug } = await newStack();
    const renamed = await people("PATCH", `/${slug}`, { name: `${slug} two` });
    await people("DELETE", `/${renamed.id}`);
  }

  async function applied(): Promise<void> {
    const { stackKey } = await newStack();
    const id = await create(core.service, stackKey, { commitMessage: "Widen the network" });
    await untilWaiting(core, api.database, org);
    await decide(core.service, api.database, id, "confirm", { action: "apply" });
    const run = await poll(core, org);
    await accept(core, run);
    await doneApply(core, run);
  }

  async function endings(): Promise<void> {
    const { stackKey } = await newStack();
    await create(core.service, stackKey);
    const failed = await poll(core, org);
    await accept(core, failed);
    await reportDone(core.service, failed.runId, failed.runnerId, { status: "failure", error: "no credentials" });
    const cancelled = await create(core.service, stackKey);
    await decide(core.service, api.database, cancelled, "cancel");
    await create(core.service, stackKey);
    const lost = await poll(core, org);
    await reportDispatchFailed(core.service, lost.runId, lost.runnerId, "no room");
  }

  async function skipped(): Promise<void> {
    const { stackKey } = await newStack();
    await api.database.sql`update stacks set confirmation_timeout_ms = 500 where stack_key = ${stackKey}`;
    const parked = await create(core.service, stackKey, { mode: "plan_unlocked", parked: true, actor: null });
    const waiting = await create(core.service, stackKey);
    await untilWaiting(core, api.database, org);
    for (const id of [parked, waiting]) await rowBecomes(api.database, id, "skipped");
    await api.database.sql`update stacks set confirmation_timeout_ms = null where stack_key = ${stackKey}`;
    const holder = await create(core.service, stackKey);
    const queued = await create(core.service, stackKey);
    await decide(core.service, api.database, queued, "skip");
    await decide(core.service, api.database, holder, "cancel");
  }

  async function withdrawn(): Promise<void> {
    const { stackKey } = await newStack();
    const parked = await create(core.service, stackKey, { mode: "plan_unlocked", parked: true, actor: null });
    await unitOfWork(core.service, async (work) => {
      const lane = (await lockLane(work.tx, parked))!;
      await writeChange(work, lane, withdrawPreview(lane, "pull_request_closed")!);
    });
  }

  async function preview(): Promise<void> {
    const { stackKey } = await newStack();
    await create(core.service, stackKey, { mode: "plan_unlocked" });
    const run = await poll(core, org);
    await accept(core, run);
    await reportDone(core.service, run.runId, run.runnerId, { status: "success" });
  }

  async function command(): Promise<void> {
    const slug = `raw-${randomUUID().slice(0, 8)}`;
    await api.database.sql`
      insert into stacks (org_id, slug, name, repository_url, branch) values (${org.orgId}, ${slug}, ${slug}, ${source.url}, 'main')`;
    await people("POST", `/${slug}/deployments/run-command`, { script: SCRIPT });
    const run = await poll(core, org);
    await accept(core, run);
    await reportDone(core.service, run.runId, run.runnerId, { status: "success" });
  }

  async function sourceControl(): Promise<void> {
    const integration = await makeIntegration(api.database, hosts.keyring, org.orgId, host);
    const before = await host.commit({ "network/main.tf": "1" });
    await hostStack(api.database, org.orgId, host, { working_directory: "network", deploy_on_push: false });
    const push = async (status: string) => {
      const after = await host.commit({ "network/main.tf": randomUUID() });
      const at = { orgId: org.orgId, integrationId: integration.id, repositoryKey: host.repositoryKey };
      const event = {
        externalId: randomUUID(),
        kind: "push_branch_changed",
        branch: "main",
        prNumber: null,
        before,
        after,
      };
      const [id] = await unitOfWork(core.service, (work) => addEvents(work, at, [event as NewEvent]));
      const became = () => api.database.sql`select 1 from scm_events where id = ${id as string} and status = ${status}`;
      await waitFor(async () => (await became()).length === 1, { what: `the push to be ${status}`, timeoutMs: 45_000 });
    };
    await push("processed");
    host.script = ({ path }) => (path.includes("/branches/") ? { status: 502 } : undefined);
    await push("dead");
  }

  async function dependents(): Promise<void> {
    const [parent, dependent] = [await newStack(), await newStack()];
    const parentId = await create(core.service, parent.stackKey);
    await decide(core.service, api.database, parentId, "cancel");
    await api.database.sql`
      insert into dependent_triggers (parent_deployment_id, dependent_stack_key, org_id, dependent_stack_created_at, trigger, evidence, due_at)
      values (${parentId}, ${dependent.stackKey}, ${org.orgId}, svc_now(), 'always', 'declared', svc_now())`;
    const row = { stack_key: dependent.stackKey, slug: dependent.slug, attempts: 0 } as never;
    const failure = {
      text: "its branch is gone",
      passing: false,
      retryAfterMs: null,
      place: dependent.slug,
      random: 0,
    };
    await recordFailure(core.service, { maxAttempts: 3, firstPauseMs: 100 }, parentId, row, failure);
  }

  async function policies(): Promise<void> {
    const world = policyWorld(api.database, core.service, org);
    const policy = await world.policy();
    const { id, runId } = await world.planned();
    await world.evaluate(id);
    const about = { orgId: org.orgId, deploymentId: id };
    await overridePolicies(core.service, { ...ACTOR, orgId: org.orgId, tokenId: null }, about, {
      reason: "the move",
      planRunId: runId,
    });
    await api.database.sql`delete from policies where id = ${policy}`;
    await decide(core.service, api.database, id, "cancel");
  }

  /** Left out once, and a stack that is to end: reminded of, and its destroy cancelled. */
  async function schedules(): Promise<void> {
    const { slug, stackKey } = await newStack();
    const world = schedulesWorld(api.database, core.service, org);
    await world.run(await create(core.service, stackKey), SETTLED_RUN);
    await people("POST", `/${slug}/hold`, { reason: "freeze" });
    await world.due(await world.schedule({ stack_key: stackKey }));
    await world.step();
    await people("POST", `/${slug}/release`);
    await people("PUT", `/${slug}/lifetime`, { expires_at: "2099-01-01T00:00:00Z", reason: "for the demo" });
    for (const ends of ["1 hour", "-1 hour"]) {
      await api.database
        .sql`update stacks set expires_at = svc_now() + ${ends}::interval where stack_key = ${stackKey}`;
      await api.database.sql`update stack_lifetimes set due_at = svc_now() where stack_key = ${stackKey}`;
      await world.step();
    }
    const [{ id } = {}] = (await world.deployments(stackKey)).slice(-1);
    await decide(core.service, api.database, id, "cancel");
    await world.step();
  }

  /** Found, looked at in vain, and over. */
  async function drift(): Promise<void> {
    const { stackKey } = await newStack();
    const world = driftWorld(api.database, core.service, org);
    await world.run(await create(core.service, stackKey), { status: "success", plan_summary: SETTLED });
    await api.database.sql`insert into stack_drift (stack_key, org_id, policy, stale)
      values (${stackKey}, ${org.orgId}, ${api.database.sql.json(DAILY)}, true)`;
    await world.check(stackKey, refreshed("local_file.motd"));
    await world.check(stackKey, { status: "failure", error: "no credentials" });
    await world.check(stackKey, refreshed());
  }

  /** Reviewed, still short of an approval, and applied without it. */
  async function approvals(): Promise<void> {
    const { stackKey } = await newStack({ labels: { env: "reviewed" } });
    await api.database
      .sql`insert into approval_rules (org_id, name, selector, modes, previews, destructive, count, approvers, remind_ms)
      values (${org.orgId}, 'two', '{"env": "reviewed"}', '{plan}', false, false, 2, ${api.database.sql.json({ roles: [], groups: [], service_accounts: [] })}, 1000)`;
    const id = await create(core.service, stackKey, { actor: null });
    await untilWaiting(core, api.database, org);
    const [plan] = await api.database.sql`select id from runs where deployment_id = ${id}`;
    await decide(core.service, api.database, id, "review", { verdict: "approve", plan_run_id: plan?.id });
    const reminded = () =>
      api.database.sql`select 1 from domain_events where deployment_id = ${id} and name = 'approvals_awaited'`;
    await waitFor(async () => (await reminded()).length > 0, { what: "a reminder" });
    await decide(core.service, api.database, id, "confirm", { action: "apply", break_glass: "an outage" });
    await decide(core.service, api.database, id, "cancel");
  }

  await stackLife();
  await applied();
  await endings();
  await skipped();
  await withdrawn();
  await preview();
  await command();
  await sourceControl();
  await dependents();
  await drift();
  await policies();
  await schedules();
  await approvals();
}
