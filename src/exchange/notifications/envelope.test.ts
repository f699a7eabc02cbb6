import { describe, expect, it } from "vitest";
import { deployment, event, SUMMARY } from "../../../test/support/eventFacts.ts";
import { type Envelope, envelopeOf } from "./envelope.ts";
import type { EventFacts } from "./eventFacts.ts";

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
