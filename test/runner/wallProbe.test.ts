/** One program tries from inside a run, of a configuration and of a command, what a run must never reach. */
import { chmodSync, closeSync, copyFileSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { startOf } from "../../runner/process/processTable.ts";
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
import { ancestorsOf, DRIVERS, processesOf, textOf, WALLS, walledRunner } from "../support/walls.ts";

const WAIT = { timeout: 60_000, interval: 25 };
const PROVIDER = "registry.example.test/acme/thing/1.0.0/linux_amd64/terraform-provider-thing";
/** What another run of this machine has, in its variables and its credentials. */
const MARKER = "only-the-other-run-has-this";

let service: ScriptedService;
let runner: RunnerProcess;
let metadata: Server;
/** Where stacks keep their state and leave traces. */
let world: string;
let cache: string;
let metadataPort: number;

beforeEach(async () => {
  service = await new ScriptedService().start();
  world = temporaryDirectory("world");
  cache = temporaryDirectory("providers");
  mkdirSync(path.dirname(path.join(cache, PROVIDER)), { recursive: true });
  writeFileSync(path.join(cache, PROVIDER), "#!/bin/sh\n", { mode: 0o755 });
  chmodSync(cache, 0o755);
  copyFileSync(path.join(import.meta.dirname, "../support/wallProbe.mjs"), path.join(world, "probe.mjs"));
  metadata = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => metadata.listen(0, "127.0.0.1", resolve));
  metadataPort = (metadata.address() as AddressInfo).port;
});

afterEach(async () => {
  metadata.close();
  runner.child.kill("SIGTERM");
  await runner.stop("SIGINT");
  await service.stop();
});

afterAll(removeTemporaryDirectories);

/** From here on nobody answers there, as where an operator has closed the address to runs. */
async function closed(): Promise<void> {
  await new Promise((resolve) => metadata.close(resolve));
}

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

function stack(command: string): { url: string; commit: string } {
  return commitFiles({
    "main.tf": `terraform {
  backend "local" {
    path = "${world}/terraform.tfstate"
  }
}
resource "terraform_data" "it" {
  provisioner "local-exec" {
    command = "${command}"
  }
}
`,
  });
}

/** A run that is at work beside, with what the other must not get. @returns its processes, outermost last */
async function neighbour(source: { url: string; commit: string }): Promise<number[]> {
  service.offer(
    runContext(source, "raw_run", (context) => {
      context.stack.id = "another";
      context.raw = { script: "exec sleep 302" };
      context.environment = [{ name: "TF_VAR_password", value: MARKER, secret: true }];
      const profile = { aws_access_key_id: "AKIA", aws_secret_access_key: MARKER, aws_session_token: MARKER };
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      context.runtime_credentials = [{ provider_type: "cloud_a", expires_at, profiles: { default: profile } }];
    }),
  );
  const sleeping = () => processesOf("sleep", "302");
  await expect.poll(async () => (await sleeping()).length, WAIT).toBe(1);
  const [innermost = 0] = await sleeping();
  const above = ancestorsOf(innermost);
  return [innermost, ...above.slice(0, above.indexOf(runner.child.pid as number))];
}

/** What the probe is to try, as this machine sees it. */
async function targets(others: readonly number[], isWalled: boolean): Promise<string> {
  const coordinator = runner.child.pid as number;
  const named = [{ pid: coordinator, whose: "coordinator" }, ...others.map((pid) => ({ pid, whose: "another run" }))];
  const processes = named.map((each) => ({ ...each, startedAt: startOf(each.pid) }));
  const provider = path.join(cache, PROVIDER);
  const own = ["/tmp", "/var/tmp", "/dev", runner.workDir];
  return JSON.stringify({
    key: runner.keyFile,
    // Backwards, or the probe would find it in its own variables.
    marker: [...MARKER].reverse().join(""),
    processes,
    // A run's home and its files are in the last of them.
    own: [...own, world],
    // Where there is no wall whatever is left there would stay on this machine.
    searched: isWalled ? [...own, "/dev/shm", cache] : [],
    folders: [runner.workDir],
    fixed: { cache, "folder of a provider": path.dirname(provider), provider },
    address: { host: "127.0.0.1", port: metadataPort },
  });
}

