/**
 * Every event of the product arrives at its targets, caused by what really causes it, in the shape of
 * docs/notifications.md#the-request.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { scmEventActivities } from "../../activities/scmEvents.ts";
import { NOTIFIED_EVENTS, type NotifiedEvent } from "../../src/work/eventNames.ts";
import { openCore, type TestCore } from "../support/core.ts";
import { SCRIPT, tellStories } from "../support/eventStories.ts";
import { ACTOR, makeOrg, type TestOrg } from "../support/fixtures.ts";
import { makeNotifier, startNotifier, tellEvent } from "../support/notifications.ts";
import { NotificationTarget } from "../support/notificationTarget.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { testHosts } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";
import { freshNamespace, type TestTemporal } from "../support/temporal.ts";
import { waitFor } from "../support/waitFor.ts";

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

it("each event arrives once at each target; a webhook's envelope and a chat's text say what happened", async () => {
  await tellStories({ api, core, org, token, hosts, host, source });
  await tellEvent(core.service, { orgId: org.orgId, name: "explore_findings_changed", data: { current: REPORT } });
  const address = { runner_group_id: org.groupId, runner_group_name: "default", address: "192.0.2.7" };
  await tellEvent(core.service, { orgId: org.orgId, name: "runner_group_new_address", data: address });

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
    const ofStack = !["scm_sync_failed", "explore_findings_changed", "runner_group_new_address"].includes(
      body.event_type,
    );
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
  expect(one("deployment_reviewed").deployment.verdict).toBe("approve");
  expect(names.filter((name) => status(name) !== undefined).map((name) => [name, status(name)])).toEqual([
    ["approvals_awaited", "waiting"],
    ["dependent_trigger_failed", "cancelled"],
    ["deployment_auto_skipped", "skipped"],
    ["deployment_broke_glass", "applying"],
    ["deployment_cancelled", "cancelled"],
    ["deployment_created", expect.any(String)],
    ["deployment_failed", "failed"],
    ["deployment_policy_denied", "waiting"],
    ["deployment_policy_overridden", "waiting"],
    ["deployment_reviewed", "waiting"],
    ["deployment_skipped", "skipped"],
    ["deployment_succeeded", "finished"],
    ["deployment_waiting_for_confirmation", "waiting"],
    ["drift_check_failed", "failed"],
    ["drift_detected", "finished"],
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
  expect(one("drift_detected")).toMatchObject({
    drift: { drifted: 1, addresses: ["local_file.motd"] },
    deployment: { mode: "drift", status: "finished" },
  });
  expect(one("deployment_policy_denied").policy).toEqual({
    policies: "policy 1",
    reason: expect.stringMatching(/^Denied by policy policy 1: /),
  });
  expect(one("deployment_policy_overridden").policy).toEqual({ policies: "policy 1", reason: "the move" });
  expect(one("drift_resolved")).not.toHaveProperty("deployment");
  expect(one("drift_check_failed")).toMatchObject({ deployment: { mode: "drift", status: "failed" } });
  expect(one("schedule_missed").schedule).toMatchObject({ schedule: "nightly", reason: "held" });
  expect(one("stack_expiring").lifetime).toMatchObject({ reason: "for the demo" });
  expect(one("stack_expiry_failed").lifetime).toMatchObject({ error: "The destroy was cancelled." });
  expect(one("runner_group_new_address").runner_group).toEqual(address);
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
}, 120_000);
