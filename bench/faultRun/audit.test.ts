import { expect, it } from "vitest";
import { compare, type Rows } from "./audit.ts";
import { commitOf } from "./story.ts";
import { Witness } from "./witness.ts";

/** One deployment that was created, confirmed and applied, as rows and as the outside world saw it. */
function clean(): { rows: Rows; witness: Witness } {
  const witness = new Witness();
  witness.created.set(commitOf(0), "d0");
  witness.confirmed.add("d0");
  witness.start("stack", "plan", null);
  witness.stop("stack", "plan");
  witness.reported.set("plan", "success");
  witness.start("stack", "apply", "plan");
  witness.stop("stack", "apply");
  witness.reported.set("apply", "success");
  const rows = {
    deployments: [{ id: "d0", commit_sha: commitOf(0), status: "finished", confirms: 1, applies: 1 }],
    runs: ["plan", "apply"].map((id) => ({ id, status: "success", cancel_requested: false })),
  };
  return { rows, witness };
}

const judge = ({ rows, witness }: ReturnType<typeof clean>, count = 1) => compare(rows, count, witness);

it("finds nothing in a clean run", () => {
  expect(judge(clean())).toEqual({ lost: [], doubled: [] });
});

it("finds a deployment that was created and is gone, and one that was never created", () => {
  const run = clean();
  run.rows.deployments = [];
  expect(judge(run, 2).lost).toEqual(["deployment d0 was created and is gone", "create 1 was never answered with 201"]);
});

it("finds a confirmation that came to nothing", () => {
  const run = clean();
  run.rows.deployments[0]!.applies = 0;
  expect(judge(run).lost).toEqual(["deployment d0 was confirmed and has 0 apply runs"]);
});

it("finds a report that is not what is stored, unless a cancel made it so", () => {
  const run = clean();
  run.rows.runs[1]!.status = "failure";
  expect(judge(run).lost).toEqual(["run apply was reported success and is failure"]);
  run.rows.runs[1] = { id: "apply", status: "cancelled", cancel_requested: true };
  expect(judge(run).lost).toEqual([]);
});

it("finds a skip and a cancel that did not hold", () => {
  const run = clean();
  run.witness.confirmed.clear();
  run.witness.skipped.add("d0");
  run.rows.deployments[0]!.status = "failed";
  expect(judge(run).lost).toEqual(["deployment d0 was skipped and is failed"]);
  run.witness.skipped.clear();
  run.witness.cancelled.add("d0");
  expect(judge(run).lost).toEqual(["deployment d0 was cancelled and is failed"]);
});

it("finds a create that was carried out twice", () => {
  const run = clean();
  run.rows.deployments.push({ ...run.rows.deployments[0]!, id: "d1" });
  expect(judge(run).doubled).toEqual([`commit ${commitOf(0)} has 2 deployments`]);
});

it("finds a plan that was applied twice, and a second confirmation", () => {
  const run = clean();
  run.witness.start("stack", "again", "plan");
  Object.assign(run.rows.deployments[0]!, { confirms: 2, applies: 2 });
  expect(judge(run).doubled).toEqual([
    "deployment d0: 2 confirmations, 2 apply runs",
    "plan plan was handed out to 2 applies: apply, again",
  ]);
});

it("finds two runs at work on one stack at once", () => {
  const run = clean();
  run.witness.start("stack", "one", null);
  run.witness.start("stack", "two", null);
  expect(judge(run).doubled).toEqual(["runs one and two were at work on stack stack at once"]);
});
