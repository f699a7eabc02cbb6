/**
 * A run whose commit must be on the stack's branch, where no code host could tell: its runner looks, and says so
 * (docs/rules/deployments.md#where-the-code-stands).
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import {
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  runContext,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { ScriptedService } from "../support/scriptedService.ts";

afterAll(removeTemporaryDirectories);

test("a commit of the branch is planned and reported to be there; of another nothing is run", async () => {
  const service = await new ScriptedService().start();
  const runner = new RunnerProcess(service);
  const ran = path.join(temporaryDirectory("ran"), "ran");
  const script = `data "external" "x" {\n  program = ["sh", "-c", "touch ${ran}"]\n}\n`;
  const { url, commit } = commitFiles({ "main.tf": "" });
  const stray = strayCommit(fileURLToPath(url), script);
  const offer = (id: string) =>
    service.offer(runContext({ url, commit: id }, "plan_run", ({ source }) => void Object.assign(source, MUST)));
  try {
    const [there, elsewhere] = [offer(commit), offer(stray)];
    await service.until(() => there.done !== null && elsewhere.done !== null);
    expect([there.looksAtBranch, elsewhere.looksAtBranch]).toEqual([true, true]);
    expect(there.done).toMatchObject({ status: "success", on_branch: true });
    expect(elsewhere.done).toMatchObject({
      status: "failure",
      error: expect.stringContaining("is not on branch main (commit_not_on_branch)"),
    });
    expect(elsewhere.done).not.toHaveProperty("on_branch");
    expect(elsewhere.log).not.toMatch(/init|fatal|warning/);
    expect(existsSync(ran)).toBe(false);
  } finally {
    await runner.stop("SIGINT");
    await service.stop();
  }
}, 120_000);

const MUST = { must_be_on_branch: true };

/** As a fork's: the address serves it by its id, and no branch leads to it. */
function strayCommit(repository: string, content: string): string {
  const git = (args: string[], input = "") =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: repository,
      encoding: "utf8",
      input,
    }).trim();
  git(["config", "uploadpack.allowAnySHA1InWant", "true"]);
  const blob = git(["hash-object", "-w", "--stdin"], content);
  const tree = git(["mktree"], `100644 blob ${blob}\tmain.tf\n`);
  return git(["commit-tree", "-m", "stray", tree]);
}