const OF_A_PROCESS = ["descriptors", "environment", "files", "memory", "signals"];
const EVERYTHING = [
  "a file that is open elsewhere",
  "a folder of the machine",
  "another run: files of its directory",
  "another run: secrets in an environment",
  ...["another run", "coordinator"].flatMap((whose) => OF_A_PROCESS.map((what) => `${whose}: ${what}`)),
  "key",
  "metadata",
  "settings of the machine",
  "writes: cache",
  "writes: folder of a provider",
  "writes: provider",
];

describe.each(DRIVERS)("with %s", (isolation) => {
  test(isolation === "none" ? "a run reaches all of it" : "a run reaches nothing", async () => {
    if (isolation !== "none") await closed();
    const source = stack(`${process.execPath} ${world}/probe.mjs`);
    const left = openSync("/etc/passwd", "r");
    runner = walledRunner(service, isolation, world, {
      repositories: [source.url],
      env: { RUNNER_METADATA_ADDRESS: `127.0.0.1:${metadataPort}`, RUNNER_PLUGIN_CACHE_DIR: cache },
      opened: left,
    });
    closeSync(left);
    await runner.line("coordinator started");
    const values = { TARGETS: await targets(await neighbour(source), isolation !== "none") };
    const finding = (name: string) => (context: RunContext) => {
      const all = { ...values, FOUND: path.join(world, name) };
      context.environment = Object.entries(all).map(([each, value]) => ({ name: each, value, secret: false }));
    };
    const plan = await ended(service.offer(runContext(source, "plan_run", finding("by-configuration"))));
    await runner.exitCode(plan);
    const apply = await ended(service.offer(applyContext(plan)));
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    await runner.exitCode(apply);
    const script = (context: RunContext) => {
      finding("by-command")(context);
      context.raw = { script: `exec ${process.execPath} ${world}/probe.mjs` };
    };
    const command = await ended(service.offer(runContext(source, "raw_run", script)));
    expect(command.done, command.log).toMatchObject({ status: "success" });
    const expected = isolation === "none" ? EVERYTHING.toSorted() : [];
    for (const [name, { log }] of [["by-configuration", apply] as const, ["by-command", command] as const])
      expect(JSON.parse(textOf(path.join(world, name))), `${name}: ${log}`).toEqual(expected);
    expect(textOf(path.join(cache, PROVIDER))).toBe("#!/bin/sh\n");
  });
});

/** Settings of the machine are those of its root. */
test.runIf(WALLS.includes("bubblewrap") && WALLS.includes("user"))(
  "a run that stays root can write to no setting of the machine either",
  async () => {
    await closed();
    const source = stack("true");
    runner = walledRunner(service, "bubblewrap", world, {
      repositories: [source.url],
      env: { RUNNER_SLOT_UID: "0", RUNNER_PLUGIN_CACHE_DIR: cache },
    });
    await runner.line("coordinator started");
    const found = path.join(world, "as-root");
    const values = { TARGETS: await targets([], true), FOUND: found };
    const script = (context: RunContext) => {
      context.environment = Object.entries(values).map(([name, value]) => ({ name, value, secret: false }));
      context.raw = { script: `exec ${process.execPath} ${world}/probe.mjs` };
    };
    const command = await ended(service.offer(runContext(source, "raw_run", script)));
    expect(command.done, command.log).toMatchObject({ status: "success" });
    // Folders that are hidden are empty ones of the run's own.
    expect(JSON.parse(textOf(found)).filter((each: string) => each !== "a folder of the machine")).toEqual([]);
  },
);

test.each(WALLS)(
  "a coordinator does not start when a run behind %s reaches the metadata address",
  async (isolation) => {
    const address = `127.0.0.1:${metadataPort}`;
    runner = walledRunner(service, isolation, world, { env: { RUNNER_METADATA_ADDRESS: address } });
    expect(await runner.exited).toBe(1);
    expect(runner.stderr).toContain(`it reaches ${address}.`);
    expect(runner.stderr).toContain("RUNNER_METADATA_ADDRESS=allowed");
  },
);

/** Behind these it is another user, who cannot pass what is only root's. */
test.each(WALLS.filter((isolation) => isolation !== "command" && WALLS.includes("user")))(
  "a coordinator does not start when a run behind %s cannot come to its directory",
  async (isolation) => {
    const closed = temporaryDirectory("closed");
    const workDir = path.join(closed, "work");
    runner = walledRunner(service, isolation, world, { env: { RUNNER_WORK_DIR: workDir, RUNNER_WALL_SHOW: closed } });
    expect(await runner.exited).toBe(1);
    expect(runner.stderr).toContain(`${isolation} does not work here: its user may not enter ${workDir}`);
  },
);
