/** What a commit only points to, with real repositories: fetched with it, or the run fails and says what is missing. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RunLog } from "../output/runLog.ts";
import { OutputPipes } from "../process/outputPipe.ts";
import { Steps } from "../process/steps.ts";
import { StopSignal } from "../process/stop.ts";
import { checkOut } from "./checkout.ts";
import { noFindings } from "./findings.ts";
import type { GitContext } from "./gitEnvironment.ts";

let scratch: string;

beforeEach(() => {
  scratch = mkdtempSync(path.join(tmpdir(), "whole-tree-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(scratch, { recursive: true, force: true });
});

const at = (name: string) => path.join(scratch, name);

function git(repository: string, ...args: string[]): string {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "protocol.file.allow=always"];
  return execFileSync("git", [...who, ...args], { cwd: at(repository), encoding: "utf8" }).trim();
}

/** A repository with these files committed; returns the commit. */
function repository(name: string, files: Record<string, string>, before: () => void = () => {}): string {
  mkdirSync(at(name), { recursive: true });
  git(name, "init", "--quiet", "--initial-branch=main");
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(at(`${name}/${file}`)), { recursive: true });
    writeFileSync(at(`${name}/${file}`), content);
  }
  git(name, "add", ".");
  before();
  git(name, "commit", "--quiet", "--message=first");
  return git(name, "rev-parse", "HEAD");
}

interface CheckedOut {
  directory: string;
  error: string;
  warnings: string[];
}

async function checkedOut(name: string, commit: string, working_directory = "."): Promise<CheckedOut> {
  const context = {
    source: { repository_url: `file://${at(name)}`, branch: "main", commit_sha: commit },
    stack: { working_directory },
    scm_credentials: null,
  } as unknown as GitContext;
  const means = { stop: new StopSignal(), pipes: new OutputPipes(), onGroup: () => {} };
  const steps = new Steps(new RunLog(at("log"), [], 65_536), means, 1_000, { step: (_name, work) => work() });
  const findings = noFindings();
  try {
    const settings = { gitAllowProtocol: ["file" as const], gitSshCommand: undefined, gitLoginsByHttp: false };
    const directory = await checkOut(context, at("clone"), settings, steps, findings);
    return { directory, error: "", warnings: findings.warnings };
  } catch (error) {
    return { directory: "", error: String(error), warnings: findings.warnings };
  }
}

describe("submodules", () => {
  test("are fetched at their commits, also those of submodules and by relative addresses", async () => {
    repository("inner", { "inner.tf": "# inner\n" });
    const middle = repository("middle", { "middle.tf": "# middle\n" }, () =>
      git("middle", "submodule", "--quiet", "add", "../inner", "deep/inner"),
    );
    const commit = repository("outer", { "main.tf": "" }, () =>
      git("outer", "submodule", "--quiet", "add", "../middle", "modules/a b"),
    );
    // The branch of a submodule goes on; its commit is what counts.
    writeFileSync(at("middle/middle.tf"), "# later\n");
    git("middle", "commit", "--quiet", "--all", "--message=later");
    expect(git("middle", "rev-parse", "HEAD")).not.toBe(middle);
    const { directory, error } = await checkedOut("outer", commit);
    expect(error).toBe("");
    expect(readFileSync(path.join(directory, "modules/a b/middle.tf"), "utf8")).toBe("# middle\n");
    expect(readFileSync(path.join(directory, "modules/a b/deep/inner/inner.tf"), "utf8")).toBe("# inner\n");
  });

  test("that cannot be fetched fail the run", async () => {
    repository("inner", { "inner.tf": "" });
    const commit = repository("outer", { "main.tf": "" }, () =>
      git("outer", "submodule", "--quiet", "add", "../inner", "inner"),
    );
    rmSync(at("inner"), { recursive: true });
    expect((await checkedOut("outer", commit)).error).toContain("The submodules cannot be fetched");
  });

  test("without an address fail the run, which would plan without them", async () => {
    const inner = repository("inner", { "inner.tf": "" });
    const commit = repository("outer", { "main.tf": "" }, () =>
      git("outer", "update-index", "--add", "--cacheinfo", `160000,${inner},lost`),
    );
    expect((await checkedOut("outer", commit)).error).toMatch(/submodule.* lost|lost.* submodule|submodules cannot/);
  });
});

