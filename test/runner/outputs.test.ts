/** What a runner tells of outputs and asks for of other stacks (docs/outputs.md), with a real engine. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";

const SECRET = `password-${crypto.randomUUID()}`;
const DIGITS = "123456789012345678901234567890";

let service: ScriptedService;
let runner: RunnerProcess;
let world: string;

beforeAll(async () => {
  service = await new ScriptedService().start();
  runner = new RunnerProcess(service);
});
beforeEach(() => {
  world = temporaryDirectory("world");
});
afterAll(async () => {
  await runner?.stop("SIGTERM");
  await service?.stop();
  removeTemporaryDirectories();
}, 60_000);

const withState = (configuration: string) => `
terraform {
  backend "local" { path = "${world}/terraform.tfstate" }
}
${configuration}`;

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

const LEAVES = `
output "vpc_id" { value = "vpc-1" }
output "digits" { value = ${DIGITS} }
output "password" {
  value     = "${SECRET}"
  sensitive = true
}
`;
const LEFT = [
  { name: "digits", type: '"number"', sensitive: false, value: DIGITS },
  { name: "password", type: '"string"', sensitive: true, value: JSON.stringify(SECRET) },
  { name: "vpc_id", type: '"string"', sensitive: false, value: '"vpc-1"' },
];
const byName = (run: ScriptedRun) => run.outputs?.toSorted((a, b) => (a.name < b.name ? -1 : 1));

test("an apply tells what it left before its end, and so does a plan with nothing to change", async () => {
  const source = commitFiles({ "main.tf": withState(LEAVES) });
  const plan = await ended(service.offer(runContext(source, "plan_run")));
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { has_changes: true } });
  expect(plan.outputs).toBeUndefined();
  const apply = await ended(service.offer(applyContext(plan)));
  expect(apply.done, apply.log).toMatchObject({ status: "success" });
  expect(byName(apply)).toEqual(LEFT);
  const told = apply.calls.indexOf("PUT outputs");
  expect(told).toBeLessThan(apply.calls.indexOf("POST done"));

  const again = await ended(service.offer(runContext(source, "plan_run")));
  expect(again.done).toMatchObject({ plan_summary: { has_changes: false } });
  expect(byName(again)).toEqual(LEFT);
  const preview = await ended(
    service.offer(
      runContext(source, "plan_run", ({ deployment }) => {
        deployment.mode = "plan_unlocked";
      }),
    ),
  );
  expect([preview.done?.status, preview.outputs]).toEqual(["success", undefined]);
  for (const { log, done } of [plan, apply, again]) expect(log + JSON.stringify(done)).not.toContain(SECRET);
}, 120_000);

test("an apply whose outputs are not taken is a success, and its log says that they are left out", async () => {
  const source = commitFiles({ "main.tf": withState(LEAVES) });
  const plan = await ended(service.offer(runContext(source, "plan_run")));
  const apply = await ended(service.offer(applyContext(plan), { outputs: { status: 409 } }));
  expect(apply.done).toMatchObject({ status: "success" });
  expect(apply.log).toContain("Left out: the outputs of this run:");
  const large = commitFiles({
    "main.tf": withState(`output "large" { value = join("", [for i in range(1000) : "${"x".repeat(300)}"]) }`),
  });
  const second = await ended(service.offer(runContext(large, "plan_run")));
  expect(second.done, second.log).toMatchObject({ status: "success" });
  const tooLarge = await ended(service.offer(applyContext(second)));
  expect(tooLarge.done).toMatchObject({ status: "success" });
  expect(tooLarge.log).toContain("more than 200000 bytes together");
  expect(tooLarge.outputs).toBeNull();
}, 120_000);

const TAKES = `
# svc:dependency: from_stack=network from_resource=output.password as=TF_VAR_password trigger=always
variable "password" { type = string }
# svc:dependency: from_stack=network from_resource=output.zones as=TF_VAR_zones
variable "zones" { type = list(string) }
resource "terraform_data" "all" { input = { password = var.password, zones = var.zones } }
`;

test("a plan asks for what its files name, and hides what is sensitive", async () => {
  const source = commitFiles({ "main.tf": withState(TAKES) });
  const plan = service.offer(runContext(source, "plan_run"));
  plan.inputs = {
    environment: [
      { name: "TF_VAR_password", value: SECRET, secret: true },
      { name: "TF_VAR_zones", value: '["\\u0024{a}","b"]', secret: false },
    ],
    missing: [],
    waits: false,
  };
  await ended(plan);
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { has_changes: true } });
  expect(plan.asked).toEqual([
    { variable: "TF_VAR_password", from_stack: "network", output: "password" },
    { variable: "TF_VAR_zones", from_stack: "network", output: "zones" },
  ]);
  const changes = String(plan.artifacts.get("changes"));
  expect(changes).toContain('"$' + '{a}"');
  const read = `${plan.log}${JSON.stringify(plan.done)}${changes}${plan.artifacts.get("plan-text")}`;
  expect(read).toContain("Inputs: TF_VAR_password from output.password of network, TF_VAR_zones from");
  expect(read).not.toContain(SECRET);
}, 60_000);

test("what is missing fails the run before any engine plans, and names each", async () => {
  const source = commitFiles({ "main.tf": withState(TAKES) });
  const plan = service.offer(runContext(source, "plan_run"));
  plan.inputs = {
    environment: [],
    missing: ["output zones of stack network: the stack was not applied yet"],
    waits: true,
  };
  await ended(plan);
  expect(plan.done).toMatchObject({
    status: "failure",
    error:
      "Nothing was run, since inputs are missing (inputs_missing): output zones of stack network: the stack was not applied yet. The stack is planned again after the next apply that may bring them.",
  });
  expect(plan.log).not.toContain("Running");
  expect([...plan.artifacts.keys()]).toEqual([]);
  const twice = commitFiles({ "main.tf": withState(TAKES + TAKES.replace("output.zones", "output.subnets")) });
  const two = await ended(service.offer(runContext(twice, "plan_run")));
  expect(two.done).toMatchObject({ status: "failure", error: expect.stringContaining("declared from two outputs") });
  expect(two.asked).toBeNull();
}, 60_000);
