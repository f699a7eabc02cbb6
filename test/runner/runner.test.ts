import { existsSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PlanSummary, RunContext } from "../../src/core/runs/protocol.ts";
import {
  applyContext,
  commitFiles,
  pathWith,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  TOOL,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";

const WAIT = { timeout: 30_000, interval: 25 };

let service: ScriptedService;
let runner: RunnerProcess;
/** Where the stack under test keeps its state and its traces. */
let world: string;

beforeEach(async () => {
  service = await new ScriptedService().start();
  world = temporaryDirectory("world");
});

afterEach(async () => {
  // The second signal makes the drain interrupt what a failed test left at work.
  runner.child.kill("SIGTERM");
  await runner.stop("SIGINT");
  await service.stop();
});

afterAll(removeTemporaryDirectories);

function backend(): string {
  return `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}\n`;
}

/** A resource whose creation leaves its pid and then lasts until the test calls `letGo`, a minute at most. */
function slowStack(): string {
  const wait = `for i in $(seq 600); do [ -e ${world}/go ] && break; sleep 0.1; done`;
  const command = `echo $$ > ${world}/started; ${wait}; touch ${world}/finished`;
  return `${backend()}
resource "terraform_data" "quick" {
  input = "quick"
}
resource "terraform_data" "slow" {
  depends_on = [terraform_data.quick]
  provisioner "local-exec" {
    command = "${command}"
  }
}
`;
}

async function ended(run: ScriptedRun): Promise<void> {
  await service.until(() => run.done !== null);
}

async function planned(source: { url: string; commit: string }, change?: (context: RunContext) => void) {
  const plan = service.offer(runContext(source, "plan_run", change));
  await ended(plan);
  expect(plan.done, plan.log).toMatchObject({ status: "success" });
  return plan;
}

/** Plans the slow stack, starts its apply and waits until the slow resource is being created. */
async function slowApply(change?: (context: RunContext) => void): Promise<ScriptedRun> {
  const plan = await planned(commitFiles({ "main.tf": slowStack() }));
  const apply = service.offer(applyContext(plan, change));
  await expect.poll(() => existsSync(path.join(world, "started")), WAIT).toBe(true);
  return apply;
}

function analysisOf(run: ScriptedRun): unknown {
  return JSON.parse(String(run.artifacts.get("analysis")));
}

function letGo(): void {
  writeFileSync(path.join(world, "go"), "");
}

function slowPid(): number {
  return Number(readFileSync(path.join(world, "started"), "utf8"));
}

/**
 * The process of the only run: the directory of the plan before it goes when that process has ended, perhaps after the
 * apply began.
 */
async function onlyOwner(workDir: string): Promise<number> {
  const records = () =>
    readdirSync(workDir)
      .map((name) => path.join(workDir, name, "run.json"))
      .filter((file) => existsSync(file));
  await expect.poll(records, WAIT).toHaveLength(1);
  const [record] = records() as [string];
  return JSON.parse(readFileSync(record, "utf8")).pid;
}

/** A zombie is dead: only its reaping by init is outstanding. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** The process that waits for the next run, stopped, so that it does not hear of that run until it may go on. */
async function stoppedSpare(): Promise<{ pid: number; goOn: () => void }> {
  // One that is stopped before it has become another program would hold up the coordinator, which waits for that.
  const begun = () =>
    runner.children().filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("ephemeral"));
  await expect.poll(begun, WAIT).toHaveLength(1);
  const [pid] = begun() as [number];
  process.kill(pid, "SIGSTOP");
  return { pid, goOn: () => void process.kill(pid, "SIGCONT") };
}

function openFiles(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
}

function stateAddresses(): string[] {
  const state = JSON.parse(readFileSync(path.join(world, "terraform.tfstate"), "utf8"));
  return state.resources.map((resource: { type: string; name: string }) => `${resource.type}.${resource.name}`);
}

