import type { InputsAnswer, InputsBody, OutputsBody } from "../../src/core/runs/outputs.ts";
import type {
  AcceptBody,
  ArtifactKind,
  DoneBody,
  RunContext,
  RunIdentities,
  RunStatusAnswer,
} from "../../src/core/runs/protocol.ts";
import type { ComeAgain } from "./comeAgain.ts";
import type { Downloaded, ServiceClient } from "./serviceClient.ts";

/** Accept mints cloud credentials before it answers, bounded by the lease (2 min); no answer by then means no run. */
const ACCEPT_TIMEOUT_MS = 150_000;
const CALL_TIMEOUT_MS = 15_000;
/** What this runner speaks: it applies a plan on its tree (2), and knows states that the service keeps (3). */
const PROTOCOL = 3;
const TRANSFER_TIMEOUT_MS = 300_000;

const until = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });
const transfer = (signal: AbortSignal | undefined) => ({ timeoutMs: TRANSFER_TIMEOUT_MS, ...until(signal) });

/** Puts a span around a call. */
export interface CallSpans {
  step<T>(name: string, call: () => Promise<T>): Promise<T>;
}

/** The routes of one ephemeral runner and its one run, called with a runner JWT. Nothing here retries. */
export class RunnerApi {
  readonly #client: ServiceClient;
  readonly #runnerId: string;
  readonly #runId: string;
  readonly #trace: CallSpans | null;

  constructor(client: ServiceClient, runnerId: string, runId: string, trace: CallSpans | null = null) {
    this.#client = client;
    this.#runnerId = runnerId;
    this.#runId = runId;
    this.#trace = trace;
  }

  async ready(): Promise<void> {
    await this.#client.call("POST", `runners/${this.#runnerId}/ready`, { timeoutMs: 10_000 });
  }

  /** The run context, given once. Its secrets are in no other answer. */
  async accept(): Promise<RunContext> {
    const answer = await this.#client.call("POST", this.#run("accept"), {
      json: {
        protocol: PROTOCOL,
        looks_at_branch: true,
        renews_identities: true,
        runs_hooks: true,
      } satisfies AcceptBody,
      timeoutMs: ACCEPT_TIMEOUT_MS,
    });
    return answer.body as RunContext;
  }

  async status(signal?: AbortSignal): Promise<RunStatusAnswer & ComeAgain> {
    const options = { timeoutMs: CALL_TIMEOUT_MS, ...until(signal) };
    const answer = await this.#client.call("GET", this.#run("status"), options);
    return { ...(answer.body as RunStatusAnswer), comeAgainMs: answer.retryAfterMs };
  }

  /** New tokens of the run's identities, while it goes on. */
  async renewIdentities(signal?: AbortSignal): Promise<RunIdentities> {
    const options = { timeoutMs: CALL_TIMEOUT_MS, ...until(signal) };
    const answer = await this.#client.call("POST", this.#run("identities"), options);
    return answer.body as RunIdentities;
  }

  async acknowledgeCancel(): Promise<void> {
    await this.#client.call("POST", this.#run("acknowledging-cancel"), { timeoutMs: 5_000 });
  }

  /** `data` is the active chunk so far, gzipped, then base64. */
  async pushLive(chunkIndex: number, sealedChunks: number, data: string): Promise<ComeAgain> {
    const json = { chunk_index: chunkIndex, sealed_chunks: sealedChunks, data };
    const options = { json, timeoutMs: CALL_TIMEOUT_MS };
    return { comeAgainMs: (await this.#client.call("POST", this.#run("logs/live"), options)).retryAfterMs };
  }

  async sealChunk(index: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#client.call("PUT", this.#run(`logs/chunks/${index}`), { bytes, timeoutMs: CALL_TIMEOUT_MS });
  }

  async putArtifact(kind: ArtifactKind, file: string, signal?: AbortSignal): Promise<void> {
    const options = { bytes: { file }, ...transfer(signal) };
    const call = () => this.#client.call("PUT", this.#run(`artifacts/${kind}`), options);
    await this.#step(`upload ${kind}`, call);
  }

  async getArtifact(kind: ArtifactKind, file: string, maxBytes: number, signal?: AbortSignal): Promise<Downloaded> {
    const call = () => this.#client.download(this.#run(`artifacts/${kind}`), file, maxBytes, transfer(signal));
    return this.#step(`download ${kind}`, call);
  }

  async getSource(file: string, maxBytes: number, signal?: AbortSignal): Promise<Downloaded> {
    return this.#client.download(this.#run("source"), file, maxBytes, transfer(signal));
  }

  async putOutputs(json: OutputsBody, signal?: AbortSignal): Promise<void> {
    const options = { json, timeoutMs: CALL_TIMEOUT_MS, ...until(signal) };
    await this.#step("outputs", () => this.#client.call("PUT", this.#run("outputs"), options));
  }

  async takeInputs(json: InputsBody, signal?: AbortSignal): Promise<InputsAnswer> {
    const options = { json, timeoutMs: CALL_TIMEOUT_MS, ...until(signal) };
    const answer = await this.#step("inputs", () => this.#client.call("POST", this.#run("inputs"), options));
    return answer.body as InputsAnswer;
  }

  async done(body: DoneBody): Promise<void> {
    await this.#step("report", () => this.#client.call("POST", this.#run("done"), { json: body, timeoutMs: 30_000 }));
  }

  async deregister(): Promise<void> {
    await this.#client.call("DELETE", `runners/${this.#runnerId}/deregister`, { timeoutMs: 10_000 });
  }

  /** A span of each call that a run waits for. */
  #step<T>(name: string, call: () => Promise<T>): Promise<T> {
    return this.#trace === null ? call() : this.#trace.step(name, call);
  }

  #run(rest: string): string {
    return `runs/${this.#runId}/${rest}`;
  }
}
