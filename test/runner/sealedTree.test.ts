/** An apply works on just the tree that its plan left, on a real engine (docs/rules/runner-protocol.md#trees). */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
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

let service: ScriptedService;
let runner: RunnerProcess;
/** What a plan of the engine does besides: a script, as a data source would run it. */
let whilePlanning: string;
let world: string;

beforeAll(async () => {
  const directory = temporaryDirectory("engine");
  whilePlanning = path.join(directory, "while-planning");
  const engine = execFileSync("sh", ["-c", `command -v ${TOOL}`], { encoding: "utf8" }).trim();
  const file = path.join(directory, TOOL);
  writeFileSync(file, `#!/bin/sh\n[ "$1" = plan ] && . ${whilePlanning}\nexec ${engine} "$@"\n`, { mode: 0o755 });
  service = await new ScriptedService().start();
  runner = new RunnerProcess(service, { [`RUNNER_${TOOL.toUpperCase()}_PATH`]: file });
});
beforeEach(() => {
  world = temporaryDirectory("world");
  writeFileSync(whilePlanning, "");
});
afterAll(async () => {
  await runner.stop("SIGINT");
  await service.stop();
  removeTemporaryDirectories();
});

const backend = () => `terraform {\n  backend "local" {\n    path = "${world}/terraform.tfstate"\n  }\n}\n`;

/** A resource whose creation runs `command`. */
const runs = (command: string) =>
  `resource "terraform_data" "one" {\n  provisioner "local-exec" {\n    command = ${JSON.stringify(command)}\n  }\n}\n`;

async function ended(context: RunContext, by = service): Promise<ScriptedRun> {
  const run = by.offer(context);
  await by.until(() => run.done !== null);
  return run;
}

type Source = ReturnType<typeof commitFiles>;
type Change = (context: RunContext) => void;

async function planned(source: Source | Record<string, string>, change?: Change): Promise<ScriptedRun> {
  const committed = "commit" in source ? (source as Source) : commitFiles(source);
  const plan = await ended(runContext(committed, "plan_run", change));
  expect(plan.done, plan.log).toMatchObject({ status: "success", plan_summary: { has_changes: true } });
  return plan;
}

async function applied(plan: ScriptedRun, change?: Change): Promise<ScriptedRun> {
  const apply = await ended(applyContext(plan, change));
  expect(apply.done, apply.log).toMatchObject({ status: "success" });
  return apply;
}

/** The apply's error, once nothing was applied. */
async function refused(plan: ScriptedRun, change?: Change): Promise<string> {
  const apply = await ended(applyContext(plan, change));
  expect(apply.done, apply.log).toMatchObject({ status: "failure" });
  expect(apply.log).not.toMatch(/Running (terraform|tofu) (init|apply)/);
  return apply.done?.error ?? "";
}

const said = () => readFileSync(path.join(world, "said"), "utf8");

/** The branch of the repository goes on to a commit with this file. */
function move(url: string, file: string, content: string): void {
  const cwd = fileURLToPath(url);
  writeFileSync(path.join(cwd, file), content);
  const author = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
  execFileSync("git", [...author, "commit", "--quiet", "-am", "moved"], { cwd });
}

const fromBranch = (url: string) => `${backend()}module "m" {\n  source = "git::${url}?ref=main"\n}\n`;

describe("what changes while a plan waits", () => {
  test("a module whose branch moves is applied as it was planned", async () => {
    const { url } = commitFiles({ "main.tf": runs(`echo reviewed > ${world}/said`) });
    const plan = await planned({ "main.tf": fromBranch(url) });
    move(url, "main.tf", runs(`echo unseen > ${world}/said`));
    const apply = await applied(plan);
    expect(said()).toBe("reviewed\n");
    expect([plan.protocol, apply.protocol]).toEqual([3, 3]);
  });

  test("a repository that is gone, with all its modules, is not needed any more", async () => {
    const module = commitFiles({ "main.tf": runs(`echo there > ${world}/said`) });
    const source = commitFiles({ "net/main.tf": fromBranch(module.url), "net/a": "x" });
    const plan = await planned(source, ({ stack }) => {
      stack.working_directory = "net";
    });
    for (const { url } of [module, source]) rmSync(fileURLToPath(url), { recursive: true });
    await applied(plan);
    expect(said()).toBe("there\n");
  });
});

