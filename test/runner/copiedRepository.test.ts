/** Repositories of the runner's own machine in folders that runs do not see: each run is given a copy of its own. */
import { existsSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  applyContext,
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { type ScriptedRun, ScriptedService } from "../support/scriptedService.ts";
import { WALLS } from "../support/walls.ts";

let service: ScriptedService;
let runner: RunnerProcess;

beforeEach(async () => {
  service = await new ScriptedService().start();
});

afterEach(async () => {
  await runner.stop("SIGINT");
  await service.stop();
});

afterAll(removeTemporaryDirectories);

const start = (folder: string) =>
  new RunnerProcess(service, {
    RUNNER_ISOLATION: "bubblewrap",
    RUNNER_METADATA_ADDRESS: "allowed",
    RUNNER_WALL_REPOSITORIES: folder,
  });

async function ended(run: ScriptedRun): Promise<ScriptedRun> {
  await service.until(() => run.done !== null);
  return run;
}

function command(source: { url: string; commit: string }, script: string): Promise<ScriptedRun> {
  return ended(
    service.offer(
      runContext(source, "raw_run", (context) => {
        context.raw = { script };
      }),
    ),
  );
}

describe.runIf(WALLS.includes("bubblewrap"))("behind bubblewrap", () => {
  test("a run works on a copy of its repository, sees nothing beside it and changes nothing in it", async () => {
    const [source, other] = [
      commitFiles({ "main.tf": 'resource "terraform_data" "it" {}\n' }),
      commitFiles({ "b.tf": "" }),
    ];
    const [folder, beside] = [source, other].map(({ url }) => new URL(url).pathname) as [string, string];
    runner = start(tmpdir());
    const plan = await ended(service.offer(runContext(source, "plan_run")));
    expect(plan.done, plan.log).toMatchObject({ status: "success" });
    const apply = await ended(service.offer(applyContext(plan)));
    expect(apply.done, apply.log).toMatchObject({ status: "success" });
    const looked = await command(source, `ls -d ${folder} ${beside} 2>/dev/null || mkdir ${folder}; touch ${folder}/x`);
    expect(looked.done, looked.log).toMatchObject({ status: "success" });
    expect(looked.log).not.toContain(`\n${folder}\n`);
    expect(looked.log).not.toContain(`\n${beside}\n`);
    expect(existsSync(path.join(folder, "x"))).toBe(false);
  });

  test("none is copied from elsewhere, whatever a link says", async () => {
    const open = temporaryDirectory("open");
    const source = commitFiles({ "main.tf": "" });
    const inside = path.join(open, "repository");
    runner = start(open);
    const elsewhere = await command(source, "true");
    expect(elsewhere.done?.error).toContain("repository_hidden");
    symlinkSync(new URL(source.url).pathname, inside);
    const linked = await command({ ...source, url: `file://${inside}` }, "true");
    expect(linked.done?.error).toContain("repository_hidden");
    rmSync(inside);
    renameSync(new URL(source.url).pathname, inside);
    const there = await command({ ...source, url: `file://${inside}` }, "true");
    expect(there.done, there.log).toMatchObject({ status: "success" });
  });
});
