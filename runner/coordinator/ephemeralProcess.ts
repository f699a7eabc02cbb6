import type { ChildProcess } from "node:child_process";
import type { Logger } from "pino";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";
import { removeCloudProfiles } from "../engine/cloudProfiles.ts";
import type { KnownEngine } from "../engine/knownEngine.ts";
import { releasePlaces } from "../place/place.ts";
import { exitOf } from "./childExit.ts";
import { endGroup, removeDirectory, reportDeath } from "./deadRunner.ts";
import type { FromEphemeral, ToEphemeral } from "./messages.ts";

/**
 * One ephemeral runner seen from the coordinator. Its JWT goes over the IPC channel, never through argv or environment.
 */
export class EphemeralProcess {
  readonly assignment: PollAnswer;
  readonly #settings: RunSettings;
  readonly #directory: string;
  readonly #logger: Logger;
  #child: ChildProcess | null = null;
  #token: string;
  #begun = false;
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

  /** Whether it knew of its run before it ended. One that did not has done nothing for it, and cannot any more. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Tells a process its run. Resolves to how it ended, after everything it left behind is settled. */
  start(child: ChildProcess, engines: KnownEngine[]): Promise<number | null> {
    this.#child = child;
    child.on("message", (message: FromEphemeral) => this.#hear(message));
    child.on("error", (error) => this.#logger.warn({ err: error }, "cannot talk to the ephemeral runner"));
    const { run_id: runId, runner_id: runnerId } = this.assignment;
    const [token, directory, settings] = [this.#token, this.#directory, this.#settings];
    this.#tell({ type: "start", runId, runnerId, token, directory, settings, engines });
    return exitOf(child).then((code) => this.#settle(code));
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
    if (message.type === "begun") this.#begun = true;
    else if (message.type === "accepted") this.#accepted = true;
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
    await releasePlaces(this.#directory).catch(() => {});
    if (this.#accepted) {
      await reportDeath(this.#settings.serviceUrl, this.assignment, () => this.#token, this.#directory, this.#logger);
    }
    await removeDirectory(this.#directory);
    return code;
  }
}