describe("files of git LFS", () => {
  const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 7\n`;
  const files = { ".gitattributes": "*.zip filter=lfs -text\n", "big.zip": POINTER, "main.tf": "" };

  /** Stands in for git-lfs, which finds its repository by the address that git is told. */
  function lfs(pull: string): void {
    mkdirSync(at("bin"));
    writeFileSync(at("bin/git-lfs"), `#!/bin/sh\n[ "$1" = version ] && exit 0\n${pull}\n`);
    chmodSync(at("bin/git-lfs"), 0o700);
    vi.stubEnv("PATH", `${at("bin")}:${process.env.PATH}`);
  }

  test("are fetched from the repository's address where the runner has git-lfs", async () => {
    lfs(`[ "$(git config remote.origin.url)" = "file://${at("outer")}" ] && printf content > big.zip`);
    const { directory, error } = await checkedOut("outer", repository("outer", files));
    expect(error).toBe("");
    expect(readFileSync(path.join(directory, "big.zip"), "utf8")).toBe("content");
  });

  test.each([
    [
      "fail",
      "echo 'fatal: no such object' >&2; exit 2",
      "big.zip cannot be fetched from git LFS: fatal: no such object",
    ],
    ["are left out", "exit 0", "big.zip was not fetched from git LFS"],
  ])("that %s end the run", async (_, pull, message) => {
    lfs(pull);
    expect((await checkedOut("outer", repository("outer", files))).error).toContain(message);
  });

  test("end the run where the runner has no git-lfs", async () => {
    lfs("exit 1");
    writeFileSync(at("bin/git-lfs"), "#!/bin/sh\nexit 1\n");
    const { error } = await checkedOut("outer", repository("outer", files));
    expect(error).toContain("big.zip is kept in git LFS, and this runner has no git-lfs");
  });

  test("are none where attributes speak of other things", async () => {
    const commit = repository("outer", { ".gitattributes": "*.sh text eol=lf\n", "a.sh": "x\n" });
    expect((await checkedOut("outer", commit)).error).toBe("");
  });
});

describe("files of other filters", () => {
  const attributes =
    "# *.md filter=none\n[attr]sealed filter=git-crypt diff=git-crypt\n*.key sealed\n*.ipynb filter=strip\n";
  const files = { ".gitattributes": attributes, "main.tf": "", "keys/db.key": "\0GITCRYPT\0x", "a.ipynb": "{}" };
  const STRIPPED = expect.stringMatching(/^a\.ipynb went through git's filter "strip", which this runner does not run/);

  test("are told as warnings", async () => {
    const commit = repository("outer", { ...files, "app/main.tf": "" });
    const { error, warnings } = await checkedOut("outer", commit, "app");
    expect(error).toBe("");
    expect(warnings).toEqual([expect.stringMatching(/^keys\/db\.key went through git's filter "git-crypt"/), STRIPPED]);
  });

  test("end the run where the stack's own are encrypted", async () => {
    const { error } = await checkedOut("outer", repository("outer", files));
    expect(error).toContain(`keys/db.key is encrypted by git's filter "git-crypt", which this runner cannot undo.`);
  });

  test("in submodules, and of names that git cannot list, are told too", async () => {
    repository("inner", { ".gitattributes": "*.ipynb filter=strip\n*.x filter=a.b\n", "b.ipynb": "{}" });
    const commit = repository("outer", { "main.tf": "" }, () =>
      git("outer", "submodule", "--quiet", "add", "../inner", "deep"),
    );
    expect((await checkedOut("outer", commit)).warnings).toEqual([
      expect.stringMatching(/^deep\/b\.ipynb went through git's filter "strip"/),
      expect.stringMatching(/^Files for git's filter "a\.b" are as git stores them/),
    ]);
  });

  test("are none where attributes name a driver that has no files", async () => {
    const commit = repository("outer", { ".gitattributes": "*.ipynb filter=strip\n", "main.tf": "" });
    expect((await checkedOut("outer", commit)).warnings).toEqual([]);
  });
});

describe("an id that is no commit", () => {
  test("ends the run before its plan: a tag, a tree, a file, nothing", async () => {
    const commit = repository("outer", { "main.tf": "" });
    git("outer", "tag", "--annotate", "--message=v1", "v1");
    git("outer", "config", "uploadpack.allowAnySHA1InWant", "true");
    const ids = ["v1", "HEAD^{tree}", "HEAD:main.tf"].map((name) => git("outer", "rev-parse", name));
    for (const id of ids) {
      expect((await checkedOut("outer", id)).error).toMatch(
        new RegExp(`${id} is (?:an object of the repository, but no|not on)`),
      );
      rmSync(at("clone"), { recursive: true });
    }
    expect((await checkedOut("outer", "0".repeat(40))).error).toContain("is not on branch main");
    rmSync(at("clone"), { recursive: true });
    expect((await checkedOut("outer", commit)).error).toBe("");
  });
});