describe("plan and apply", () => {
  test("every path a configuration can ask for is the same at plan, apply and the next plan", async () => {
    runner = new RunnerProcess(service);
    const paths = `[abspath(path.module), path.cwd, path.root, path.module, pathexpand("~"), abspath("..")]`;
    const source = commitFiles({
      "net/main.tf": `${backend()}module "m" {\n  source = "./m"\n}\nresource "terraform_data" "paths" {\n  input = ${paths}\n}\n`,
      "net/m/main.tf": `resource "terraform_data" "paths" {\n  input = ${paths}\n}\n`,
    });
    const inNet = (context: RunContext) => {
      context.stack.working_directory = "net";
    };
    const plan = await planned(source, inNet);
    expect(plan.done?.plan_summary).toMatchObject({ has_changes: true, counts: { add: 2 } });
    const apply = service.offer(applyContext(plan));
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    const again = await planned(source, inNet);
    expect(again.done?.plan_summary, again.log).toMatchObject({ has_changes: false });
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
  });

  test("a secret in the key of an instance or in what identifies it is in no part of the analysis", async () => {
    runner = new RunnerProcess(service);
    const secret = `s3cret-${crypto.randomUUID()}`;
    const source = commitFiles({
      "main.tf": `${backend()}
variable "names" { type = set(string) }
# svc:dependency: from_stack=base trigger=${secret}
resource "terraform_data" "each" { for_each = var.names }
resource "terraform_data" "plain" {}
`,
    });
    const withSecret = (context: RunContext) => {
      context.environment = [
        { name: "TF_VAR_names", value: JSON.stringify([secret]), secret: false },
        { name: "TOKEN", value: secret, secret: true },
      ];
    };
    const plan = await planned(source, withSecret);
    const apply = service.offer(applyContext(plan, withSecret));
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    for (const run of [plan, apply]) {
      expect(String(run.artifacts.get("analysis"))).not.toContain(secret);
      expect(run.log).toContain('Ignored comment: main.tf:8: trigger "***" is none of always, manual, never');
      expect(analysisOf(run)).toMatchObject({
        dependencies: { edges: [], errors: [expect.stringContaining("***")] },
        resources: { complete: false, items: [{ address: "terraform_data.plain" }, { address: "terraform.state" }] },
        // One of the names is not to be shown, so which part changed is unknown.
        changes: null,
      });
    }
    expect(stateAddresses()).toEqual(["terraform_data.each", "terraform_data.plain"]);
  });

  test("a plan with changes is measured and stored, and its apply carries out exactly that plan", async () => {
    runner = new RunnerProcess(service);
    const source = commitFiles({
      "net/main.tf": `${backend()}
# svc:dependency: from_stack=base trigger=always
resource "terraform_data" "a" {
  input = "hello"
}
output "greeting" {
  value = terraform_data.a.output
}
`,
    });
    const inNet = (context: RunContext) => {
      context.stack.working_directory = "net";
    };
    const plan = await planned(source, inNet);
    const counts = { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
    expect(plan.done?.plan_summary).toEqual({ has_changes: true, counts, gaps: [] } satisfies PlanSummary);
    expect(plan.done?.exit_code).toBe(2);
    expect([...plan.artifacts.keys()].sort()).toEqual([
      "analysis",
      "changes",
      "plan",
      "plan-json",
      "plan-text",
      "tree",
    ]);
    expect(plan.artifacts.get("plan-text")?.toString()).toContain("terraform_data.a will be created");
    expect(JSON.parse(String(plan.artifacts.get("changes")).split("\n")[0] ?? "")).toMatchObject({
      address: "terraform_data.a",
      actions: ["create"],
      after: { input: "hello", id: "(known after apply)" },
    });
    expect(plan.log).toContain("Plan: 1 to add, 0 to change, 0 to destroy.");
    expect(existsSync(path.join(world, "terraform.tfstate"))).toBe(false);

    const apply = service.offer(applyContext(plan));
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "success", exit_code: 0 });
    expect(stateAddresses()).toEqual(["terraform_data.a"]);
    expect(await runner.exitCode(apply)).toBe(0);
    const edge = { from_stack: "base", from_resource: null, resource: "terraform_data.a", trigger: "always" };
    const unapplied = { address: "terraform_data.a", mode: "managed", type: "terraform_data", identity: null };
    const ownState = { address: "terraform.state", identity: `path=${world}/terraform.tfstate` };
    const analysis = {
      version: 1,
      dependencies: { edges: [{ ...edge, file: "main.tf" }], errors: [] },
      resources: { complete: true, items: [unapplied, ownState] },
      changes: { resources: ["terraform_data.a", "terraform.state"], outputs: ["greeting"] },
    };
    expect(analysisOf(plan)).toMatchObject(analysis);
    const applied = { ...unapplied, identity: expect.stringMatching(/^[0-9a-f-]{36}$/) };
    expect(analysisOf(apply)).toMatchObject({ ...analysis, resources: { complete: true, items: [applied, ownState] } });

    const again = await planned(source, inNet);
    expect(again.done?.plan_summary).toMatchObject({ has_changes: false });
    expect(again.done?.exit_code).toBe(0);
    expect(analysisOf(again)).toMatchObject({
      resources: { items: [applied, ownState] },
      changes: { resources: [], outputs: [] },
    });
    expect(await runner.exitCode(again)).toBe(0);
    expect(service.deregistered).toContain(again.runnerId);
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
    expect(service.heartbeats).toBeGreaterThan(0);
  });

  test("a target that matches nothing is named, one that is up to date is not", async () => {
    runner = new RunnerProcess(service);
    const source = commitFiles({
      "main.tf": `${backend()}
resource "terraform_data" "kept" {}
resource "terraform_data" "other" {}`,
    });
    await ended(service.offer(applyContext(await planned(source))));
    const targeted = await planned(source, (context) => {
      context.run.targets = ["terraform_data.kept", "terraform_data.keptt"];
    });
    const warnings = ["The target terraform_data.keptt matches no resource; nothing was planned for it."];
    expect(targeted.done?.plan_summary).toMatchObject({ has_changes: false, warnings });
    expect(targeted.log.match(/The target .* matches no resource; .*/g)).toEqual(warnings);
  });

  test("a plan without a backend says that the state will be lost; one with a backend has no warnings", async () => {
    runner = new RunnerProcess(service);
    const body = 'resource "terraform_data" "a" {}\n';
    const lost = await planned(commitFiles({ "main.tf": body }));
    const warning = "No backend or cloud block is configured: the state of this stack is lost when the run ends.";
    expect(lost.done?.plan_summary).toMatchObject({ counts: { add: 1 }, gaps: [], warnings: [warning] });
    expect(lost.log).toContain(`Warning: ${warning}`);
    const kept = await planned(commitFiles({ "main.tf": `${backend()}${body}` }));
    expect(kept.done?.plan_summary).not.toHaveProperty("warnings");
    expect(kept.log).not.toContain("Warning: ");
  });

  test("a plan whose digest differs from the approved one is not applied", async () => {
    runner = new RunnerProcess(service);
    const plan = await planned(commitFiles({ "main.tf": slowStack() }));
    plan.artifacts.set("plan", Buffer.concat([plan.artifacts.get("plan")!, Buffer.from("x")]));
    const forged = service.offer(
      applyContext(plan, (context) => {
        context.run.plan_sha256 = "0".repeat(64);
      }),
    );
    await ended(forged);
    expect(forged.done).toMatchObject({ status: "failure" });
    expect(forged.done?.error).toContain("digest differs");
    expect(existsSync(path.join(world, "started"))).toBe(false);
  });

  test("destroy and refresh-only are planned as such", async () => {
    runner = new RunnerProcess(service);
    const source = commitFiles({ "main.tf": `${backend()}\nresource "terraform_data" "a" {}\n` });
    await ended(service.offer(applyContext(await planned(source))));
    const destroy = service.offer(runContext(source, "destroy_run"));
    const refresh = service.offer(runContext(source, "refresh_run"));
    await ended(destroy);
    await ended(refresh);
    expect(destroy.done?.plan_summary).toMatchObject({ has_changes: true, counts: { add: 0, destroy: 1 } });
    expect(refresh.done?.plan_summary).toMatchObject({ has_changes: false, counts: { change: 0 } });
    await ended(service.offer(applyContext(destroy)));
    expect(stateAddresses()).toEqual([]);
  });

  test("what a person can put right is the run's error, not the runner's", async () => {
    runner = new RunnerProcess(service, { PATH: pathWith(TOOL, "git", "sh", "mkfifo") });
    const source = commitFiles({ "main.tf": 'resource "terraform_data" "a" {\n  input = var.missing\n}\n' });
    const other = TOOL === "terraform" ? "tofu" : "terraform";
    const invalid = service.offer(runContext(source, "plan_run"));
    const noEngine = service.offer(
      runContext(source, "plan_run", (context) => {
        context.stack.tool = other;
      }),
    );
    const noCommit = service.offer(runContext({ ...source, commit: "0".repeat(40) }, "plan_run"));
    const outside = service.offer(
      runContext(source, "plan_run", (context) => {
        context.stack.working_directory = "../..";
      }),
    );
    const runs = [invalid, noEngine, noCommit, outside];
    await service.until(() => runs.every((run) => run.done !== null));
    expect(runs.map((run) => run.done?.status)).toEqual(Array(4).fill("failure"));
    expect(invalid.done?.error).toContain("Reference to undeclared input variable");
    expect(noEngine.done?.error).toBe(`This runner has no ${other}: it is not on PATH.`);
    expect(noCommit.done?.error).toContain(`Commit ${"0".repeat(40)} is not on branch main`);
    expect(outside.done?.error).toContain("does not exist at this commit");
    expect(await runner.exitCode(invalid)).toBe(0);
  });

  test("excluding an address plans the rest where the engine can, and is refused where it cannot", async () => {
    runner = new RunnerProcess(service);
    const source = commitFiles({ "main.tf": 'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}\n' });
    const run = service.offer(
      runContext(source, "plan_run", (context) => {
        context.run.excludes = ["terraform_data.a"];
      }),
    );
    await ended(run);
    if (TOOL === "tofu") expect(run.done?.plan_summary).toMatchObject({ counts: { add: 1 } });
    else expect(run.done?.error).toContain("needs OpenTofu 1.9 or newer");
  });
});

