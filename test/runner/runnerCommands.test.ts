/**
 * The runner on raw runs and local plans: real shells, real Terraform, archives as people send them and as attackers
 * do.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { archiveOf, archiveOfFiles, type Entry, sha256Of } from "../support/archive.ts";
import {
  applyContext,
  commitFiles,
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

const stack = () => `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}
resource "terraform_data" "kept" {\n  input = "kept"\n}\n`;

function raw(script: string, change: (context: RunContext) => void = () => {}): ScriptedRun {
  const source = commitFiles({ "net/main.tf": stack() });
  return service.offer(
    runContext(source, "raw_run", (context) => {
      context.stack.working_directory = "net";
      context.raw = { script };
      change(context);
    }),
  );
}

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

describe("raw runs", () => {
  test("run in the stack's directory after init, with its state and its engine under its own name", async () => {
    runner = new RunnerProcess(service);
    const inNet = (context: RunContext) => {
      context.stack.working_directory = "net";
    };
    const plan = await ended(service.offer(runContext(commitFiles({ "net/main.tf": stack() }), "plan_run", inNet)));
    await ended(service.offer(applyContext(plan)));
    const run = await ended(
      raw(
        `${TOOL} state list\nbasename "$PWD"\nenv | sort > ../env\ncp ../env "$WORLD/env"\nls -l "$0"\n`,
        (context) => {
          context.environment = [
            { name: "WORLD", value: world, secret: false },
            { name: "TOKEN", value: "s3cret-of-the-stack", secret: true },
          ];
        },
      ),
    );
    expect(run.done, run.log).toEqual({ status: "success", exit_code: 0, error: null });
    expect(run.log).toContain(`==> Running ${TOOL} init`);
    expect(run.log).toMatch(/==> Running the command \(\d+ bytes\)\nterraform_data\.kept\nnet\n-rw------- /);
    const env = readFileSync(path.join(world, "env"), "utf8");
    expect(env).toContain("TF_IN_AUTOMATION=1");
    expect(env).toContain("TOKEN=s3cret-of-the-stack");
    expect(env).not.toMatch(/^(RUNNER_|NODE_)/m);
    expect(await runner.exitCode(run)).toBe(0);
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
  });

  test("end with the command's exit code at its first failing line; secrets in its output are masked", async () => {
    runner = new RunnerProcess(service);
    const run = await ended(
      raw('echo "token $TOKEN"\n(exit 7)\necho never\n', (context) => {
        context.environment = [{ name: "TOKEN", value: "s3cret-of-the-stack", secret: true }];
      }),
    );
    expect(run.done).toEqual({ status: "failure", exit_code: 7, error: "The command failed with exit code 7." });
    expect(run.log).toContain("token ***");
    expect(run.log).not.toMatch(/never|s3cret/);
    expect(await runner.exitCode(run)).toBe(0);
  });

  test.each([
    ["what the shell cannot read", "echo 'unfinished CANARY\n", /^The command failed with exit code \d+\.$/],
    ["a command that kills itself", "kill -9 $$ # CANARY", /^The command was ended by SIGKILL\.$/],
  ])("%s is a failure whose error holds nothing of the script", async (_, script, error) => {
    runner = new RunnerProcess(service);
    const run = await ended(raw(script));
    expect(run.done?.status).toBe("failure");
    expect(run.done?.error).toMatch(error);
  });

  test("a failing init is the run's error, and the command is not run", async () => {
    runner = new RunnerProcess(service);
    const broken = commitFiles({ "main.tf": 'terraform {\n  backend "nonsense" {}\n}\n' });
    const run = service.offer(
      runContext(broken, "raw_run", (context) => {
        context.raw = { script: `touch ${world}/ran` };
      }),
    );
    await ended(run);
    expect(run.done?.error).toContain(`${TOOL} init failed`);
    expect(existsSync(path.join(world, "ran"))).toBe(false);
  });

  test("a cancel interrupts the whole group, and even a command that ends well then is cancelled", async () => {
    runner = new RunnerProcess(service);
    const script = `trap 'echo saved; exit 0' INT\necho $$ > ${world}/pid\nwhile :; do sleep 0.1; done\n`;
    const run = raw(script);
    await expect.poll(() => existsSync(path.join(world, "pid")), WAIT).toBe(true);
    await expect.poll(() => run.live?.bytes.toString() ?? "", WAIT).toContain("Running the command");
    run.status = "requested_cancellation";
    await ended(run);
    expect(run.done).toEqual({ status: "cancelled", exit_code: null, error: null });
    expect(run.log).toContain("saved");
    expect(run.calls).toContain("POST acknowledging-cancel");
    const pid = Number(readFileSync(path.join(world, "pid"), "utf8"));
    expect(() => process.kill(pid, 0)).toThrow();
  });

  test("a command that will not be interrupted is killed after the grace", async () => {
    runner = new RunnerProcess(service, { RUNNER_CANCEL_GRACE: "PT1S" });
    const run = raw(`trap '' INT\ntouch ${world}/started\nwhile :; do sleep 0.1; done\n`);
    await expect.poll(() => existsSync(path.join(world, "started")), WAIT).toBe(true);
    run.status = "requested_cancellation";
    await ended(run);
    expect(run.done?.status).toBe("cancelled");
  });

  test("a command that outlives its longest duration is timed out", async () => {
    runner = new RunnerProcess(service);
    const run = raw("while :; do sleep 0.1; done", (context) => {
      context.limits.max_run_duration_seconds = 4;
    });
    await ended(run);
    expect(run.done).toMatchObject({ status: "timed_out", exit_code: null });
  });

  test("the script is in no line of the runner, no argument and no environment", async () => {
    runner = new RunnerProcess(service, { RUNNER_LOG_LEVEL: "trace" });
    const run = raw(
      `: CANARY-of-a-script\ntouch ${world}/started\nwhile [ ! -e ${world}/go ]; do sleep 0.1; done\nfalse\n`,
    );
    await expect.poll(() => existsSync(path.join(world, "started")), WAIT).toBe(true);
    const visible = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, "utf8") + readFileSync(`/proc/${pid}/environ`, "utf8");
        } catch {
          return "";
        }
      });
    expect(visible.some((text) => text.includes("command.sh"))).toBe(true);
    expect(visible.join("\n")).not.toContain("CANARY-of-a-script");
    run.status = "requested_cancellation";
    await ended(run);
    expect(run.log).not.toContain("CANARY-of-a-script");
    expect(JSON.stringify(run.done)).not.toContain("CANARY-of-a-script");
    await runner.exitCode(run);
    expect(JSON.stringify(runner.lines) + runner.stderr).not.toContain("CANARY-of-a-script");
  });
});

describe("local plans", () => {
  function local(
    archive: Buffer,
    change: (context: RunContext) => void = () => {},
    sent: Buffer | null = archive,
  ): ScriptedRun {
    const nowhere = { url: "https://git.example/unused.git", commit: "0".repeat(40) };
    const context = runContext(nowhere, "plan_run", (context) => {
      context.deployment = { ...context.deployment, mode: "plan_unlocked", origin_type: "local" };
      context.source = { type: "local", sha256: sha256Of(archive), size: archive.length };
      change(context);
    });
    return service.offer(context, {}, sent);
  }

  test("plan the uploaded files in the stack's directory, and read no repository", async () => {
    runner = new RunnerProcess(service);
    const archive = archiveOfFiles({
      "net/main.tf": `${stack()}module "m" {\n  source = "../modules/m"\n}\n`,
      "modules/m/main.tf": 'resource "terraform_data" "uploaded" {}\n',
    });
    const run = await ended(
      local(archive, (context) => {
        context.stack.working_directory = "net";
      }),
    );
    expect(run.done, run.log).toMatchObject({
      status: "success",
      plan_summary: { has_changes: true, counts: { add: 2 } },
    });
    expect(run.log).toContain(`Fetching the uploaded source (${archive.length} bytes, SHA-256 ${sha256Of(archive)})`);
    expect(run.artifacts.get("plan-text")?.toString()).toContain("module.m.terraform_data.uploaded will be created");
    expect(existsSync(path.join(world, "terraform.tfstate"))).toBe(false);
    await runner.exitCode(run);
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
  });

  test("what is wrong with an upload is the run's error, and nothing is written beside the run", async () => {
    runner = new RunnerProcess(service, { RUNNER_MAX_CONCURRENT: "8" });
    const main: Entry = { path: "main.tf", body: stack() };
    const good = archiveOf([main]);
    const climbs = `../../../../../../..${world}/owned`;
    const cases: [string, ScriptedRun, RegExp][] = [
      [
        "climbing path",
        local(archiveOf([main, { path: climbs, body: "x" }])),
        /cannot be unpacked: the path .* leads out of it/,
      ],
      [
        "absolute path",
        local(archiveOf([main, { path: `${world}/owned`, body: "x" }])),
        /cannot be unpacked: the path .* is absolute/,
      ],
      [
        "link out",
        local(archiveOf([main, { path: "l", type: "SymbolicLink", linkpath: world }, { path: "l/owned", body: "x" }])),
        /cannot be unpacked: the link "l" leads out of it/,
      ],
      ["bomb", local(archiveOf([main, { path: "b", body: Buffer.alloc(40_000_000) }])), /more than 200 times its size/],
      ["no archive", local(Buffer.from("not an archive")), /no whole gzip file/],
      [
        "other bytes",
        local(good, () => {}, archiveOf([{ path: "other.tf", body: "" }])),
        /its digest differs|cannot be fetched/,
      ],
      ["more bytes", local(good, () => {}, Buffer.concat([good, good])), /longer than \d+ bytes/],
      [
        "gone",
        local(good, () => {}, null),
        /The uploaded source is gone from the service: upload it again.*source_missing/,
      ],
      [
        "no such directory",
        local(good, (context) => {
          context.stack.working_directory = "net";
        }),
        /The working directory "net" does not exist in the uploaded source\./,
      ],
    ];
    await service.until(() => cases.every(([, run]) => run.done !== null));
    for (const [name, run, error] of cases) {
      expect(run.done?.status, name).toBe("failure");
      expect(run.done?.error, name).toMatch(error);
      expect(await runner.exitCode(run), name).toBe(0);
    }
    expect(readdirSync(world)).toEqual([]);
    await expect.poll(() => readdirSync(runner.workDir), WAIT).toEqual([]);
  });
});
