/** Real runs behind each wall: they work as ever, and reach nothing that is not theirs. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { isProcessAlive } from "../../runner/process/processTable.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";
import { LAUNCHER, WALLS } from "../support/walls.ts";

const WAIT = { timeout: 30_000, interval: 25 };

let service: ScriptedService;
let runner: RunnerProcess;
/** Where stacks keep their state and leave traces: all runs may write there. */
let world: string;

beforeEach(async () => {
  service = await new ScriptedService().start();
  world = temporaryDirectory("world");
  chmodSync(world, 0o777);
});

afterEach(async () => {
  runner.child.kill("SIGTERM");
  await runner.stop("SIGINT");
  await service.stop();
});

afterAll(removeTemporaryDirectories);

function start(isolation: string, repositories: string[] = [], env: Record<string, string> = {}): RunnerProcess {
  const shown = repositories.map((url) => new URL(url).pathname);
  for (const folder of shown) execFileSync("chmod", ["-R", "a+rX", folder]);
  const started = new RunnerProcess(service, {
    RUNNER_ISOLATION: isolation,
    RUNNER_METADATA_ADDRESS: "allowed",
    RUNNER_WALL_SHOW: shown.join(","),
    RUNNER_WALL_WRITE: world,
    ...(isolation === "command"
      ? { RUNNER_LAUNCH_COMMAND: LAUNCHER, RUNNER_LAUNCH_IMAGE: [world, ...shown].join(":") }
      : {}),
    ...env,
  });
  // What makes these folders gives them to nobody else, and a run may be another user.
  chmodSync(path.dirname(started.keyFile), 0o755);
  return started;
}

async function ended(run: ScriptedRun): Promise<void> {
  await service.until(() => run.done !== null);
}

function backend(): string {
  return `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}\n`;
}

async function planned(source: { url: string; commit: string }, change?: (context: RunContext) => void) {
  const plan = service.offer(runContext(source, "plan_run", change));
  await ended(plan);
  expect(plan.done, plan.log).toMatchObject({ status: "success" });
  return plan;
}

/** A resource whose creation tells the id of its process's namespace and lasts until it is ended. */
function slowStack(): { url: string; commit: string } {
  const command = `setsid sleep 300 & echo started > ${world}/started; sleep 300`;
  return commitFiles({
    "main.tf": `${backend()}
resource "terraform_data" "quick" {}
resource "terraform_data" "slow" {
  depends_on = [terraform_data.quick]
  provisioner "local-exec" {
    command = "${command}"
  }
}
`,
  });
}