describe("logs and secrets", () => {
  test("secrets are masked everywhere people look, and engines do not see the runner's settings", async () => {
    const secret = 'p&ss "word" / 42';
    runner = new RunnerProcess(service);
    const probe = `env > ${world}/env; echo "got $TOKEN and $(printf %s "$TOKEN" | base64 -w0)"`;
    const source = commitFiles({
      "main.tf": `${backend()}
variable "token" {
  type = string
}
resource "terraform_data" "a" {
  input = "open \${var.token}"
  provisioner "local-exec" {
    command = <<-EOT
      ${probe}
    EOT
  }
}
output "hidden" {
  value     = "very hidden"
  sensitive = true
}
`,
    });
    const environment = ["TOKEN", "TF_VAR_token"].map((name) => ({ name, value: secret, secret: true }));
    const plan = await planned(source, (context) => {
      context.environment = environment;
    });
    const apply = service.offer(applyContext(plan));
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    expect(apply.log).toContain("got *** and ***");
    const shown = [plan.log, apply.log, plan.artifacts.get("changes"), plan.artifacts.get("plan-text")].join("\n");
    expect(shown).toContain("open ***");
    const escaped = JSON.stringify(secret).slice(1, -1);
    for (const form of [secret, escaped, "very hidden", Buffer.from(secret).toString("base64")]) {
      expect(shown).not.toContain(form);
    }
    const env = readFileSync(path.join(world, "env"), "utf8");
    expect(env).toContain("TF_IN_AUTOMATION=1");
    expect(env).not.toMatch(/^RUNNER_|NODE_CHANNEL/m);
  });

  test("what the plan marks sensitive is hidden also where the engine forgets the mark", async () => {
    runner = new RunnerProcess(service);
    const stack = (user: string) => ({
      "main.tf": `${backend()}
variable "password" {
  sensitive = true
  default   = "hunter2-hunter2"
}
resource "terraform_data" "login" {
  input = { user = "${user}", password = var.password }
}
`,
    });
    await ended(service.offer(applyContext(await planned(commitFiles(stack("first"))))));
    const plan = await planned(commitFiles(stack("second")));
    const shown = [plan.log, plan.artifacts.get("changes"), plan.artifacts.get("plan-text")].map(String);
    expect(shown.filter((text) => text.includes("first") && text.includes("second"))).toHaveLength(3);
    expect(shown.join()).not.toContain("hunter2");
  });

  test("a copy of what is sensitive is hidden however the engine writes it: by the line, as numbers, inside jsonencode", async () => {
    runner = new RunnerProcess(service);
    const stack = (version: string) => ({
      "main.tf": `${backend()}
variable "key" {
  sensitive = true
  default   = "-----BEGIN KEY-----\\nAAAA-line-one\\nBBBB-line-two\\n-----END KEY-----\\n"
}
variable "document" {
  sensitive = true
  default   = "{\\"user\\":{\\"password\\":\\"in-the-document\\"},\\"pins\\":[87654321]}"
}
variable "pin" {
  sensitive = true
  default   = 1234567890
}
variable "odd" {
  sensitive = true
  default   = "odd$\${x}\\u0001\\"rest\\""
}
variable "list" {
  sensitive = true
  default   = ["from-the-list"]
}
resource "terraform_data" "id" {}
resource "terraform_data" "login" {
  input = {
    version  = "${version}"
    key      = var.key
    document = var.document
    pin      = var.pin
    odd      = var.odd
    list     = toset(var.list)
    made     = sensitive("made-\${sha256(terraform_data.id.id)}")
  }
}
output "copy" {
  value = terraform_data.login.output
}
`,
    });
    const apply = service.offer(applyContext(await planned(commitFiles(stack("first")))));
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    expect(apply.log).toMatch(/Apply complete!.*Outputs:.*version" = "first".*Run ended/s);
    const plan = await planned(commitFiles(stack("second")));
    const [log, changes, text] = [plan.log, plan.artifacts.get("changes"), plan.artifacts.get("plan-text")].map(String);
    for (const shown of [log, changes, text]) expect(shown).toContain("second");
    for (const shown of [apply.log, log, changes, text]) {
      expect(shown).not.toMatch(
        /line-one|line-two|in-the-document|from-the-list|rest|87654321|1234567890|made-[0-9a-f]/,
      );
    }
  });

  test("a plan that fails says why, without what its unfinished plan marks sensitive", async () => {
    runner = new RunnerProcess(service);
    const stack = (bad: boolean) => ({
      "main.tf": `${backend()}
variable "password" {
  sensitive = true
  default   = "hunter2-hunter2"
}
resource "terraform_data" "login" {
  input = var.password
}
output "checked" {
  value = "fine"
  precondition {
    condition     = length(terraform_data.login.output) ${bad ? "<" : ">"} 3
    error_message = "login said \${terraform_data.login.output}"
  }
}
`,
    });
    await ended(service.offer(applyContext(await planned(commitFiles(stack(false))))));
    const plan = service.offer(runContext(commitFiles(stack(true)), "plan_run"));
    await ended(plan);
    expect(plan.done).toMatchObject({ status: "failure", error: expect.stringContaining("login said ***") });
    expect(plan.log).toMatch(/Error: Module output value precondition failed.*login said \*\*\*.*Run ended/s);
    expect(plan.log + JSON.stringify(plan.done)).not.toContain("hunter2");
  });

  test("the JWT is in no argument and no environment of any process", async () => {
    runner = new RunnerProcess(service);
    const apply = await slowApply();
    const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const visible = processes.map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8") + readFileSync(`/proc/${pid}/environ`, "utf8");
      } catch {
        return "";
      }
    });
    expect(visible.filter((text) => text.includes("ephemeral.ts")).length).toBeGreaterThan(0);
    expect(visible.join()).not.toMatch(/eyJ[\w-]+\.eyJ/);
    apply.status = "requested_cancellation";
    await ended(apply);
  });

  test("a long log arrives whole: full chunks sealed on the way, the rest live and then sealed", async () => {
    runner = new RunnerProcess(service);
    const command = `seq 100000 105000; printf 'tail %s\\n' end; while [ ! -e ${world}/go ]; do sleep 0.05; done`;
    const source = commitFiles({
      "main.tf": `${backend()}\nresource "terraform_data" "a" {\n  provisioner "local-exec" {\n    command = "${command}"\n  }\n}\n`,
    });
    const apply = service.offer(applyContext(await planned(source)));
    await service.until(() => apply.live?.bytes.includes("tail end") ?? false);
    expect([...apply.chunks.values()].map((chunk) => chunk.length)).toEqual([65_536, 65_536]);
    expect(apply.live?.chunkIndex).toBe(2);
    letGo();
    await ended(apply);
    const numbers = [...apply.log.matchAll(/local-exec\): (\d{6})\n/g)].map((match) => Number(match[1]));
    expect(numbers).toEqual(Array.from({ length: 5_001 }, (_, index) => 100_000 + index));
    expect(apply.log).toContain("Run ended: success");
    expect(apply.calls.lastIndexOf("PUT logs chunks 2")).toBeLessThan(apply.calls.indexOf("POST done"));
  });

  test("a line of 200 KiB keeps every byte", async () => {
    runner = new RunnerProcess(service);
    const piece = "0123456789".repeat(20);
    const long = `output "long" {\n  value = join("", [for i in range(1024) : "${piece}"])\n}\n`;
    const plan = await planned(commitFiles({ "main.tf": long }));
    expect(plan.log).toContain(`"${piece.repeat(1_024)}"`);
    expect(plan.done?.plan_summary).toMatchObject({ has_changes: true, counts: { add: 0, change: 0 } });
  });
});

