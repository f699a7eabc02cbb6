/** What a run fetches and stores: what it says when that is gone or damaged, and that a cancel ends it. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type Refusal, type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";

let service: ScriptedService;
let runner: RunnerProcess;
let source: ReturnType<typeof commitFiles>;
let plan: ScriptedRun;

beforeAll(async () => {
  service = await new ScriptedService().start();
  runner = new RunnerProcess(service, { RUNNER_MAX_CONCURRENT: "1" });
  const state = `terraform {\n  backend "local" {\n    path = "${temporaryDirectory("world")}/terraform.tfstate"\n  }\n}\n`;
  source = commitFiles({ "main.tf": `${state}resource "terraform_data" "one" {}\n` });
  plan = await ended(service.offer(runContext(source, "plan_run")));
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { has_changes: true } });
});
afterAll(async () => {
  await runner.stop("SIGINT");
  await service.stop();
  removeTemporaryDirectories();
});

const archive = archiveOfFiles({ "main.tf": "# uploaded\n" });
const local = () =>
  runContext(source, "plan_run", (context) => {
    context.source = { type: "local", sha256: sha256Of(archive), size: archive.length };
  });

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

/** What each kind of run fetches, and what people are told to do without it. */
const FETCHED: [string, () => RunContext, RegExp][] = [
  ["plan", () => applyContext(plan), /plan again. Nothing was applied/],
  ["tree", () => applyContext(plan), /plan again. Nothing was applied/],
  ["source", local, /upload it again. Nothing was planned/],
];
const STATES: [string, Refusal][] = [
  ["missing", { status: 404, code: "not_found" }],
  ["damaged", { status: 409, code: "artifact_damaged" }],
];

describe.each(FETCHED)("a %s", (kind, context, advice) => {
  test.each(STATES)("that is %s is told at once, with its code", async (state, refusal) => {
    const run = await ended(service.offer(context(), { [kind]: refusal }, archive));
    expect(run.done).toMatchObject({ status: "failure", error: expect.stringMatching(advice) });
    expect(run.done?.error).toContain(`(${kind}_${state}).`);
    expect(run.calls.filter((call) => call.endsWith(kind))).toHaveLength(1);
    expect(run.log).not.toMatch(/Running (terraform|tofu)/);
  });
});

/** Cancels a run once it has called this route, and returns it once it has ended. */
async function cancelled(run: ScriptedRun, route: string): Promise<ScriptedRun> {
  await service.until(() => run.calls.some((call) => call.endsWith(route)));
  expect(run.done).toBeNull();
  run.status = "requested_cancellation";
  const begun = performance.now();
  await ended(run);
  // A status is asked for every 0.2 s.
  expect(performance.now() - begun, route).toBeLessThan(3_000);
  return run;
}

const TRANSFERS: [string, string, () => RunContext][] = [
  ["fetches its plan", "artifacts plan", () => applyContext(plan)],
  ["fetches its tree", "artifacts tree", () => applyContext(plan)],
  ["fetches its source", "source", local],
  ["stores its plan", "artifacts plan", () => runContext(source, "plan_run")],
  ["stores its tree", "artifacts tree", () => runContext(source, "plan_run")],
  ["stores its analysis", "artifacts analysis", () => runContext(source, "plan_run")],
];

describe.each(["no answer", "half an answer"] as const)("while the service gives %s", (silence) => {
  test.each(TRANSFERS)("a run that %s ends by a cancel", async (_, route, context) => {
    const run = service.offer(context(), {}, archive);
    run.silent.set(route.split(" ").at(-1)!, silence);
    await cancelled(run, route);
    expect(run.done).toMatchObject({ status: "cancelled", error: null });
  });
});

test("while the service is away a run that asks again ends by a cancel", async () => {
  const run = service.offer(applyContext(plan), { tree: { status: 503 } });
  await service.until(() => run.calls.filter((call) => call.endsWith("tree")).length > 1);
  await cancelled(run, "tree");
  expect(run.done).toMatchObject({ status: "cancelled", error: null });
});

test("an apply whose analysis cannot be stored happened, whenever it is cancelled", async () => {
  const run = service.offer(applyContext(plan));
  run.silent.set("analysis", "no answer");
  await cancelled(run, "analysis");
  expect(run.done).toMatchObject({ status: "success", error: null });
  expect(run.log).toContain("Left out: the analysis of this run: the run was stopped before it was stored.");
});
