/** Runs behave the same whatever is around them: each behaviour is looked at with each driver. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import {
  applyContext,
  commitFiles,
  type RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";
import { applyingProcess, DRIVERS, processesOf, textOf, walledRunner } from "../support/walls.ts";

const WAIT = { timeout: 60_000, interval: 25 };

let service: ScriptedService;
let runner: RunnerProcess;
/** Where stacks keep their state and leave traces. */
let world: string;

beforeEach(async () => {
  service = await new ScriptedService().start();
  world = temporaryDirectory("world");
});

afterEach(async () => {
  runner.child.kill("SIGTERM");
  await runner.stop("SIGINT");
  await service.stop();
});

afterAll(removeTemporaryDirectories);

type Source = { url: string; commit: string };
type Change = (context: RunContext) => void;

const start = (isolation: string, { url }: Source) => walledRunner(service, isolation, world, { repositories: [url] });

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

async function planned(source: Source, change?: Change): Promise<ScriptedRun> {
  const plan = await ended(service.offer(runContext(source, "plan_run", change)));
  expect(plan.done, plan.log).toMatchObject({ status: "success" });
  return plan;
}

function stack(resources: string): Source {
  const backend = `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}\n`;
  return commitFiles({ "main.tf": `${backend}${resources}` });
}

function command(script: string, source: Source, change: Change = () => {}): ScriptedRun {
  return service.offer(
    runContext(source, "raw_run", (context) => {
      context.raw = { script };
      change(context);
    }),
  );
}

/** One resource that is there at once, and one whose creation lasts until it is ended. */
function slowStack(orphan: string): Source {
  return stack(`resource "terraform_data" "quick" {}
resource "terraform_data" "slow" {
  depends_on = [terraform_data.quick]
  provisioner "local-exec" {
    command = "${orphan}echo started > ${world}/started; sleep 300"
  }
}
`);
}

/** Its apply, once it is at work. */
async function slowApply(isolation: string): Promise<ScriptedRun> {
  // Nothing keeps what leaves its group where there is no wall.
  const source = slowStack(isolation === "none" ? "" : "setsid sleep 300 & ");
  runner = start(isolation, source);
  const plan = await planned(source);
  const apply = service.offer(applyContext(plan));
  await expect.poll(() => existsSync(path.join(world, "started")), WAIT).toBe(true);
  return apply;
}

/** Writes to a descriptor of another process of the same user, by `pidfd_open` and `pidfd_getfd`. */
const TAKE_OVER = `import ctypes, os, sys
call = ctypes.CDLL(None, use_errno=True).syscall
channel = call(438, call(434, int(sys.argv[1]), 0), int(sys.argv[2]), 0)
if channel < 0: sys.exit("no descriptor: %d" % ctypes.get_errno())
lies = ["null", "[not json", '{"to_coordinator":null}']
os.set_blocking(channel, True)
while True: os.write(channel, ("\\n" + "\\n".join(lies) + "\\n").encode())
`;

const sleepers = () => processesOf("sleep", "300");
const stateIsLocked = () => existsSync(path.join(world, ".terraform.tfstate.lock.info"));