describe("cancel", () => {
  test("a cancel in a slow apply is acknowledged, the engine saves its state and gives its lock back", async () => {
    runner = new RunnerProcess(service);
    const apply = await slowApply();
    apply.status = "requested_cancellation";
    await ended(apply);
    expect(apply.calls).toContain("POST acknowledging-cancel");
    expect(apply.done).toMatchObject({ status: "cancelled" });
    expect(apply.log).toContain("Interrupt received");
    expect(stateAddresses()).toContain("terraform_data.quick");
    expect(existsSync(path.join(world, ".terraform.tfstate.lock.info"))).toBe(false);
    await expect.poll(() => isAlive(slowPid()), WAIT).toBe(false);
    expect(await runner.exitCode(apply)).toBe(0);
  });

  test("an engine that ignores the interrupt is killed after the grace", async () => {
    runner = new RunnerProcess(service, { RUNNER_CANCEL_GRACE: "PT1S" });
    const stubborn = slowStack().replace("echo $$", "trap '' INT; echo $$");
    const plan = await planned(commitFiles({ "main.tf": stubborn }));
    const apply = service.offer(applyContext(plan));
    await expect.poll(() => existsSync(path.join(world, "started")), WAIT).toBe(true);
    apply.status = "requested_cancellation";
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "cancelled" });
    await expect.poll(() => isAlive(slowPid()), WAIT).toBe(false);
  });

  test("the first terminal status kills the engine, nothing is reported and the runner exits 1", async () => {
    runner = new RunnerProcess(service);
    const apply = await slowApply();
    apply.status = "cancelled";
    expect(await runner.exitCode(apply)).toBe(1);
    await expect.poll(() => isAlive(slowPid()), WAIT).toBe(false);
    expect(apply.done).toBeNull();
    expect(apply.log).toContain("The service ended this run (cancelled)");
  });

  test("a run over its longest duration is interrupted and reported as timed out", async () => {
    runner = new RunnerProcess(service);
    const apply = await slowApply((context) => {
      context.limits.max_run_duration_seconds = 8;
    });
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "timed_out" });
    await expect.poll(() => isAlive(slowPid()), WAIT).toBe(false);
  });
});

