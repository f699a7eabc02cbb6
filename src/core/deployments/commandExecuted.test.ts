import { describe, expect, it } from "vitest";
import { ACTOR, currentRun, type Given, lane, NOW } from "../../../test/support/lanes.ts";
import { isRunTerminal, RUN_STATUSES, type RunStatus } from "../runs/lifecycle.ts";
import { auditLines } from "./auditLines.ts";
import type { ActivityKind } from "./change.ts";
import { commandExecuted } from "./commandExecuted.ts";

describe("that a command was executed is told", () => {
  const RAW: Given = { mode: "raw", status: "applying", run: { started_at: NOW }, deployment: { command_bytes: 12 } };
  const told = (of: Given, to: RunStatus) => {
    const before = lane(of);
    const { id, status: from } = currentRun(before);
    return commandExecuted(before, { run: { id, from, to }, event: { name: "deployment_succeeded" } });
  };

  it.each(RUN_STATUSES)("of a run that becomes %s, when that is its end", (status) =>
    expect(told(RAW, status)).toEqual(
      isRunTerminal(status)
        ? { name: "run_command_executed", runId: "raw_run-1", data: { command_bytes: 12, run_status: status } }
        : null,
    ),
  );

  it("of no run that no runner had accepted, of no plan, and of no change without a run", () => {
    expect(told({ ...RAW, run: { started_at: null } }, "cancelled")).toBeNull();
    expect(told({ status: "planning", run: { started_at: NOW } }, "success")).toBeNull();
    expect(commandExecuted(lane(RAW), { event: { name: "deployment_cancelled" } })).toBeNull();
  });
});

describe("the audit channel hears", () => {
  const HEARD: Record<ActivityKind, string | null> = {
    created: null,
    confirmed_apply: "confirm_apply",
    confirmed_replan: null,
    confirmed_preview: null,
    confirmed_skip: "skip",
    skipped: "skip",
    cancellation_requested: "cancel",
    prioritized: null,
    deprioritized: null,
    policy_evaluation_requested: null,
    policy_denied: null,
    policy_overridden: null,
    approved: null,
    rejected: null,
    auto_applied: null,
    auto_approve_suppressed: null,
  };
  const about = { id: "d-1", org_id: "o-1" };

  it.each(Object.entries(HEARD))("of %s: %s", (kind, action) => {
    const lines = auditLines(about, [{ kind: kind as ActivityKind, actor: ACTOR }]);
    expect(lines.map((line) => line.action)).toEqual(action === null ? [] : [action]);
  });

  it("who did it to what, and whether by force; of what nobody did it hears nothing", () => {
    const who = { deploymentId: "d-1", orgId: "o-1", actorId: ACTOR.id, actorKind: "user" };
    const forced = { kind: "cancellation_requested", actor: ACTOR, details: { force: true } } as const;
    expect(auditLines(about, [forced])).toEqual([{ action: "cancel", ...who, force: true }]);
    expect(auditLines(about, [{ kind: "skipped", actor: ACTOR }])).toEqual([{ action: "skip", ...who, force: false }]);
    expect(auditLines(about, [{ kind: "skipped", actor: null }])).toEqual([]);
    const command = { kind: "created", details: { command_bytes: 4 } } as const;
    expect(auditLines(about, [{ ...command, actor: ACTOR }])).toEqual([
      { action: "run_command", deploymentId: "d-1", orgId: "o-1", actorId: ACTOR.id, command_bytes: 4 },
    ]);
    expect(auditLines(about, [{ ...command, actor: null }])).toEqual([]);
  });
});
