import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { RunLog } from "../output/runLog.ts";
import { secretForms, secretsOf } from "../output/secretForms.ts";
import { OutputPipes } from "../process/outputPipe.ts";
import { Steps } from "../process/steps.ts";
import { StopSignal } from "../process/stop.ts";
import { checkOut } from "./checkout.ts";
import { noFindings } from "./findings.ts";
import type { GitContext } from "./gitEnvironment.ts";

const PASSWORD = "t0ken/with+signs";

let repository: string;
let first: string;
let second: string;
let host: Server;
let origin: string;

function git(...args: string[]): string {
  const as = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];
  return execFileSync("git", [...as, ...args], { cwd: repository, encoding: "utf8" }).trim();
}

function commit(content: string): string {
  writeFileSync(path.join(repository, "net", "main.tf"), content);
  git("add", ".");
  git("commit", "--quiet", "--message=change");
  return git("rev-parse", "HEAD");
}

/** Serves the repository as files, which knows branches but no bare commits, to who sends the password. */
function serveRepository(): Server {
  return createServer((request, response) => {
    const given = Buffer.from(request.headers.authorization?.slice(6) ?? "", "base64").toString();
    if (given !== `git:${PASSWORD}`) return void response.writeHead(401, { "www-authenticate": "Basic" }).end();
    try {
      const name = new URL(request.url ?? "/", "http://x").pathname.replace(/^\/repo\.git/, "/.git");
      response.end(readFileSync(path.join(repository, name)));
    } catch {
      response.writeHead(404).end();
    }
  });
}

beforeAll(async () => {
  repository = mkdtempSync(path.join(tmpdir(), "repository-"));
  git("init", "--quiet", "--initial-branch=main");
  mkdirSync(path.join(repository, "net"));
  symlinkSync("/etc", path.join(repository, "outside"));
  first = commit("# first\n");
  second = commit("# second\n");
  git("update-server-info");
  host = serveRepository();
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
});

afterAll(() => {
  host.close();
});

interface Wanted {
  url?: string;
  branch?: string;
  commit?: string;
  directory?: string;
  password?: string | null;
  pullRequest?: number;
  mustBeOnBranch?: boolean;
}

type CheckedOut = { directory: string; log: string; error: string; onBranch: boolean };

async function checkedOut(wanted: Wanted): Promise<CheckedOut> {
  const scratch = mkdtempSync(path.join(tmpdir(), "checkout-"));
  const password = wanted.password ?? null;
  const context = {
    source: {
      repository_url: wanted.url ?? `file://${repository}`,
      branch: wanted.branch ?? "main",
      commit_sha: wanted.commit ?? first,
      ...(wanted.pullRequest !== undefined && { pull_request: wanted.pullRequest }),
      ...(wanted.mustBeOnBranch && { must_be_on_branch: true }),
    },
    stack: { working_directory: wanted.directory ?? "." },
    scm_credentials: password === null ? null : { username: "git", password },
    environment: [],
    runtime_credentials: [],
  } as unknown as RunContext & GitContext;
  const log = new RunLog(path.join(scratch, "log"), secretForms(secretsOf(context)), 1_048_576);
  const means = { stop: new StopSignal(), pipes: new OutputPipes(), onGroup: () => {} };
  const steps = new Steps(log, means, 1_000, { step: (_name, work) => work() });
  const settings = { gitAllowProtocol: ["file", "http"], gitSshCommand: undefined, gitLoginsByHttp: false };
  const findings = noFindings();
  try {
    const directory = await checkOut(context, path.join(scratch, "clone"), settings, steps, findings);
    return { directory, log: log.read(0).toString(), error: "", onBranch: findings.onBranch };
  } catch (error) {
    expect(readdirSync(scratch)).not.toContain("clone.history");
    return { directory: "", log: log.read(0).toString(), error: String(error), onBranch: findings.onBranch };
  }
}

