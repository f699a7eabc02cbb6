/**
 * Every event of the product arrives at its targets, caused by what really causes it, in the shape of
 * docs/notifications.md#the-request.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { scmEventActivities } from "../../activities/scmEvents.ts";
import { lockLane } from "../../src/core/deployments/lane.ts";
import { reportDispatchFailed, reportDone } from "../../src/core/deployments/transitions/report.ts";
import { withdrawPreview } from "../../src/core/deployments/transitions/withdrawPreview.ts";
import { writeChange } from "../../src/core/deployments/writeChange.ts";
import { addEvents, type NewEvent } from "../../src/exchange/scm/inbox.ts";
import { recordFailure } from "../../src/graph/cascade/failed.ts";
import { NOTIFIED_EVENTS, type NotifiedEvent } from "../../src/work/eventNames.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { ACTOR, create, decide, makeOrg, type TestOrg } from "../support/fixtures.ts";
import { accept, doneApply, poll, rowBecomes, untilWaiting } from "../support/lifecycle.ts";
import { makeNotifier, startNotifier, tellEvent } from "../support/notifications.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { hostStack, makeIntegration, testHosts } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

const SCRIPT = `echo canary-${randomUUID()}`;
const REPORT = { cycles: 1, orphans: 2, duplicates: 3, cycles_complete: true, orphans_complete: false };

let api: PeopleApi;
let temporal: TestTemporal;
let host: ScriptedHost;
let core: TestCore;
let webhook: NotificationTarget;
let chat: NotificationTarget;
let org: TestOrg;
let token: string;
let source: { url: string; commit: string };
const hosts = testHosts();

beforeAll(async () => {
  [api, temporal, host, webhook, chat] = await Promise.all([
    startPeopleApi({ git: { allowProtocol: ["file"], checkHost: async () => {} } }),
    freshNamespace(),
    ScriptedHost.start(),
    NotificationTarget.start(),
    NotificationTarget.start(),
  ]);
  core = openCore(api.database, temporal);
  await core.startWorker();
  await startNotifier(temporal, api.database, hosts);
  const policy = { maxAttempts: 1, firstPauseMs: 100 };
  await temporal.startWorker({
    taskQueue: "scm",
    activities: scmEventActivities({ service: core.service, hosts: hosts.hosts, policy }),
  });
  source = commitFiles({ "main.tf": "# nothing\n" });
  org = await makeOrg(api.database);
  ({ token } = await api.makeAccount(org.orgId, [["*", "*"]]));
  await makeNotifier(api.database, hosts.keyring, org.orgId, { url: webhook.url });
  await makeNotifier(api.database, hosts.keyring, org.orgId, { url: chat.url }, { provider_type: "chat" });
});
afterAll(async () => {
  await core.close();
  await temporal.close();
  await hosts.egress.close();
  await Promise.all([api.close(), host.stop(), webhook.stop(), chat.stop()]);
  removeTemporaryDirectories();
});

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
    await waitFor(async () => (await became()).length === 1, { what: `the push to be ${status}`, timeoutMs: 20_000 });
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
  const failure = { text: "its branch is gone", passing: false, retryAfterMs: null, place: dependent.slug, random: 0 };
  await recordFailure(core.service, { maxAttempts: 3, firstPauseMs: 100 }, parentId, row, failure);
}

it("each event arrives once at each target; a webhook's envelope and a chat's text say what happened", async () => {
  await stackLife();
  await applied();
  await endings();
  await skipped();
  await withdrawn();
  await preview();
  await command();
  await sourceControl();
  await dependents();
  await tellEvent(core.service, { orgId: org.orgId, name: "explore_findings_changed", data: { current: REPORT } });

  const { sql } = api.database;
  const names = [...NOTIFIED_EVENTS];
  const happened = await sql`
    select name, count(*)::int as n from domain_events where org_id = ${org.orgId} and name = any(${names}) group by name`;
  expect(happened.map(({ name }) => name).sort()).toEqual(names.sort());
  const total = happened.reduce((sum, { n }) => sum + n, 0);
  for (const target of [webhook, chat]) {
    await waitFor(() => target.received.length >= total, { what: `${total} notifications`, timeoutMs: 30_000 });
  }
  await waitFor(async () => (await sql`select 1 from notification_deliveries`).length === 0, {
    what: "nothing in flight",
  });
  for (const target of [webhook, chat]) {
    expect(target.received).toHaveLength(total);
    const counted = Map.groupBy(target.received, ({ headers }) => headers["x-svc-event"]);
    expect(happened.map(({ name, n }) => [name, counted.get(name)?.length === n])).toEqual(
      happened.map(({ name }) => [name, true]),
    );
    expect(JSON.stringify(target.received)).not.toContain("canary");
  }

  const one = (name: NotifiedEvent) => webhook.bodies().find(({ event_type }) => event_type === name);
  for (const body of webhook.bodies()) {
    expect(body).toMatchObject({ org_id: org.orgId, occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) });
    const ofStack = !["scm_sync_failed", "explore_findings_changed"].includes(body.event_type);
    expect([body.event_type, "stack_id" in body, "stack_labels" in body, "url" in body]).toEqual([
      body.event_type,
      ofStack,
      ofStack,
      ofStack,
    ]);
  }
  const who = { actor_id: expect.any(String), actor_kind: "service_account" };
  expect(one("stack_created")).toMatchObject({
    ...who,
    stack_labels: { env: "prod" },
    url: expect.stringContaining("/stacks/"),
  });
  expect(one("stack_deleted")).toMatchObject(who);
  const { stack_id } = one("stack_deleted");
  expect(one("stack_renamed")).toMatchObject({ ...who, stack_id, stack: { previous_stack_id: stack_id.slice(0, -4) } });
  expect(one("stack_synced").stack).toEqual({
    commit_sha: expect.stringMatching(/^[0-9a-f]{40}$/),
    commit_message: expect.any(String),
    commit_author: expect.any(String),
  });
  const status = (name: NotifiedEvent) => one(name).deployment?.status;
  expect(names.filter((name) => status(name) !== undefined).map((name) => [name, status(name)])).toEqual([
    ["dependent_trigger_failed", "cancelled"],
    ["deployment_auto_skipped", "skipped"],
    ["deployment_cancelled", "cancelled"],
    ["deployment_created", expect.any(String)],
    ["deployment_failed", "failed"],
    ["deployment_skipped", "skipped"],
    ["deployment_succeeded", "finished"],
    ["deployment_waiting_for_confirmation", "waiting"],
    ["preview_auto_skipped", "skipped"],
    ["preview_ready", "finished"],
    ["preview_withdrawn", "skipped"],
    ["run_command_executed", expect.any(String)],
    ["run_failed_to_start", "failed"],
  ]);
  expect(one("deployment_succeeded").deployment).toMatchObject({
    mode: "plan",
    origin_type: "manual",
    commit_message: "Widen the network",
    plan_summary: { has_changes: true, counts: { add: 1 } },
  });
  expect(one("preview_ready").deployment).not.toHaveProperty("plan_summary");
  expect(one("run_command_executed").deployment).toMatchObject({ mode: "raw", command_bytes: SCRIPT.length });
  for (const name of ["deployment_auto_skipped", "preview_auto_skipped"] as const) {
    expect(one(name).deployment.skipped_reason).toBe("confirmation_timeout");
  }
  expect(one("preview_withdrawn").deployment.skipped_reason).toBe("pull_request_closed");
  expect(one("dependent_trigger_failed").deployment).toMatchObject({
    trigger_error: "its branch is gone",
    dependent_stack_id: expect.any(String),
  });
  expect(one("scm_sync_failed").scm).toMatchObject({
    inbox_event_type: "push_branch_changed",
    base_branch: "main",
    attempt_count: 1,
    pr_number: null,
  });
  expect(one("explore_findings_changed").findings).toEqual({ current: REPORT });

  const said = chat.bodies().map(({ text }: { text: string }) => text);
  expect(
    said.some((text) =>
      /^\*Plan waits for confirmation\*: <https:\/\/deploy\.example\/orgs\/.*\|s .*>\nplan, \+1 ~0 -0, `[0-9a-f]{8}` Widen the network\nby service account /.test(
        text,
      ),
    ),
  ).toBe(true);
  expect(said.every((text) => text.startsWith("*"))).toBe(true);
  expect(said.filter((text) => text.includes(ACTOR.id)).length).toBeGreaterThan(0);
});
