import { describe, expect, it } from "vitest";
import { verdictOfChecks } from "./checks.ts";

const passed = (name: string, app = 7) => ({ name, status: "completed", conclusion: "success", app: { id: app } });
const failed = (name: string) => ({ name, status: "completed", conclusion: "failure", app: { id: 7 } });
const open = (name: string) => ({ name, status: "in_progress", conclusion: null, app: { id: 7 } });
const status = (context: string, state: string) => ({ context, state });
const required = (name: string, app: number | null = null) => ({ name, app });

describe("where the host does not say which are required, every check counts", () => {
  it.each([
    ["none has reported", [], [], null, "no check has reported"],
    ["our own status is none", [status("preview/network", "pending")], [], null, "no check has reported"],
    ["all have passed", [status("ci/lint", "success")], [passed("build")], true, null],
    ["one is open", [status("ci/lint", "pending")], [passed("build")], null, "not passed yet: ci/lint"],
    ["one has failed", [status("ci/lint", "error")], [open("build")], false, "failed: ci/lint"],
    ["many have failed", [], ["a", "b", "c", "d", "e"].map(failed), false, "failed: a, b, c and 2 more"],
  ])("%s", (_, statuses, runs, verdict, reason) => {
    expect(verdictOfChecks(statuses, runs, [])).toEqual({ passed: verdict, reason });
  });
});

describe("where the host says which are required, they alone count", () => {
  it.each([
    ["another may fail", [required("build")], [], [passed("build"), failed("nightly")], true, null],
    [
      "one that has not reported",
      [required("build"), required("e2e")],
      [],
      [passed("build")],
      null,
      "not passed yet: e2e",
    ],
    ["one that has failed", [required("build")], [], [failed("build"), passed("nightly")], false, "failed: build"],
    [
      "one of several runs under its name",
      [required("build")],
      [],
      [passed("build"), failed("build")],
      false,
      "failed: build",
    ],
    ["a status under its name", [required("ci/lint")], [status("ci/lint", "success")], [], true, null],
    [
      "another app's run under its name",
      [required("build", 9)],
      [],
      [passed("build", 7)],
      null,
      "not passed yet: build",
    ],
    [
      "a status in place of an app's run",
      [required("build", 9)],
      [status("build", "success")],
      [],
      null,
      "not passed yet: build",
    ],
    ["its app's own run", [required("build", 9)], [], [passed("build", 9)], true, null],
    ["only our own status is required", [required("preview/network")], [], [passed("build")], true, null],
  ])("%s", (_, wanted, statuses, runs, verdict, reason) => {
    expect(verdictOfChecks(statuses, runs, wanted)).toEqual({ passed: verdict, reason });
  });
});
