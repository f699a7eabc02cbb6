/**
 * The identities of a run: their tokens last for minutes, so they are renewed while the run goes on, and each new one
 * is hidden in the log before anything can read it.
 */
import { rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { RunContext, RunIdentity } from "../../src/core/runs/protocol.ts";
import { writeIdentities, writeTokens } from "../engine/identityFiles.ts";
import type { OwnLog } from "../output/ownLog.ts";
import { identitySecrets, secretForms } from "../output/secretForms.ts";
import type { RunnerApi } from "../service/runnerApi.ts";
import { ServiceRefused } from "../service/serviceClient.ts";

/** Nor more often, though a token lasts for seconds only because the run has to be over. */
const LEAST_PAUSE_MS = 1_000;
const MOST_PAUSE_AFTER_FAILURE_MS = 30_000;

export class Identities {
  readonly #api: Pick<RunnerApi, "renewIdentities">;
  readonly #hidden: Buffer[];
  readonly #logger: OwnLog;
  readonly #over = new AbortController();
  #tokens: readonly RunIdentity[];
  #pauseMs: number;
  #folder: string | null = null;
  #writing: Promise<void> = Promise.resolve();

  /** @param hidden forms of what the log hides, to which those of new tokens are added */
  constructor(
    { identities = [] }: Pick<RunContext, "identities">,
    api: Pick<RunnerApi, "renewIdentities">,
    hidden: Buffer[],
    logger: OwnLog,
  ) {
    this.#tokens = identities;
    this.#api = api;
    this.#hidden = hidden;
    this.#logger = logger;
    this.#pauseMs = untilHalf(identities);
  }

  start(): void {
    if (this.#tokens.length > 0) void this.#renewAgainAndAgain();
  }

  /** Writes them, from now on each new token too. @returns the variables that lead to them @throws RunFailed */
  async writeTo(folder: string): Promise<Record<string, string>> {
    const variables = writeIdentities(this.#tokens, folder);
    this.#writing = variables.then(
      () => {},
      () => {},
    );
    const written = await variables;
    this.#folder = folder;
    return written;
  }

  /** The engine is through. Nothing of them is left. */
  async end(): Promise<void> {
    this.#over.abort();
    await this.#writing;
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }

  async #renewAgainAndAgain(): Promise<void> {
    const { signal } = this.#over;
    for (let failures = 0; !signal.aborted; ) {
      await delay(this.#pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        const { items } = await this.#api.renewIdentities(signal);
        if (signal.aborted || items.length === 0) return;
        this.#writing = this.#take(items);
        await this.#writing;
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        this.#logger.warn({ err: error }, "the identities of the run could not be renewed");
        // A run that is over, or not ours any more, gets none; whoever watches the run ends it.
        if (error instanceof ServiceRefused && error.status !== 401) return;
        failures += 1;
        this.#pauseMs = Math.min(MOST_PAUSE_AFTER_FAILURE_MS, LEAST_PAUSE_MS * 2 ** failures);
      }
    }
  }

  async #take(renewed: readonly RunIdentity[]): Promise<void> {
    this.#hidden.push(...secretForms(identitySecrets(renewed)));
    const keyOf = ({ provider_type, name }: RunIdentity) => `${provider_type}/${name}`;
    const byKey = new Map(renewed.map((each) => [keyOf(each), each]));
    const taken = this.#tokens.flatMap((had) => byKey.get(keyOf(had)) ?? []);
    this.#tokens = this.#tokens.map((had) => byKey.get(keyOf(had)) ?? had);
    this.#pauseMs = untilHalf(renewed);
    if (this.#folder !== null) await writeTokens(taken, this.#folder);
  }
}

/** Half of what the shortest of them lasts. */
function untilHalf(identities: readonly RunIdentity[]): number {
  const seconds = Math.min(...identities.map(({ expires_in }) => expires_in), 3_600);
  return Math.max(LEAST_PAUSE_MS, seconds * 500);
}
