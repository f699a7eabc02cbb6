import { describe, expect, it } from "vitest";
import type { OutboxMessage } from "../../work/message.ts";
import type { Change } from "./change.ts";
import type { Lane } from "./lane.ts";
import { forSleepers, sleepOf } from "./sleepers.ts";

const HOUR = 3_600_000;
const NONE = { queued_timeout_ms: null, confirmation_timeout_ms: null, supersede_age_ms: null };
const SUBJECT = { orgId: "o", stackKey: "s", deploymentId: "d", mode: "plan", origin: "manual" };

function lane(woken: { deployment?: boolean; lease?: boolean }): Lane {
  return {
    now: "2026-01-01T00:00:00Z",
    deployment: {
      ...{ id: "d", org_id: "o", stack_key: "s", mode: "plan", origin_type: "manual" },
      woken_at: woken.deployment ? "2026-01-01T00:00:00Z" : null,
    },
    runs: [{ id: "r", lease_woken_at: woken.lease ? "2026-01-01T00:00:00Z" : null }],
  } as unknown as Lane;
}

const told = (change: Partial<Change>, woken: Parameters<typeof lane>[0] = {}): OutboxMessage[] =>
  forSleepers(lane(woken), { event: { name: "deployment_started" }, ...change } as Change);

const runFinished: OutboxMessage = { kind: "signalDeployment", deploymentId: "d", signal: "runFinished" };
const finished: OutboxMessage = { kind: "signalLease", runId: "r", signal: "finished" };
const cancelRequested: OutboxMessage = { kind: "signalLease", runId: "r", signal: "cancelRequested" };

describe("a deployment that sleeps", () => {
  it.each([
    ["finished", { kind: "endDeployment", orgId: "o", deploymentId: "d", status: "finished" }],
    ["failed", { kind: "endDeployment", orgId: "o", deploymentId: "d", status: "failed" }],
    ["waiting", { kind: "wakeDeployment", signal: "runFinished", ...SUBJECT }],
    ["applying", { ...runFinished, orgId: "o" }],
    ["requested_cancellation", { ...runFinished, orgId: "o" }],
  ] as const)("that becomes %s", (to, message) => {
    expect(told({ deployment: { to }, messages: [runFinished] })).toEqual([message]);
  });

  it("and one that is awake reads for itself, whatever it becomes", () => {
    for (const to of ["finished", "waiting", "applying"] as const)
      expect(told({ deployment: { to }, messages: [runFinished] }, { deployment: true })).toEqual([
        { ...runFinished, orgId: "o", ...(to === "finished" && { over: true }) },
      ]);
  });
});

describe("a lease that sleeps", () => {
  const ends = (to: "success" | "pending" | "cancelled") => ({ run: { id: "r", from: "running" as const, to } });

  it.each([
    ["its run's end", ends("success"), finished, { kind: "endLease", orgId: "o", runId: "r", status: "success" }],
    ["a run that is given back", ends("pending"), finished, { ...finished, orgId: "o" }],
    ["a cancel", {}, cancelRequested, { kind: "wakeLease", orgId: "o", runId: "r", signal: "cancelRequested" }],
  ] as const)("is told %s", (_what, change, message, heard) => {
    expect(told({ ...change, messages: [message] })).toEqual([heard]);
    const over = "run" in change && change.run.to === "success" && { over: true };
    expect(told({ ...change, messages: [message] }, { lease: true })).toEqual([{ ...message, orgId: "o", ...over }]);
  });
});

describe("a sleep", () => {
  it.each([
    ["is a day at most", "queued", NONE, 48 * HOUR, 24 * HOUR],
    ["ends with the startup deadline", "pending", NONE, HOUR, HOUR],
    ["ends when a queued one may be too old", "queued", { ...NONE, queued_timeout_ms: "5000" }, HOUR, 5_000],
    [
      "has nothing to do with the queue once it is pending",
      "pending",
      { ...NONE, queued_timeout_ms: "5000" },
      HOUR,
      HOUR,
    ],
    ["ends when nobody confirmed a parked one", "waiting", { ...NONE, confirmation_timeout_ms: "7000" }, HOUR, 7_000],
    ["ends when a newer plan may take over", "queued", { ...NONE, supersede_age_ms: "9000" }, HOUR, 9_000],
    [
      "ends when a newer plan may take over, though none is there yet",
      "pending",
      { ...NONE, supersede_age_ms: "9000" },
      HOUR,
      9_000,
    ],
  ] as const)("%s", (_what, status, policies, startupMs, ms) => expect(sleepOf(status, policies, startupMs)).toBe(ms));
});
