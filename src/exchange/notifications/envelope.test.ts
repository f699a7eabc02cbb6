import { describe, expect, it } from "vitest";
import { chatMessage, countsText } from "./chatMessage.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import type { DeploymentFacts, EventFacts } from "./eventFacts.ts";

const SUMMARY = {
  has_changes: true,
  counts: { add: 1, change: 2, destroy: 3, replace: 1, import: 0, forget: 0, move: 0 },
  gaps: [],
};
const deployment = (changes: Partial<DeploymentFacts> = {}): DeploymentFacts => ({
  id: "d-1",
  status: "applying",
  mode: "plan",
  commit_sha: "0123456789abcdef",
  commit_message: "Widen the network\n\nbecause",
  commit_author: "Ada",
  origin_type: "manual",
  pr_number: null,
  skipped_reason: null,
  error: null,
  created_by: "codehost:ada:1",
  created_by_kind: "user",
  plan_summary: SUMMARY,
  ...changes,
});
const event = (changes: Partial<EventFacts> = {}): EventFacts => ({
  id: "e-1",
  org_id: "o-1",
  name: "deployment_waiting_for_confirmation",
  occurred_at: "2026-11-28 10:00:00.123456+00",
  actor_id: null,
  actor_kind: null,
  account_name: null,
  data: {},
  stack: { key: "k", slug: "net", name: "Net", labels: { env: "prod" } },
  deployment: deployment(),
  ...changes,
});
const context = { publicBaseUrl: "https://deploy.example" };
const of = (changes: Partial<EventFacts>, more: object = {}): Envelope =>
  envelopeOf(event(changes), { ...context, ...more });
const ofStack = (name: EventFacts["name"], data: EventFacts["data"] = {}) =>
  of({ name, data, deployment: null, actor_id: "codehost:ada:1", actor_kind: "user" });

describe("envelopeOf", () => {
  it("is what the manual promises for a deployment", () => {
    expect(of({})).toEqual({
      event_type: "deployment_waiting_for_confirmation",
      org_id: "o-1",
      occurred_at: "2026-11-28T10:00:00.123456Z",
      stack_id: "net",
      stack_name: "Net",
      stack_labels: { env: "prod" },
      url: "https://deploy.example/orgs/o-1/stacks/net/deployments/d-1",
      deployment: {
        deployment_id: "d-1",
        status: "waiting",
        mode: "plan",
        commit_sha: "0123456789abcdef",
        commit_message: "Widen the network\n\nbecause",
        commit_author: "Ada",
        origin_type: "manual",
        plan_summary: SUMMARY,
      },
    });
  });

  it("has no plan_summary when the plan was not measured, and none of an earlier state", () => {
    const unmeasured = deployment({ plan_summary: { ...SUMMARY, counts: null } });
    expect(of({ deployment: unmeasured }).deployment).not.toHaveProperty("plan_summary");
    expect(of({ deployment: deployment({ plan_summary: null }) }).deployment).not.toHaveProperty("plan_summary");
    expect(of({ name: "deployment_created" }).deployment).not.toHaveProperty("plan_summary");
  });

  it("has pr_number only when the origin is a pull request", () => {
    const preview = deployment({ origin_type: "pull_request", pr_number: 7 });
    expect(of({ deployment: preview }).deployment).toMatchObject({ pr_number: 7 });
    expect(of({ deployment: deployment({ pr_number: 7 }) }).deployment).not.toHaveProperty("pr_number");
  });

  it("has command_bytes on run_command_executed only, and whatever else the data holds never", () => {
    const data = { command_bytes: 12, script: "terraform state rm", run_status: "success" };
    const text = JSON.stringify(of({ name: "run_command_executed", data }));
    expect(text).toContain('"command_bytes":12');
    expect(text).not.toContain("state rm");
    expect(of({ name: "deployment_succeeded", data }).deployment).not.toHaveProperty("command_bytes");
  });

  it.each(["deployment_auto_skipped", "preview_auto_skipped"] as const)("has skipped_reason on %s", (name) => {
    const skipped = of({ name, deployment: deployment({ status: "skipped", skipped_reason: "confirmation_timeout" }) });
    expect(skipped.deployment).toMatchObject({ status: "skipped", skipped_reason: "confirmation_timeout" });
  });

  it("anchors dependent_trigger_failed to the parent", () => {
    const data = { dependent_stack_id: "app", trigger_error: "its branch is gone", inner: "x" };
    const { deployment: detail } = of({
      name: "dependent_trigger_failed",
      data,
      deployment: deployment({ status: "finished" }),
    });
    expect(detail).toMatchObject({
      deployment_id: "d-1",
      status: "finished",
      dependent_stack_id: "app",
      trigger_error: "its branch is gone",
    });
    expect(detail).not.toHaveProperty("inner");
  });

  it.each(["stack_created", "stack_deleted"] as const)("has an actor and no detail object on %s", (name) => {
    const envelope = ofStack(name, { stack_id: "net", stack_name: "Net" });
    expect(envelope).toMatchObject({
      actor_id: "codehost:ada:1",
      actor_kind: "user",
      url: "https://deploy.example/orgs/o-1/stacks/net",
    });
    for (const detail of ["deployment", "stack", "scm", "findings"]) expect(envelope).not.toHaveProperty(detail);
  });

  it("names a stack as it was when the event happened", () => {
    const renamed = ofStack("stack_renamed", {
      stack_id: "old2",
      stack_name: "Old 2",
      previous_stack_id: "old",
      previous_name: "Old",
    });
    expect(renamed).toMatchObject({
      stack_id: "old2",
      stack_name: "Old 2",
      stack: { previous_stack_id: "old", previous_name: "Old" },
    });
  });

  it("names no operator as an actor, and none on deployments", () => {
    expect(
      of({ name: "stack_deleted", deployment: null, actor_id: "operator:root", actor_kind: "operator" }),
    ).not.toHaveProperty("actor_id");
    expect(of({ actor_id: "codehost:ada:1", actor_kind: "user" })).not.toHaveProperty("actor_id");
  });

  it("has the commit on stack_synced", () => {
    const data = { stack_id: "net", stack_name: "Net", commit_sha: "abc", commit_message: "m", commit_author: "a" };
    expect(ofStack("stack_synced", data).stack).toEqual({ commit_sha: "abc", commit_message: "m", commit_author: "a" });
  });

  it("has no stack on scm_sync_failed, and only the fields the manual names", () => {
    const data = {
      scm_event_id: "x",
      repository_url: "https://git.example/r",
      inbox_event_type: "pr_changed",
      base_branch: "main",
      pr_number: null,
      last_error: "the code host could not be reached",
      attempt_count: 8,
    };
    const envelope = of({ name: "scm_sync_failed", stack: null, deployment: null, data });
    expect(Object.keys(envelope)).toEqual(["event_type", "org_id", "occurred_at", "scm"]);
    expect(envelope.scm).toEqual({ ...data, scm_event_id: undefined });
  });

  it("has previous findings only when the recipient was told of some before", () => {
    const current = { cycles: 1, orphans: 0, duplicates: 2, cycles_complete: true, orphans_complete: false };
    const facts = { name: "explore_findings_changed", stack: null, deployment: null, data: { current } } as const;
    expect(of(facts).findings).toEqual({ current });
    expect(of(facts, { previousFindings: current }).findings).toEqual({ current, previous: current });
  });

  it("has no link without a public address", () =>
    expect(envelopeOf(event(), { publicBaseUrl: undefined })).not.toHaveProperty("url"));
});