const BEHAVIOURS: Record<string, (isolation: string) => Promise<void>> = {
  "a confirmed plan is applied at its own paths, and a run leaves nothing behind": async (isolation) => {
    const paths = `[abspath(path.module), path.cwd, pathexpand("~")]`;
    const source = stack(`resource "terraform_data" "paths" {\n  input = ${paths}\n}\n`);
    runner = start(isolation, source);
    const plan = await planned(source);
    expect(plan.done?.plan_summary).toMatchObject({ has_changes: true, counts: { add: 1 } });
    const apply = await ended(service.offer(applyContext(plan)));
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    const again = await planned(source);
    expect(again.done?.plan_summary, again.log).toMatchObject({ has_changes: false });
    expect(await runner.exitCode(again)).toBe(0);
    const left = () => readdirSync(runner.workDir).filter((name) => !name.startsWith("cell-"));
    await expect.poll(left, WAIT).toEqual([]);
    expect(runner.lines.find(({ msg }) => msg === "coordinator started")).toMatchObject({ isolation });
  },

  "a cancel interrupts the engine: its lock is gone, its output whole, and no orphan lives on": async (isolation) => {
    const apply = await slowApply(isolation);
    apply.status = "requested_cancellation";
    await ended(apply);
    expect(apply.done, apply.log).toMatchObject({ status: "cancelled" });
    expect(stateIsLocked()).toBe(false);
    expect(textOf(path.join(world, "terraform.tfstate"))).toContain('"quick"');
    expect(apply.log).toContain("Run ended: cancelled");
    await expect.poll(sleepers, WAIT).toEqual([]);
  },

  "when the process of a run is killed its engine saves its state, and the run is reported with its log": async (
    isolation,
  ) => {
    const apply = await slowApply(isolation);
    process.kill(applyingProcess(runner.child.pid as number), "SIGKILL");
    await ended(apply);
    expect(apply.done).toMatchObject({ status: "failure", error: expect.stringContaining("died") });
    // There the engine ends with its process.
    if (isolation !== "command") {
      expect(apply.log).toContain("terraform_data.quick: Creation complete");
      expect(stateIsLocked()).toBe(false);
    }
    await expect.poll(sleepers, WAIT).toEqual([]);
  },

  "the log has every line of both streams, without secrets and without what moves a terminal": async (isolation) => {
    const source = stack("");
    runner = start(isolation, source);
    const script = `i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo "line $i"; done
printf '\\033[2J\\033]0;title\\007\\033[1mbold\\033[0m %s\\n' "$TOKEN"; echo to-errors >&2`;
    const variable = { name: "TOKEN", value: "s3cret-of-the-stack", secret: true };
    const run = await ended(command(script, source, ({ environment }) => void environment.push(variable)));
    expect(run.done, run.log.slice(-2_000)).toMatchObject({ status: "success", exit_code: 0 });
    const lines = run.log.match(/^line \d+$/gm) ?? [];
    expect(lines).toEqual(Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`));
    expect(run.log).toContain("\n\x1b[1mbold\x1b[0m ***\n");
    expect(run.log).toContain("to-errors\n");
    expect(run.chunks.size).toBeGreaterThan(3);
  },

  "exit codes are the program's own, of a command and of an engine": async (isolation) => {
    const source = stack(`resource "terraform_data" "fails" {
  provisioner "local-exec" {
    command = "exit 3"
  }
}
`);
    runner = start(isolation, source);
    expect((await ended(command("exit 7", source))).done).toEqual({
      status: "failure",
      exit_code: 7,
      error: "The command failed with exit code 7.",
    });
    const killed = await ended(command("kill -9 $$", source));
    expect(killed.done).toMatchObject({ status: "failure", exit_code: null });
    const apply = await ended(service.offer(applyContext(await planned(source))));
    expect(apply.done).toMatchObject({
      status: "failure",
      exit_code: 1,
      error: expect.stringMatching(/exit status 3/),
    });
    expect(stateIsLocked()).toBe(false);
  },

  "a run that takes its process over and writes what it likes to the coordinator ends itself alone": async (
    isolation,
  ) => {
    const source = stack("");
    runner = start(isolation, source);
    writeFileSync(path.join(world, "take-over.py"), TAKE_OVER);
    const descriptor = isolation === "command" ? 1 : 3;
    const liar = await ended(
      command(`PATH="/usr/bin:$PATH" python3 ${world}/take-over.py $PPID ${descriptor}`, source),
    );
    expect(liar.done, liar.log).toMatchObject({ status: "failure", error: expect.stringContaining("died") });
    const told = runner.lines.find(({ msg }) => msg === "the ephemeral runner died");
    expect(told).toMatchObject({ lie: "it wrote lines that are no messages" });
    const next = await ended(command("true", source));
    expect(next.done, next.log).toMatchObject({ status: "success" });
    expect(runner.child.exitCode).toBeNull();
  },

  "what a run leaves at work ends with it, though it succeeded": async (isolation) => {
    const source = stack("");
    runner = start(isolation, source);
    const orphan = isolation === "none" ? "sleep 301 &" : "setsid sleep 301 & nohup sleep 301 >/dev/null 2>&1 &";
    const run = await ended(command(`${orphan}\nexit 0`, source));
    expect(run.done, run.log).toMatchObject({ status: "success" });
    await expect.poll(() => processesOf("sleep", "301"), WAIT).toEqual([]);
  },
};

describe.each(DRIVERS)("with %s", (isolation) => {
  test.each(Object.entries(BEHAVIOURS))("%s", (_, behaves) => behaves(isolation));
});
