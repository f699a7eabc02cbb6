import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";
import { removeCloudProfiles } from "../engine/cloudProfiles.ts";
import { endGroup, removeDirectory, reportDeath } from "./deadRunner.ts";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";

const PROGRAM = fileURLToPath(new URL("../ephemeral.ts", import.meta.url));

/**
 * One ephemeral runner seen from the coordinator. Its JWT goes over the IPC channel, never through argv or environment.
 * The child leads a process group of its own, so a signal to the coordinator's terminal does not reach it.
 */
export class EphemeralProcess {
  readonly assignment: PollAnswer;
  readonly #settings: RunSettings;
  readonly #directory: string;
  readonly #logger: Logger;
  #child: ChildProcess | null = null;
  #token: string;
  #accepted = false;
  #finished = false;
  #engineGroup: number | null = null;

  constructor(assignment: PollAnswer, token: string, directory: string, settings: RunSettings, logger: Logger) {
    this.assignment = assignment;
    this.#token = token;
    this.#directory = directory;
    this.#settings = settings;
    this.#logger = logger;
  }

  /** Starts the process. Resolves to how it ended, after everything it left behind is settled. @throws when it cannot start */
  async start(): Promise<{ exited: Promise<number | null> }> {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("RUNNER_")));
    const child = fork(PROGRAM, [], { env, detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.#child = child;
    child.on("message", (message: FromEphemeral) => this.#hear(message));
    const exited = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", reject);
    });
    child.on("error", (error) => this.#logger.warn({ err: error }, "cannot talk to the ephemeral runner"));
    const { run_id: runId, runner_id: runnerId } = this.assignment;
    const settings = this.#settings;
    this.#tell({ type: "start", runId, runnerId, token: this.#token, directory: this.#directory, settings });
    return { exited: exited.then((code) => this.#settle(code)) };
  }

  giveToken(token: string): void {
    this.#token = token;
    this.#tell({ type: "token", token });
  }

  /** Asks the run to stop as if the machine went down: the engine is interrupted and the run reported as failed. */
  interrupt(): void {
    this.#tell({ type: "interrupt" });
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  #tell(message: ToEphemeral): void {
    if (this.#child?.connected === true) this.#child.send(message, () => {});
  }

  #hear(message: FromEphemeral): void {
    if (message.type === "accepted") this.#accepted = true;
    else if (message.type === "group") this.#engineGroup = message.group;
    else this.#finished = true;
  }

  /** A runner that died leaves an engine at work, a run nobody reports and plan files on disk. */
  async #settle(code: number | null): Promise<number | null> {
    if (this.#finished) return code;
    this.#logger.error({ ...this.assignment, code }, "the ephemeral runner died");
    if (this.#engineGroup !== null) await endGroup(this.#engineGroup, this.#settings.cancelGraceMs);
    // The report may take minutes while the service is away; credentials do not wait for it.
    await removeCloudProfiles(this.#directory).catch(() => {});
    if (this.#accepted) {
      await reportDeath(this.#settings.serviceUrl, this.assignment, () => this.#token, this.#directory, this.#logger);
    }
    await removeDirectory(this.#directory);
    return code;
  }
}