describe("what a plan makes", () => {
  test("beside the stack, in its home and in its temporary directory is there when it is applied", async () => {
    const makes = ["mkdir -p made ~/made", "echo built > made/a", "chmod 640 made/a", "ln -s a made/link"];
    writeFileSync(whilePlanning, [...makes, "echo home > ~/made/b", "echo temporary > $TMPDIR/c"].join("\n"));
    const read = `cat made/link ~/made/b $TMPDIR/c > ${world}/said; stat -c %a made/a >> ${world}/said`;
    await applied(await planned({ "main.tf": backend() + runs(read) }));
    expect(said()).toBe("built\nhome\ntemporary\n640\n");
  });

  test("of what it links to, the links alone are kept", async () => {
    writeFileSync(whilePlanning, `ln -s ${world} outside`);
    await applied(await planned({ "main.tf": backend() + runs("echo through > outside/said") }));
    expect(said()).toBe("through\n");
  });

  test.each([
    ["a pipe", "mkfifo odd", /"files\/odd" is no file, directory or link \(tree_unfit\)/],
    ["a name that is no text", "touch $(printf 'a\\377')", /is not UTF-8 \(tree_unfit\)/],
    [
      "too much",
      "head -c 300000 /dev/zero > large",
      /more than 200000 bytes.*"files\/large" with 300000.*tree_too_large/,
    ],
  ])("fails the plan with the reason where it is %s", async (_, makes, reason) => {
    writeFileSync(whilePlanning, makes);
    const source = commitFiles({ "main.tf": backend() + runs("true") });
    const plan = await ended(
      runContext(source, "plan_run", ({ limits }) => {
        limits.tree_bytes = 200_000;
      }),
    );
    expect(plan.done).toMatchObject({ status: "failure", error: expect.stringMatching(reason) });
    expect(plan.artifacts.has("plan")).toBe(false);
  });
});

describe("what the engine was told", () => {
  test("of its backend in arguments of a context holds for the apply", async () => {
    const files = { "main.tf": `terraform {\n  backend "local" {}\n}\n${runs(`echo told > ${world}/said`)}` };
    const plan = await planned(files, (context) => {
      const value = `-backend-config=path=${world}/told.tfstate`;
      context.environment = [{ name: "TF_CLI_ARGS_init", value, secret: false }];
    });
    const apply = await applied(plan);
    expect(JSON.parse(readFileSync(path.join(world, "told.tfstate"), "utf8")).resources).toHaveLength(1);
    expect(apply.log).not.toContain("state of this stack is lost");
    expect(String(apply.artifacts.get("analysis"))).toContain("told.tfstate");
  });

  test("of how its state is encrypted holds for the apply, and so does a provider that only the state names", async () => {
    const key = 'key_provider "pbkdf2" "k" {\n passphrase = "a passphrase of some length"\n iterations = 200000\n}';
    const method = 'method "aes_gcm" "m" {\n keys = key_provider.pbkdf2.k\n}';
    const encryption = `encryption {\n ${key}\n ${method}\n state {\n method = method.aes_gcm.m\n enforced = true\n }\n}`;
    const stack = (rest: string) => ({
      "main.tf": `terraform {\n backend "local" {\n path = "${world}/terraform.tfstate"\n }\n ${TOOL === "tofu" ? encryption : ""}\n}\n${rest}`,
    });
    await applied(await planned(stack(runs("true"))));
    const emptied = await planned(stack('output "nothing" {\n  value = "left"\n}\n'));
    await applied(emptied);
    const state = readFileSync(path.join(world, "terraform.tfstate"), "utf8");
    expect(state).toContain(TOOL === "tofu" ? "encrypted_data" : '"resources": []');
  });

  const inData = (value: string) => (context: RunContext) => {
    context.environment = [{ name: "TF_DATA_DIR", value, secret: false }];
  };

  test.each([
    ["inside the tree", () => "../data"],
    ["outside the tree", () => path.join(world, "data")],
  ])("of a data folder %s holds for the apply, whatever became of it", async (_, folder) => {
    const { url } = commitFiles({ "main.tf": runs(`echo reviewed > ${world}/said`) });
    const inNet = ({ stack }: RunContext) => {
      stack.working_directory = "net";
    };
    const plan = await planned({ "net/main.tf": fromBranch(url) }, (context) => {
      inNet(context);
      inData(folder())(context);
    });
    move(url, "main.tf", runs(`echo unseen > ${world}/said`));
    if (path.isAbsolute(folder()))
      writeFileSync(path.join(folder(), "modules/m/main.tf"), runs(`echo unseen > ${world}/said`));
    await applied(plan);
    expect(said()).toBe("reviewed\n");
  });

  test("of another data folder meanwhile stops the apply", async () => {
    const plan = await planned({ "main.tf": backend() + runs("true") });
    expect(await refused(plan, inData("elsewhere"))).toMatch(/^TF_DATA_DIR leads to .*elsewhere, .*tree_path_differs/);
  });
});

