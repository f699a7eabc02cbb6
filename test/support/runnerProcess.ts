/** A real coordinator process and real git repositories for tests of the runner. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { EventEmitter } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import * as v from "valibot";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import type { ScriptedRun, ScriptedService } from "./scriptedService.ts";

const PROJECT = path.resolve(import.meta.dirname, "../..");
const NODE = process.execPath;

const temporary: string[] = [];

export function temporaryDirectory(name: string): string {
  const directory = mkdtempSync(path.join(tmpdir(), `${name}-`));
  temporary.push(directory);
  return directory;
}

/** Removes every directory made so far; for the end of a test file. */
export function removeTemporaryDirectories(): void {
  for (const directory of temporary.splice(0)) rmSync(directory, { recursive: true, force: true });
}

/** Commits `files` to a new repository and returns its address and the commit. */
export function commitFiles(files: Record<string, string>): { url: string; commit: string } {
  const directory = temporaryDirectory("repository");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Test", "-c", "user.email=test@example.com", ...args], {
      cwd: directory,
      encoding: "utf8",
    }).trim();
  git("init", "--quiet", "--initial-branch=main");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), content);
  }
  git("add", ".");
  git("commit", "--quiet", "--message=first");
  return { url: `file://${directory}`, commit: git("rev-parse", "HEAD") };
}

/** A PATH on which these programs are, and no other. */
export function pathWith(...programs: string[]): string {
  const directory = temporaryDirectory("path");
  for (const program of programs) {
    const found = (process.env.PATH ?? "").split(path.delimiter).find((place) => existsSync(path.join(place, program)));
    symlinkSync(path.join(found ?? "", program), path.join(directory, program));
  }
  return directory;
}

/** The engine that runs here: the tests of the runner are to hold with either (`TEST_TOOL=tofu`, found on PATH). */
export const TOOL = v.parse(v.picklist(["terraform", "tofu"]), process.env.TEST_TOOL ?? "terraform");

/** A run context for a repository; `change` alters it. */
export function runContext(
  source: { url: string; commit: string },
  kind: RunContext["run"]["kind"],
  change: (context: RunContext) => void = () => {},
): RunContext {
  const context: RunContext = {
    run: {
      id: "",
      org_id: "0190b7c2-6a1e-7c3d-9f00-000000000001",
      kind,
      state_locked: kind === "apply_run",
      plan_run_id: null,
      plan_sha256: null,
      tree_sha256: null,
      targets: [],
      excludes: [],
      replaces: [],
    },
    deployment: { id: "d", mode: "plan", origin_type: "manual", commit_sha: source.commit },
    stack: { id: "s", name: "s", working_directory: ".", tool: TOOL, tool_version: null, labels: {} },
    source: { type: "git", repository_url: source.url, branch: "main", commit_sha: source.commit },
    environment: [],
    runtime_credentials: [],
    scm_credentials: null,
    limits: {
      max_run_duration_seconds: 600,
      log_chunk_bytes: 65_536,
      artifact_bytes: 67_108_864,
      tree_bytes: 67_108_864,
    },
  };
  change(context);
  return context;
}

/** The apply of a plan that a runner made. */
export function applyContext(plan: ScriptedRun, change: (context: RunContext) => void = () => {}): RunContext {
  const context = structuredClone(plan.context);
  Object.assign(context.run, {
    kind: "apply_run",
    state_locked: true,
    plan_run_id: plan.id,
    plan_sha256: plan.sha256("plan"),
    tree_sha256: plan.artifacts.has("tree") ? plan.sha256("tree") : null,
  });
  change(context);
  return context;
}

/** A line of the coordinator's or an ephemeral runner's own log. */
interface LogLine {
  msg: string;
  [field: string]: unknown;
}

export class RunnerProcess {
  readonly lines: LogLine[] = [];
  readonly child: ChildProcess;
  readonly keyFile: string;
  readonly workDir: string;
  stderr = "";
  readonly exited: Promise<number | null>;
  readonly #events = new EventEmitter().setMaxListeners(0);

  /** @param opened a file that it finds open, as whoever starts a coordinator may leave one behind */
  constructor(
    service: Pick<ScriptedService, "url" | "groupId" | "privateKey">,
    env: Record<string, string> = {},
    opened?: number,
  ) {
    const directory = temporaryDirectory("runner");
    this.keyFile = path.join(directory, "key.pem");
    this.workDir = path.join(directory, "work");
    writeFileSync(this.keyFile, service.privateKey, { mode: 0o600 });
    this.child = spawn(NODE, [path.join(PROJECT, "runner/main.ts")], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        RUNNER_SERVICE_URL: service.url,
        RUNNER_GROUP_ID: service.groupId,
        RUNNER_KEY_FILE: this.keyFile,
        RUNNER_WORK_DIR: this.workDir,
        RUNNER_LISTEN: "127.0.0.1:0",
        RUNNER_ISOLATION: "none",
        RUNNER_GIT_ALLOW_PROTOCOL: "file",
        RUNNER_STATUS_INTERVAL: "PT0.2S",
        RUNNER_LOG_INTERVAL: "PT0.2S",
        RUNNER_CANCEL_GRACE: "PT20S",
        ...env,
      },
      // Far behind the others: Node itself closes the next few.
      stdio: ["ignore", "pipe", "pipe", ...(opened === undefined ? [] : [...Array(37).fill("ignore"), opened])],
    });
    createInterface({ input: this.child.stdout! }).on("line", (line) => {
      this.lines.push(line.startsWith("{") ? JSON.parse(line) : { msg: line });
      this.#events.emit("line");
    });
    this.child.stderr!.on("data", (bytes) => {
      this.stderr += bytes;
    });
    this.exited = new Promise((resolve) => this.child.once("exit", (code) => resolve(code)));
  }

  /** The first log line with this message, once it was written. */
  async line(message: string, runId?: string): Promise<LogLine> {
    for (;;) {
      const wanted = ({ msg, ...line }: LogLine) =>
        msg === message && (runId === undefined || line.runId === runId || line.run_id === runId);
      const found = this.lines.find(wanted);
      if (found !== undefined) return found;
      await new Promise((resolve) => this.#events.once("line", resolve));
    }
  }

  /** Exit code of the ephemeral runner of a run. */
  async exitCode(run: ScriptedRun): Promise<unknown> {
    return (await this.line("an ephemeral runner ended", run.id)).code;
  }

  /** The processes it has: those of runs, and those that wait for one. */
  children(): number[] {
    const { pid } = this.child;
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.split(" ").filter(Boolean).map(Number);
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.child.kill(signal);
    return this.exited;
  }
}