/** Everything on this machine that sleeps as that stack does, below this runner or orphaned. */
async function sleepers(): Promise<number[]> {
  const ids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const found: number[] = [];
  for (const id of ids) {
    const command = read(`/proc/${id}/cmdline`);
    if (command === ["sleep", "300", ""].join("\0") && (await isProcessAlive(id))) found.push(id);
  }
  return found;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

describe.each(WALLS)("behind %s", (isolation) => {
  test("plan and apply see the same paths, and a run leaves nothing behind", async () => {
    const paths = `[abspath(path.module), path.cwd, pathexpand("~")]`;
    const source = commitFiles({
      "main.tf": `${backend()}resource "terraform_data" "paths" {\n  input = ${paths}\n}\n`,
    });
    runner = start(isolation, [source.url]);
    const plan = await planned(source);
    expect(plan.done?.plan_summary).toMatchObject({ has_changes: true, counts: { add: 1 } });
    const apply = service.offer(applyContext(plan));
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    const again = await planned(source);
    expect(again.done?.plan_summary, again.log).toMatchObject({ has_changes: false });
    expect(await runner.exitCode(again)).toBe(0);
    const left = () => readdirSync(runner.workDir).filter((name) => !name.startsWith("cell-"));
    await expect.poll(left, WAIT).toEqual([]);
    expect(runner.lines.find(({ msg }) => msg === "coordinator started")).toMatchObject({ isolation });
  });

  test("what a configuration runs finds no key, no other run and no coordinator", async () => {
    const probe = `
      cat $KEY && echo KEY;
      grep -lzs RUNNER_KEY_FILE /proc/[0-9]*/environ && echo ENVIRONMENT;
      cat $WORK/run-*/* $WORK/cell-*/run.json $WORK/cell-*/work/*/* | grep -q forbidden && echo OTHER;
      kill -0 $COORDINATOR && echo SIGNAL;
      echo through`;
    const source = commitFiles({
      "main.tf": `${backend()}resource "terraform_data" "probe" {
  provisioner "local-exec" {
    command = "sh $PROBE > ${world}/found 2>/dev/null; exit 0"
  }
}
`,
    });
    runner = start(isolation, [source.url]);
    await runner.line("coordinator started");
    writeFileSync(path.join(world, "probe.sh"), probe);
    const withPlaces = (context: RunContext) => {
      const values = {
        KEY: runner.keyFile,
        WORK: runner.workDir,
        COORDINATOR: String(runner.child.pid),
        PROBE: path.join(world, "probe.sh"),
      };
      context.environment = Object.entries(values).map(([name, value]) => ({ name, value, secret: false }));
    };
    // What another run of this machine has, where a coordinator keeps it.
    const other = path.join(runner.workDir, "run-other");
    mkdirSync(other, { mode: 0o700 });
    writeFileSync(path.join(other, "file"), "forbidden", { mode: 0o600 });
    const plan = await planned(source, withPlaces);
    const apply = service.offer(applyContext(plan, withPlaces));
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    expect(read(path.join(world, "found"))).toBe("through\n");
  });

  test("a cancel interrupts the engine: its lock is gone, its output whole, and no orphan lives on", async () => {
    const source = slowStack();
    runner = start(isolation, [source.url]);
    const plan = await planned(source);
    const apply = service.offer(applyContext(plan));
    await expect.poll(() => existsSync(path.join(world, "started")), WAIT).toBe(true);
    apply.status = "requested_cancellation";
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "cancelled" });
    expect(existsSync(path.join(world, ".terraform.tfstate.lock.info"))).toBe(false);
    expect(read(path.join(world, "terraform.tfstate"))).toContain('"quick"');
    expect(apply.log).toContain("Run ended: cancelled");
    await expect.poll(sleepers, WAIT).toEqual([]);
  });

  test("when the process of a run is killed its engine saves its state, and the run is reported with its log", async () => {
    const source = slowStack();
    runner = start(isolation, [source.url]);
    const plan = await planned(source);
    const apply = service.offer(applyContext(plan));
    await expect.poll(() => existsSync(path.join(world, "started")), WAIT).toBe(true);
    process.kill(ephemeralPid(), "SIGKILL");
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "failure", error: expect.stringContaining("died") });
    if (isolation !== "command") {
      expect(apply.log).toContain("terraform_data.quick: Creation complete");
      expect(existsSync(path.join(world, ".terraform.tfstate.lock.info"))).toBe(false);
    }
    await expect.poll(sleepers, WAIT).toEqual([]);
  });
});

/** The process of Node whose run is an apply, as this machine sees it. */
function ephemeralPid(): number {
  const ids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const engine = ids.find((id) =>
    read(`/proc/${id}/cmdline`).split("\0").slice(0, 2).join(" ").endsWith("terraform apply"),
  );
  return Number(/^PPid:\t(\d+)/m.exec(read(`/proc/${engine}/status`))?.[1]);
}

describe("a coordinator's look at its own wall", () => {
  let metadata: Server;

  afterEach(() => void metadata.close());

  test.each(WALLS)("it does not start when a run behind %s reaches the metadata address", async (isolation) => {
    metadata = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await expect.poll(() => metadata.address(), WAIT).not.toBeNull();
    const address = `127.0.0.1:${(metadata.address() as { port: number }).port}`;
    runner = start(isolation, [], { RUNNER_METADATA_ADDRESS: address });
    expect(await runner.exited).toBe(1);
    expect(runner.stderr).toContain(`it reaches ${address}.`);
    expect(runner.stderr).toContain("RUNNER_METADATA_ADDRESS=allowed");
  });
});