describe("accept", () => {
  test.each([
    ["run_already_terminal", 0],
    ["accept_response_undeliverable", 1],
    [undefined, 1],
  ])("a refusal with code %s ends the runner with exit code %i after a single accept", async (code, exitCode) => {
    runner = new RunnerProcess(service);
    const context = runContext(commitFiles({ "main.tf": "" }), "plan_run");
    const run = service.offer(context, { accept: { status: 409, ...(code === undefined ? {} : { code }) } });
    expect(await runner.exitCode(run)).toBe(exitCode);
    expect(run.calls.filter((call) => call === "POST accept")).toHaveLength(1);
    expect(run.calls).not.toContain("POST done");
  });

  test("an accept without an answer is not sent again", async () => {
    runner = new RunnerProcess(service);
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"), { accept: { status: 503 } });
    expect(await runner.exitCode(run)).toBe(1);
    expect(run.calls.filter((call) => call === "POST accept")).toHaveLength(1);
  });

  test("an accept that says it had no effect, as while a cloud is away, is sent again", async () => {
    runner = new RunnerProcess(service);
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"), {
      accept: { status: 503, code: "runtime_credentials_unavailable" },
    });
    const accepts = () => run.calls.filter((call) => call === "POST accept").length;
    await expect.poll(accepts, WAIT).toBeGreaterThan(1);
    run.refuse.delete("accept");
    await ended(run);
    expect(run.done).toMatchObject({ status: "success" });
  });

  test("a done that the service ended meanwhile is not insisted on", async () => {
    runner = new RunnerProcess(service);
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"), {
      done: { status: 409, code: "run_already_terminal" },
    });
    expect(await runner.exitCode(run)).toBe(1);
    expect(run.calls.filter((call) => call === "POST done")).toHaveLength(1);
  });

  test("a done that fails on the way is repeated until it is taken", async () => {
    runner = new RunnerProcess(service);
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"), { done: { status: 503 } });
    await service.until(() => run.calls.filter((call) => call === "POST done").length >= 2);
    run.refuse.delete("done");
    await ended(run);
    expect(await runner.exitCode(run)).toBe(0);
  });
});