describe("checkOut", () => {
  test("gives the stack's directory at exactly the commit, also when the branch went on", async () => {
    const { directory } = await checkedOut({ directory: "net" });
    expect(readFileSync(path.join(directory, "main.tf"), "utf8")).toBe("# first\n");
    const head = await checkedOut({ commit: second });
    expect(readFileSync(path.join(head.directory, "net/main.tf"), "utf8")).toBe("# second\n");
  });

  test("takes the branch where a host serves no bare commits, and sends it the credentials", async () => {
    const { directory, log } = await checkedOut({ url: `${origin}/repo.git`, password: PASSWORD });
    expect(log).toContain("fetching branch main");
    expect(readFileSync(path.join(directory, "net/main.tf"), "utf8")).toBe("# first\n");
  });

  test("takes the head of the pull request there, which is on no branch", async () => {
    git("checkout", "--quiet", "-b", "fork", first);
    const head = commit("# of a fork\n");
    git("checkout", "--quiet", "main");
    git("update-ref", "refs/pull/7/head", head);
    git("branch", "--quiet", "-D", "fork");
    git("update-server-info");
    const wanted = { url: `${origin}/repo.git`, password: PASSWORD, commit: head };
    const { directory, log } = await checkedOut({ ...wanted, pullRequest: 7 });
    expect(log).toContain("fetching refs/pull/7/head");
    expect(readFileSync(path.join(directory, "net/main.tf"), "utf8")).toBe("# of a fork\n");
    // Merged and gone from there, or never there: the branch may have it.
    expect((await checkedOut({ ...wanted, commit: first, pullRequest: 8 })).error).toBe("");
    expect((await checkedOut({ ...wanted, commit: second, pullRequest: 7 })).error).toBe("");
    expect((await checkedOut(wanted)).error).toMatch(/is not on branch main/);
  });

  test("refuses what the branch has not, before its files are written, when it must be there", async () => {
    git("checkout", "--quiet", "-b", "elsewhere", first);
    const stranger = commit("# of a stranger\n");
    git("checkout", "--quiet", "main");
    git("update-ref", "refs/pull/9/head", stranger);
    git("branch", "--quiet", "-D", "elsewhere");
    git("config", "uploadpack.allowAnySHA1InWant", "true");
    for (const filter of ["true", "false"]) {
      git("config", "uploadpack.allowFilter", filter);
      for (const [id, on] of [
        [first, true],
        [second, true],
        [stranger, false],
      ] as const) {
        const { error, onBranch } = await checkedOut({ commit: id, mustBeOnBranch: true });
        expect([error, onBranch]).toEqual([on ? "" : expect.stringMatching(/not on branch main \(commit_not_on_/), on]);
      }
    }
    expect((await checkedOut({ commit: stranger })).error).toBe("");
    // A host that serves files alone knows no filters.
    git("update-server-info");
    const dumb = { url: `${origin}/repo.git`, password: PASSWORD, mustBeOnBranch: true };
    expect((await checkedOut(dumb)).error).toBe("");
    expect((await checkedOut({ ...dumb, commit: stranger, pullRequest: 9 })).error).toContain("commit_not_on_branch");
    expect((await checkedOut({ mustBeOnBranch: true, branch: "gone" })).error).toMatch(/on branch gone cannot be told/);
  });

  test("a failing clone shows no credential, neither in the log nor in the error", async () => {
    const inUrl = `${origin.replace("//", "//someone:p4ssw0rd-in-url@")}/nothing.git`;
    const failed = await checkedOut({ url: inUrl, password: "wrong-password" });
    expect(failed.error).toContain("The repository cannot be cloned");
    expect(failed.log + failed.error).not.toMatch(/wrong-password|p4ssw0rd-in-url/);
  });

  test.each<[string, Wanted, RegExp]>([
    ["a commit that is not on the branch", { commit: "0".repeat(40) }, /Commit 0{40} is not on branch main/],
    ["a commit that is an option", { commit: "--upload-pack=x" }, /commit id is malformed/],
    ["a short commit", { commit: "abc123" }, /commit id is malformed/],
    ["a branch that is an option", { branch: "--upload-pack=x" }, /branch name is malformed/],
    ["a branch with a blank", { branch: "a b" }, /branch name is malformed/],
    ["an address that is an option", { url: "--upload-pack=x" }, /address is malformed/],
    [
      "a transport that is not allowed",
      { url: "git://127.0.0.1/x" },
      /cannot be cloned: fatal: transport 'git' not allowed/,
    ],
    ["a transport that runs commands", { url: "ext::sh" }, /cannot be cloned/],
    ["a directory above the clone", { directory: ".." }, /does not exist at this commit/],
    ["an absolute directory", { directory: "/etc" }, /does not exist at this commit/],
    ["a link out of the clone", { directory: "outside" }, /does not exist at this commit/],
    ["a directory that is missing", { directory: "nope" }, /does not exist at this commit/],
    ["a directory that is a file", { directory: "net/main.tf" }, /does not exist at this commit/],
  ])("refuses %s", async (_, wanted, message) => {
    expect((await checkedOut(wanted)).error).toMatch(message);
  });

  test("branch names with slashes, dots and signs are fine", async () => {
    git("branch", "feature/v1.2_x+y#3");
    expect((await checkedOut({ branch: "feature/v1.2_x+y#3" })).error).toBe("");
  });
});