describe("chatMessage", () => {
  const say = (changes: Partial<EventFacts>) => {
    const facts = event(changes);
    return chatMessage(facts, envelopeOf(facts, context)).text;
  };

  it("says what happened, where, what changes, who, and leads there", () => {
    expect(say({})).toBe(
      "*Plan waits for confirmation*: <https://deploy.example/orgs/o-1/stacks/net/deployments/d-1|Net>\n" +
        "plan, +2 ~2 -4, `01234567` Widen the network\nby ada",
    );
  });

  it("counts a replacement on both sides, and nothing that was not measured", () => {
    expect(countsText(SUMMARY)).toBe("+2 ~2 -4");
    expect(countsText({ ...SUMMARY, counts: null })).toBeNull();
    expect(countsText(null)).toBeNull();
  });

  it("lets no text of others format, link or call anybody", () => {
    const said = say({
      deployment: deployment({ commit_message: "<!channel> <https://evil.example|ok> @here & more" }),
    });
    expect(said).toContain("&lt;!channel&gt; &lt;https://evil.example|ok&gt; @\u200bhere &amp; more");
  });

  it("says why it failed, and cuts what is long", () => {
    const said = say({ name: "deployment_failed", deployment: deployment({ error: "x".repeat(1_000) }) });
    expect(said).toContain("Deployment failed");
    expect(said).toContain(`${"x".repeat(299)}…`);
  });

  it("names the account of a machine, and nobody where nobody acted", () => {
    expect(say({ actor_id: "sa-1", actor_kind: "service_account" })).toContain("by service account sa-1");
    const ci = { actor_id: "sa-1", actor_kind: "service_account", account_name: "ci <main>" } as const;
    expect(say(ci)).toContain("by service account ci &lt;main&gt;");
    expect(say({ deployment: deployment({ created_by: null, created_by_kind: null }) })).not.toContain("by ");
  });

  it("tells a failed sync and changed findings without a stack", () => {
    const failed = say({
      name: "scm_sync_failed",
      stack: null,
      deployment: null,
      data: { repository_url: "https://git.example/r", base_branch: "main", attempt_count: 8, last_error: "no answer" },
    });
    expect(failed).toBe(
      "*Sync with the code host failed*\nhttps://git.example/r, branch main, given up after 8 tries\nno answer",
    );
    const data = { runner_group_id: "g", runner_group_name: "prod <eu>", address: "192.0.2.7" };
    expect(say({ name: "runner_group_new_address", stack: null, deployment: null, data })).toBe(
      "*Token of a runner group used from a new address*\nprod &lt;eu&gt;, from 192.0.2.7",
    );
    const current = { cycles: 1, orphans: 0, duplicates: 2, cycles_complete: true, orphans_complete: false };
    const found = say({ name: "explore_findings_changed", stack: null, deployment: null, data: { current } });
    expect(found).toContain("cycles 1, orphans unknown, duplicates 2");
  });
});