describe("a tree that is not what the plan left", () => {
  const small = () => planned({ "main.tf": backend() + runs(`echo applied > ${world}/said`) });

  test("is gone", async () => {
    const plan = await small();
    const context = applyContext(plan);
    plan.artifacts.delete("tree");
    const apply = await ended(context);
    expect(apply.done).toMatchObject({
      status: "failure",
      error: "The files of the plan are gone from the service: plan again. Nothing was applied (tree_missing).",
    });
  });

  test("is another one", async () => {
    const plan = await small();
    const error = await refused(plan, ({ run }) => {
      run.tree_sha256 = "0".repeat(64);
    });
    expect(error).toMatch(/its digest differs: plan again. Nothing was applied \(tree_damaged\)/);
  });

  test("is no archive", async () => {
    const plan = await small();
    plan.artifacts.set("tree", Buffer.from("no archive"));
    expect(await refused(plan)).toMatch(/cannot be unpacked: it is no whole gzip file .*tree_damaged/);
  });

  test("was somewhere else", async () => {
    const elsewhere = await new ScriptedService().start();
    const source = commitFiles({ "main.tf": backend() + runs("true") });
    const first = new RunnerProcess(elsewhere);
    const plan = await ended(runContext(source, "plan_run"), elsewhere);
    await first.stop();
    const second = new RunnerProcess(elsewhere);
    const apply = await ended(applyContext(plan), elsewhere);
    await second.stop();
    await elsewhere.stop();
    expect(apply.done?.error).toMatch(
      new RegExp(
        `^The plan was made in ${first.workDir}/tree-\\w+, and here .* in ${second.workDir}/tree-.*tree_path_differs`,
      ),
    );
  });
});

describe("no tree", () => {
  test("is left where no apply can follow", async () => {
    const files = { "main.tf": backend() + runs("true") };
    const preview = await planned(files, ({ deployment }) => {
      deployment.mode = "plan_unlocked";
    });
    expect(preview.artifacts.has("tree")).toBe(false);
    const nothing = await ended(runContext(commitFiles({ "main.tf": backend() }), "plan_run"));
    expect(nothing.done).toMatchObject({ status: "success", plan_summary: { has_changes: false } });
    expect(nothing.artifacts.has("tree")).toBe(false);
  });

  test("is left for a service that knows none, and its plan is applied as ever, with a word in the log", async () => {
    const plan = await planned({ "main.tf": backend() + runs(`echo applied > ${world}/said`) }, ({ limits }) => {
      delete limits.tree_bytes;
    });
    expect(plan.artifacts.has("tree")).toBe(false);
    const apply = await applied(plan, ({ run }) => {
      delete run.tree_sha256;
    });
    expect(apply.log).toContain("too old to have kept the files of the plan: they are fetched again");
    expect(said()).toBe("applied\n");
  });
});