describe("keys and processes", () => {
  test("after a key rotation a live run goes on once the coordinator has the new key", async () => {
    runner = new RunnerProcess(service);
    const apply = await slowApply();
    service.rotate();
    await service.until(() => service.unauthorized >= 2);
    const next = `${runner.keyFile}.next`;
    writeFileSync(next, service.privateKey);
    renameSync(next, runner.keyFile);
    letGo();
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "success" });
    await planned(commitFiles({ "main.tf": "" }));
  });

  test("SIGTERM stops the polling and waits for the live run", async () => {
    runner = new RunnerProcess(service);
    const apply = await slowApply();
    const stopped = runner.stop();
    await runner.line("draining: waiting for live runs");
    await expect.poll(() => service.waiting, WAIT).toBe(0);
    const late = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"));
    expect(apply.done).toBeNull();
    letGo();
    expect(await stopped).toBe(0);
    expect(apply.done).toMatchObject({ status: "success" });
    expect(late.status).toBe("pending");
  });

  test("a drain that takes too long interrupts the run, which is reported as failed", async () => {
    runner = new RunnerProcess(service, { RUNNER_DRAIN_TIMEOUT: "PT0.2S" });
    const apply = await slowApply();
    expect(await runner.stop()).toBe(0);
    expect(apply.done).toMatchObject({ status: "failure", error: "The runner was shut down before the run ended." });
    expect(stateAddresses()).toContain("terraform_data.quick");
    await expect.poll(() => isAlive(slowPid()), WAIT).toBe(false);
  });

  test("a killed ephemeral runner leaves no engine behind, and its run is reported", async () => {
    runner = new RunnerProcess(service, { RUNNER_LOG_INTERVAL: "PT1H" });
    const apply = await slowApply();
    process.kill(await onlyOwner(runner.workDir), "SIGKILL");
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "failure", error: expect.stringContaining("died") });
    // The engine was interrupted, not cut off: what it had made is in its state, and its lock given back, by the time
    // its death is reported.
    expect(stateAddresses()).toContain("terraform_data.quick");
    expect(existsSync(path.join(world, ".terraform.tfstate.lock.info"))).toBe(false);
    await expect.poll(() => isAlive(slowPid()), WAIT).toBe(false);
    await runner.exitCode(apply);
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
    // Also what it had written and not brought to the service yet, to the engine's last words.
    expect(apply.live).toBe(null);
    expect(apply.log).toContain("terraform_data.quick: Creation complete");
    expect(apply.log).toMatch(/\n==> The runner process died while the run was going on\.\n$/);
  });

  test("a run outlives its coordinator", async () => {
    const killed = new RunnerProcess(service);
    runner = killed;
    const apply = await slowApply();
    await killed.stop("SIGKILL");
    letGo();
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "success" });
    expect(stateAddresses()).toEqual(["terraform_data.quick", "terraform_data.slow"]);
    const kept = () => readdirSync(killed.workDir);
    await expect.poll(() => kept().filter((name) => !name.startsWith("cell-")), WAIT).toEqual([]);
    // What the coordinator had noted of it is no run's to remove.
    runner = new RunnerProcess(service, { RUNNER_WORK_DIR: killed.workDir });
    await expect.poll(kept, WAIT).toEqual([]);
    expect(apply.done).toMatchObject({ status: "success" });
  });

  test("a run killed together with its coordinator is settled by the next one", async () => {
    const killed = new RunnerProcess(service);
    runner = killed;
    const apply = await slowApply();
    const owner = await onlyOwner(killed.workDir);
    await killed.stop("SIGKILL");
    process.kill(owner, "SIGKILL");
    expect(isAlive(slowPid())).toBe(true);
    runner = new RunnerProcess(service, { RUNNER_WORK_DIR: killed.workDir });
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "failure", error: expect.stringContaining("died") });
    // The engine was interrupted, not cut off: what it had made is in its state, and its lock given back, by the time
    // its death is reported.
    expect(stateAddresses()).toContain("terraform_data.quick");
    expect(existsSync(path.join(world, ".terraform.tfstate.lock.info"))).toBe(false);
    await expect.poll(() => isAlive(slowPid()), WAIT).toBe(false);
    await expect.poll(() => readdirSync(killed.workDir), WAIT).toEqual([]);
    expect(apply.log).toMatch(/\n==> The runner process died while the run was going on\.\n$/);
  });

  test("a process that waits for its run is replaced when it dies, and gone with a killed coordinator", async () => {
    runner = new RunnerProcess(service, { RUNNER_SPARE_PROCESSES: "2" });
    await expect.poll(() => runner.children(), WAIT).toHaveLength(2);
    const [first, second] = runner.children() as [number, number];
    process.kill(first, "SIGKILL");
    await expect.poll(() => runner.children().filter((pid) => pid !== first && pid !== second), WAIT).toHaveLength(1);
    await planned(commitFiles({ "main.tf": "" }));
    await expect.poll(() => runner.children(), WAIT).toHaveLength(2);
    const left = runner.children();
    await runner.stop("SIGKILL");
    await expect.poll(() => left.filter(isAlive), WAIT).toEqual([]);
    // What removes the first run's goes on without the coordinator.
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
  });

  test("a process that waits knows nothing of the runs before it", async () => {
    runner = new RunnerProcess(service, { RUNNER_MAX_CONCURRENT: "1" });
    const secret = `s3cret-${crypto.randomUUID()}`;
    const stack = (name: string) => ({
      "main.tf": `resource "terraform_data" "a" {
  provisioner "local-exec" {
    command = "(env; cat /proc/$PPID/environ; ls -l /proc/$PPID/fd /proc/self/fd) > ${world}/${name}"
  }
}
`,
    });
    const plan = await planned(commitFiles(stack("first")), (context) => {
      context.environment = [{ name: "OF_THE_FIRST", value: secret, secret: true }];
    });
    await ended(service.offer(applyContext(plan)));
    const first = readFileSync(path.join(world, "first"), "utf8");
    expect(first).toContain(secret);
    expect(first).not.toMatch(/key[.]pem|RUNNER_|NODE_CHANNEL/);
    await expect.poll(() => runner.children(), WAIT).toHaveLength(1);
    const [waiting] = runner.children();
    for (const file of ["environ", "cmdline"]) {
      expect(readFileSync(`/proc/${waiting}/${file}`, "utf8")).not.toMatch(new RegExp(`${secret}|RUNNER_|eyJ`));
    }
    // Of files it has only its pipes, whose names are gone, and what each of these programs has.
    const files = openFiles(Number(waiting)).filter((place) => place.startsWith("/"));
    expect(files.filter((place) => !/^[/]dev[/]|[/]output-\w+[/]\d+ [(]deleted[)]$/.test(place))).toEqual([]);
    await ended(service.offer(applyContext(await planned(commitFiles(stack("second"))))));
    expect(readFileSync(path.join(world, "second"), "utf8")).not.toMatch(/OF_THE_FIRST|s3cret/);
  });

  test("a process that dies before it knows of its run is a run that could not be started", async () => {
    runner = new RunnerProcess(service);
    const { pid } = await stoppedSpare();
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"));
    await runner.line("started an ephemeral runner", run.id);
    process.kill(pid, "SIGKILL");
    await service.until(() => run.dispatchError !== null);
    expect(run.dispatchError).toContain("its process ended before it knew of it");
    expect(run.calls).toEqual([]);
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
    await planned(commitFiles({ "main.tf": "" }));
  });

  test("a run that is cancelled before its process begins ends there", async () => {
    runner = new RunnerProcess(service);
    const { goOn } = await stoppedSpare();
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"));
    await runner.line("started an ephemeral runner", run.id);
    Object.assign(run, { status: "cancelled" });
    run.refuse.set("accept", { status: 409, code: "run_already_terminal" });
    goOn();
    expect(await runner.exitCode(run)).toBe(0);
    expect(run.calls).toEqual(["POST ready", "POST accept", "DELETE deregister"]);
  });

  test("a drain that cannot wait interrupts a run that has not begun yet", async () => {
    runner = new RunnerProcess(service);
    const { goOn } = await stoppedSpare();
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"));
    await runner.line("started an ephemeral runner", run.id);
    runner.child.kill("SIGTERM");
    const stopped = runner.stop("SIGINT");
    await runner.line("draining: interrupting live runs");
    goOn();
    expect(await stopped).toBe(0);
    expect(run.done).toMatchObject({ status: "failure", error: "The runner was shut down before the run ended." });
  });

  test("without processes that wait each run has one that starts with it", async () => {
    runner = new RunnerProcess(service, { RUNNER_SPARE_PROCESSES: "0" });
    const plan = await planned(commitFiles({ "main.tf": "" }));
    expect(await runner.exitCode(plan)).toBe(0);
    expect(runner.children()).toEqual([]);
    await service.until(() => service.waiting > 0);
    expect(runner.children()).toEqual([]);
  });

  test("a drain ends the processes that wait, and not the one that works", async () => {
    runner = new RunnerProcess(service, { RUNNER_SPARE_PROCESSES: "2" });
    const apply = await slowApply();
    const owner = await onlyOwner(runner.workDir);
    await expect.poll(() => runner.children().length, WAIT).toBeGreaterThan(1);
    const stopped = runner.stop();
    await expect.poll(() => runner.children(), WAIT).toEqual([owner]);
    letGo();
    expect(await stopped).toBe(0);
    expect(apply.done).toMatchObject({ status: "success" });
  });

  test("a run that cannot be started on the machine is handed back as a failed dispatch", async () => {
    runner = new RunnerProcess(service);
    await service.until(() => service.polls > 0);
    rmSync(runner.workDir, { recursive: true });
    writeFileSync(runner.workDir, "a file where the directory was");
    const run = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"));
    await service.until(() => run.dispatchError !== null);
    expect(run.dispatchError).toContain("ENOTDIR");
    expect(run.calls).toEqual([]);
  });

  test("it polls only while it has a free slot", async () => {
    runner = new RunnerProcess(service, { RUNNER_MAX_CONCURRENT: "1" });
    const apply = await slowApply();
    const waiting = service.offer(runContext(commitFiles({ "main.tf": "" }), "plan_run"));
    const beats = apply.calls.length;
    await service.until(() => apply.calls.length > beats + 4);
    expect(waiting.status).toBe("pending");
    letGo();
    await ended(waiting);
    expect(waiting.done).toMatchObject({ status: "success" });
  });

  test("/readyz and /metrics tell what the coordinator does", async () => {
    runner = new RunnerProcess(service);
    const { address } = await runner.line("coordinator started");
    await expect.poll(async () => (await fetch(`http://${address}/readyz`)).status, WAIT).toBe(200);
    expect((await fetch(`http://${address}/healthz`)).status).toBe(200);
    await planned(commitFiles({ "main.tf": "" }));
    const metrics = async () => (await fetch(`http://${address}/metrics`)).text();
    await expect.poll(metrics, WAIT).toContain('runner_runs_total{outcome="exit_0"} 1');
  });

  test("a missing setting aborts with one line that names it", async () => {
    runner = new RunnerProcess(service, { RUNNER_GROUP_ID: "" });
    expect(await runner.exited).toBe(1);
    expect(runner.stderr).toMatch(/^RUNNER_GROUP_ID is not set: .*RUNNER_GROUP_ID=[0-9a-f-]{36}\n$/);
  });
});
