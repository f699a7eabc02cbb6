/**
 * What a pull request's state means for a stack: which previews go, which comes, and whether the stack stays linked.
 */
import { describe, expect, it } from "vitest";
import { lane } from "../../../test/support/lanes.ts";
import { preview, request, stack } from "../../../test/support/requestStates.ts";
import { DEPLOYMENT_STATUSES } from "../deployments/lifecycle.ts";
import { withdrawPreview } from "../deployments/transitions/withdrawPreview.ts";
import { type KnownPreview, planSteps, type StackSettings, type Steps, type TouchingRequest, touches } from "./plan.ts";

const APPROVED: Partial<StackSettings> = { pr_requirements: { plan: ["approved"] } };

describe("a request touches", () => {
  it.each([
    ["network", ["network/main.tf"], true],
    ["network", ["network"], true],
    ["network", ["network-prod/main.tf", "a/network/main.tf", "networks"], false],
    ["a/b", ["a/b/c/d.tf"], true],
    ["a/b", ["a/main.tf"], false],
    ["network", [], false],
    [".", ["README.md"], true],
    [".", [], true],
  ] as const)("directory %s by %j: %s", (directory, paths, touched) => {
    expect(touches(directory, { paths, complete: true })).toBe(touched);
    // What is not listed may be anywhere.
    expect(touches(directory, { paths, complete: false })).toBe(true);
  });
});

describe("a preview is made", () => {
  it.each([
    ["auto", false, false, "pending"],
    ["auto", true, false, "parked"],
    ["auto", true, true, "pending"],
    ["manual", false, false, "parked"],
    ["manual", true, true, "parked"],
  ] as const)(
    "where the stack plans %s, from a fork %s, forks trusted %s: %s",
    (pr_plan_mode, is_fork, fork_previews, create) =>
      expect(planSteps(request({ is_fork }), stack({ pr_plan_mode, fork_previews }), false, [])).toEqual({
        withdraw: [],
        link: "add",
        create,
      }),
  );

  it.each<[string, TouchingRequest, KnownPreview[], Steps["create"]]>([
    ["the requirement is met", request({ approved: true }), [], "pending"],
    ["not, when it is refused", request({ approved: false }), [], null],
    ["not, while it is not known", request({ approved: null }), [], null],
    [
      "again, when the last was taken back",
      request({ approved: true }),
      [preview("skipped", { skipped_reason: "retracted" })],
      "pending",
    ],
    ["not again of the same head", request({ approved: true }), [preview("finished")], null],
    ["not again when a person cancelled it", request({ approved: true }), [preview("cancelled")], null],
    ["beside a person's retry", request({ approved: true }), [preview("finished", { automatic: false })], "pending"],
  ])("where %s", (_, of, previews, create) =>
    expect(planSteps(of, stack(APPROVED), true, previews).create).toBe(create),
  );
});

describe("previews are taken back", () => {
  it("all that live, when the request is closed or leaves the stack", () => {
    const previews = [
      preview("waiting"),
      preview("planning", { id: "p-2", generation: 2 }),
      preview("finished", { id: "p-3" }),
    ];
    const gone = (reason: string) => ({
      withdraw: ["p-1", "p-2"].map((id) => ({ id, reason })),
      link: "remove",
      create: null,
    });
    expect(planSteps(null, stack(), true, previews)).toEqual(gone("pull_request_closed"));
    expect(planSteps(request(), null, true, previews)).toEqual(gone("retracted"));
    expect(planSteps(request({ files: { paths: ["other/a.md"], complete: true } }), stack(), true, previews)).toEqual(
      gone("retracted"),
    );
    expect(planSteps(null, null, false, [])).toEqual({ withdraw: [], link: "none", create: null });
  });

  it("that of an older head, for the new one", () =>
    expect(planSteps(request(), stack(), true, [preview("planning", { generation: 2 })])).toEqual({
      withdraw: [{ id: "p-1", reason: "superseded" }],
      link: "keep",
      create: "pending",
    }));

  it.each(["waiting", "pending", "planning"] as const)(
    "when its requirement is refused: only one that is parked, not one that is %s",
    (status) => {
      const { withdraw } = planSteps(request({ approved: false }), stack(APPROVED), true, [preview(status)]);
      expect(withdraw).toEqual(status === "waiting" ? [{ id: "p-1", reason: "retracted" }] : []);
      expect(planSteps(request({ approved: null }), stack(APPROVED), true, [preview(status)]).withdraw).toEqual([]);
    },
  );

  // Previews never queue and never apply.
  it.each(DEPLOYMENT_STATUSES.filter((status) => status !== "queued" && status !== "applying"))(
    "as long as that does anything: %s",
    (status) => {
      const taken = planSteps(null, null, false, [preview(status)]).withdraw.length > 0;
      expect(taken).toBe(withdrawPreview(lane({ mode: "plan_unlocked", status }), "superseded") !== null);
    },
  );
});
