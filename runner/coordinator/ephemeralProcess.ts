import type { Logger } from "pino";
import type { PollAnswer } from "../../src/core/runs/protocol.ts";
import type { RunSettings } from "../config/config.ts";
import { removeCloudProfiles } from "../engine/cloudProfiles.ts";
import type { KnownEngine } from "../engine/knownEngine.ts";
import { releasePlaces } from "../place/place.ts";
import { exitOf } from "../process/childExit.ts";
import { removeTree } from "../process/removeTree.ts";
import { trueDirectory } from "../wall/cell.ts";
import type { Confined, RunDirectory } from "../wall/confined.ts";
import type { FromEphemeral } from "../wall/messages.ts";
import { reportDeath } from "./deadRunner.ts";

/**
 * One ephemeral runner seen from the coordinator. Its JWT goes over its channel, never through argv or environment.
 */
export class EphemeralProcess {
  readonly assignment: PollAnswer;
  readonly #settings: RunSettings;
  readonly #confined: Confined;
  readonly #directory: RunDirectory;
  readonly #logger: Logger;
  #token: string;
  #begun = false;
  #accepted = false;
  #finished = false;
  #engineGroup: number | null = null;
  /** Whether it was given a copy, or began to execute something. */
  #copyAsked = false;

  constructor(
    assignment: PollAnswer,
    token: string,
    confined: Confined,
    directory: RunDirectory,
    settings: RunSettings,
    logger: Logger,
  ) {
    this.assignment = assignment;
    this.#token = token;
    this.#confined = confined;
    this.#directory = directory;
    this.#settings = settings;
    this.#logger = logger;
  }

  /** Whether it knew of its run before it ended. One that did not has done nothing for it, and cannot any more. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Tells the process its run. Resolves to how it ended, after everything it left behind is settled. */
  start(engines: KnownEngine[]): Promise<number | null> {
    const { child } = this.#confined;
    this.#confined.onMessage((message) => this.#hear(message));
    child.on("error", (error) => this.#logger.warn({ err: error }, "cannot talk to the ephemeral runner"));
    const { run_id: runId, runner_id: runnerId } = this.assignment;
    const [token, directory, settings] = [this.#token, this.#directory.inside, this.#settings];
    this.#confined.tell({ type: "start", runId, runnerId, token, directory, settings, engines });
    return exitOf(child).then(async (code) => {
      await this.#settle(code);
      await this.#confined.clear();
      return code;
    });
  }

  giveToken(token: string): void {
    this.#token = token;
    this.#confined.tell({ type: "token", token });
  }

  /** Asks the run to stop as if the machine went down: the engine is interrupted and the run reported as failed. */
  interrupt(): void {
    this.#confined.tell({ type: "interrupt" });
  }

  kill(): void {
    this.#confined.kill();
  }

  #hear(message: FromEphemeral): void {
    if (message.type === "begun") this.#begun = true;
    else if (message.type === "accepted") this.#accepted = true;
    else if (message.type === "copy_of") void this.#bring(message.folder);
    else if (message.type === "group") {
      this.#engineGroup = message.group;
      this.#copyAsked = true;
    } else if (message.type === "finished") this.#finished = true;
  }

  /** Once, and before anything that the stack brings along is executed: that might ask for any other repository. */
  async #bring(repository: string): Promise<void> {
    const refused = this.#copyAsked;
    this.#copyAsked = true;
    const folder = refused ? null : await this.#confined.copyOf(repository);
    this.#confined.tell({ type: "copy", folder });
  }

  /** A runner that died leaves an engine at work, a run nobody reports and plan files on disk. */
  async #settle(code: number | null): Promise<void> {
    if (this.#finished) return;
    const { lie } = this.#confined;
    this.#logger.error({ ...this.assignment, code, ...(lie === null ? {} : { lie }) }, "the ephemeral runner died");
    await this.#confined.endPrograms(this.#engineGroup, this.#settings.cancelGraceMs);
    const { outside } = this.#directory;
    const directory = outside === null ? null : trueDirectory(outside);
    // The report may take minutes while the service is away; credentials do not wait for it.
    if (directory !== null) {
      await removeCloudProfiles(directory).catch(() => {});
      await releasePlaces(directory).catch(() => {});
    }
    if (this.#accepted) {
      await reportDeath(this.#settings.serviceUrl, this.assignment, () => this.#token, directory, this.#logger);
    }
    if (directory !== null) await removeTree(directory);
  }
}
