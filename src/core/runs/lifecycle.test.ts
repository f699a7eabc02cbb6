import { describe, expect, it } from "vitest";
import {
  isAccepted,
  isCancelRequested,
  isPlanStyle,
  isRunTerminal,
  RUN_STATUSES,
  RUN_TRANSITIONS,
  type RunEnd,
  type RunStatus,
} from "./lifecycle.ts";
import { RUN_KINDS } from "./protocol.ts";
import { RUNNER_STATUSES, runnerStatusAfter } from "./runnerLifecycle.ts";

/** What each status says of the run: over, in a runner's hands, asked to stop. */
const SAYS: Record<RunStatus, { terminal?: true; accepted?: true; asked?: true }> = {
  queued: {},
  pending: {},
  assigned: {},
  running: { accepted: true },
  requested_cancellation: { accepted: true, asked: true },
  cancelling: { accepted: true, asked: true },
  success: { terminal: true },
  failure: { terminal: true },
  cancelled: { terminal: true },
  timed_out: { terminal: true },
  startup_timeout: { terminal: true },
  discarded: { terminal: true },
};

describe("a run", () => {
  it.each(RUN_STATUSES)("that is %s", (status) => {
    const { terminal = false, accepted = false, asked = false } = SAYS[status];
    expect([isRunTerminal(status), isAccepted(status), isCancelRequested(status)]).toEqual([terminal, accepted, asked]);
  });

  it("goes only to statuses that there are, and never back from a runner's hands", () => {
    for (const from of RUN_STATUSES) {
      for (const to of RUN_TRANSITIONS[from]) {
        expect(RUN_STATUSES).toContain(to);
        if (isAccepted(from)) expect(isAccepted(to) || isRunTerminal(to), `${from} -> ${to}`).toBe(true);
        if (isCancelRequested(from)) expect(isCancelRequested(to) || ["success", "cancelled"].includes(to)).toBe(true);
      }
    }
  });

  it("writes a plan unless it applies one or runs a command", () =>
    expect(RUN_KINDS.filter((kind) => !isPlanStyle(kind))).toEqual(["apply_run", "raw_run"]));
});

/** By its own report, and when the service gave it up. */
const AFTER: Record<RunEnd, string> = {
  success: "finished",
  cancelled: "finished",
  failure: "failed",
  timed_out: "failed",
  startup_timeout: "failed",
  discarded: "failed",
};

describe("the runner of a run that ended", () => {
  it.each(Object.entries(AFTER))("%s", (end, status) => {
    expect(runnerStatusAfter(end as RunEnd, true)).toBe(status);
    expect(runnerStatusAfter(end as RunEnd, false)).toBe("gone");
    expect(RUNNER_STATUSES).toContain(status);
  });

  it("is one of every terminal status of a run", () =>
    expect(Object.keys(AFTER).sort()).toEqual(RUN_STATUSES.filter(isRunTerminal).sort()));
});
