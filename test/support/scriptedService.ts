/**
 * A stand-in for the service's runner routes: a real HTTP server that keeps to `src/core/runs/protocol.ts`, checks JWTs
 * and remembers what it was sent. Tests of the runner decide what each run is and how it is answered.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { decodeProtectedHeader, jwtVerify } from "jose";
import * as v from "valibot";
import { type InputsAnswer, InputsBody, OutputsBody } from "../../src/core/runs/outputs.ts";
import {
  AcceptBody,
  type DoneBody,
  DoneBody as DoneSchema,
  LiveLogBody,
  type RunContext,
} from "../../src/core/runs/protocol.ts";
import { ScriptedStates } from "./scriptedStates.ts";

export interface Refusal {
  status: number;
  code?: string;
}

/** One run and everything a runner told about it. */
export class ScriptedRun {
  readonly id = randomUUID();
  readonly runnerId = randomUUID();
  readonly context: RunContext;
  status = "pending";
  readonly calls: string[] = [];
  /** The trace each call said it is a part of. */
  readonly traceparents: (string | undefined)[] = [];
  readonly chunks = new Map<number, Buffer>();
  live: { chunkIndex: number; bytes: Buffer } | null = null;
  readonly artifacts = new Map<string, Buffer>();
  /** What its runner told of outputs; undefined: nothing. */
  outputs: OutputsBody["outputs"] | undefined;
  /** What it asked for of other stacks, and what it is answered. */
  asked: InputsBody["inputs"] | null = null;
  inputs: InputsAnswer = { environment: [], missing: [], waits: false };
  /** The uploaded archive of a local plan. */
  source: Buffer | null = null;
  /** What its runner said it speaks, and whether it looks where a commit is. */
  protocol = 0;
  looksAtBranch = false;
  done: DoneBody | null = null;
  dispatchError: string | null = null;
  /** Answers instead of the usual one, by the last word of the route. */
  readonly refuse = new Map<string, Refusal>();
  /** Routes, by their last word, that get no answer, or one that stops within its body. */
  readonly silent = new Map<string, "no answer" | "half an answer">();

  constructor(context: RunContext) {
    this.context = { ...context, run: { ...context.run, id: this.id } };
  }

  get log(): string {
    return Buffer.concat([...this.chunks.entries()].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)).toString();
  }

  sha256(kind: string): string {
    return createHash("sha256")
      .update(this.artifacts.get(kind) ?? "")
      .digest("hex");
  }
}

const DONE_FROM = ["running", "requested_cancellation", "cancelling"];

export class ScriptedService {
  readonly groupId = randomUUID();
  privateKey = "";
  readonly runs = new Map<string, ScriptedRun>();
  readonly deregistered = new Set<string>();
  /** States that it keeps for stacks. */
  readonly states = new ScriptedStates();
  heartbeats = 0;
  polls = 0;
  /** Polls that wait for a run at this moment. */
  waiting = 0;
  unauthorized = 0;
  readonly #queue: ScriptedRun[] = [];
  readonly #events = new EventEmitter().setMaxListeners(0);
  readonly #server: Server;
  #publicKey!: KeyObject;

  constructor() {
    this.rotate();
    this.#server = createServer((request, response) => {
      this.#answer(request, response)
        .catch((error: unknown) => reply(response, 500, { detail: String(error) }))
        .finally(() => this.#events.emit("call"));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A new key pair; JWTs of the old one stop verifying at once. */
  rotate(): void {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    this.privateKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    this.#publicKey = publicKey;
  }

  /** Makes the run claimable. */
  offer(context: RunContext, refuse: Record<string, Refusal> = {}, source: Buffer | null = null): ScriptedRun {
    const run = new ScriptedRun(context);
    run.source = source;
    for (const [route, refusal] of Object.entries(refuse)) run.refuse.set(route, refusal);
    this.runs.set(run.id, run);
    this.#queue.push(run);
    this.#events.emit("offer");
    return run;
  }

  /** Resolves once the condition holds; it is looked at after every request. */
  async until(condition: () => boolean, withinMs = 30_000): Promise<void> {
    const timeout = AbortSignal.timeout(withinMs);
    while (!condition()) {
      await new Promise<void>((resolve, reject) => {
        const fail = () => reject(new Error(`condition not met within ${withinMs} ms: ${condition}`));
        if (timeout.aborted) return fail();
        timeout.addEventListener("abort", fail, { once: true });
        this.#events.once("call", () => {
          timeout.removeEventListener("abort", fail);
          resolve();
        });
      });
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? "/", this.url);
    const [, resource, id, ...rest] = url.pathname
      .replace(/^\/api/, "")
      .split("/")
      .slice(1);
    const body = await readBody(request);
    if (resource === "runs" && rest[0] === "state") {
      const [status, answer] = this.states.answer(this.runs.get(id ?? ""), request, url, body);
      return response.writeHead(status).end(answer);
    }
    const claims = await this.#claims(request);
    if (claims === null) {
      this.unauthorized += 1;
      return reply(response, 401, { detail: "not authenticated" });
    }
    if (resource === "runner-groups") return this.#groupRoute(claims, id ?? "", url, body, request, response);
    if (claims.token_type !== "runner") return reply(response, 401, {});
    const run = this.runs.get(String(claims.run_id));
    if (run === undefined || run.runnerId !== claims.runner_id) return reply(response, 403, {});
    if (id !== (resource === "runs" ? run.id : run.runnerId)) return reply(response, 403, {});
    run.calls.push([request.method, ...rest].join(" "));
    run.traceparents.push(request.headers.traceparent as string | undefined);
    const refusal = run.refuse.get(rest.at(-1) ?? "");
    if (refusal !== undefined) return reply(response, refusal.status, { code: refusal.code, detail: "as scripted" });
    const silence = run.silent.get(rest.at(-1) ?? "");
    if (silence === "half an answer") return response.writeHead(200, { "content-length": "9999" }).write("begun");
    if (silence === "no answer") return undefined;
    return this.#runRoute(run, request.method ?? "", rest, body, response);
  }

  async #claims(request: IncomingMessage): Promise<Record<string, unknown> | null> {
    const jwt = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    try {
      const { payload } = await jwtVerify(jwt, this.#publicKey, { algorithms: ["ES256"] });
      const known = decodeProtectedHeader(jwt).kid === this.groupId && payload.group_id === this.groupId;
      return known ? payload : null;
    } catch {
      return null;
    }
  }

  async #groupRoute(
    claims: Record<string, unknown>,
    route: string,
    url: URL,
    body: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<unknown> {
    if (claims.token_type !== "runner_group") return reply(response, 401, {});
    if (route === "heartbeat") {
      this.heartbeats += 1;
      return reply(response, 204);
    }
    if (route === "dispatch-failed") {
      const { run_id, error } = JSON.parse(body.toString());
      const run = this.runs.get(run_id);
      if (run !== undefined) Object.assign(run, { dispatchError: error, status: "failure" });
      return reply(response, 204);
    }
    this.polls += 1;
    this.#events.emit("call");
    this.waiting += 1;
    const deadline = AbortSignal.timeout(Number(url.searchParams.get("wait_seconds")) * 1_000);
    while (this.#queue.length === 0 && !deadline.aborted && !request.socket.destroyed) {
      await new Promise<void>((resolve) => {
        this.#events.once("offer", resolve);
        deadline.addEventListener("abort", () => resolve(), { once: true });
        request.socket.once("close", () => resolve());
      });
    }
    this.waiting -= 1;
    const run = request.socket.destroyed ? undefined : this.#queue.shift();
    if (run === undefined) return reply(response, 204);
    run.status = "assigned";
    return reply(response, 200, { run_id: run.id, runner_id: run.runnerId });
  }

  #runRoute(run: ScriptedRun, method: string, rest: string[], body: Buffer, response: ServerResponse): unknown {
    const route = `${method} ${rest.slice(0, rest[0] === "artifacts" ? 1 : 2).join("/")}`;
    switch (route) {
      case "POST ready":
        return reply(response, 204);
      case "POST accept":
        if (run.status !== "assigned") return reply(response, 409, { detail: "not assigned" });
        run.status = "running";
        this.#heed(run, body);
        return reply(response, 200, run.context);
      case "GET status":
        return reply(response, 200, { status: run.status });
      case "POST acknowledging-cancel":
        run.status = "cancelling";
        return reply(response, 204);
      case "POST logs/live": {
        const live = v.parse(LiveLogBody, JSON.parse(body.toString()));
        run.live = { chunkIndex: live.chunk_index, bytes: gunzipSync(Buffer.from(live.data, "base64")) };
        return reply(response, 204);
      }
      case "PUT logs/chunks":
        run.chunks.set(Number(rest[2]), body);
        return reply(response, 204);
      case "PUT artifacts":
        run.artifacts.set(rest[1] ?? "", body);
        return reply(response, 204);
      case "GET artifacts":
        return this.#sendArtifact(run, rest[1] ?? "", response);
      case "GET source":
        if (run.source === null) return reply(response, 404, {});
        return response.writeHead(200, { "content-type": "application/gzip" }).end(run.source);
      case "PUT outputs":
        run.outputs = v.parse(OutputsBody, JSON.parse(body.toString())).outputs;
        return reply(response, 204);
      case "POST inputs":
        run.asked = v.parse(InputsBody, JSON.parse(body.toString())).inputs;
        return reply(response, 200, run.inputs);
      case "POST done": {
        if (!DONE_FROM.includes(run.status)) return reply(response, 409, { code: "run_already_terminal" });
        run.done = v.parse(DoneSchema, JSON.parse(body.toString()));
        run.status = run.done.status;
        return reply(response, 204);
      }
      case "DELETE deregister":
        this.deregistered.add(run.runnerId);
        return reply(response, 204);
      default:
        return reply(response, 404, {});
    }
  }

  #heed(run: ScriptedRun, body: Buffer): void {
    const said = v.parse(AcceptBody, body.length === 0 ? {} : JSON.parse(body.toString()));
    run.protocol = said.protocol ?? 1;
    run.looksAtBranch = said.looks_at_branch === true;
  }

  /** An apply run's own artifact route serves plan and tree of its `plan_run_id`. */
  #sendArtifact(run: ScriptedRun, kind: string, response: ServerResponse): unknown {
    const artifact = this.runs.get(run.context.run.plan_run_id ?? "")?.artifacts.get(kind);
    if (artifact === undefined || !["plan", "tree"].includes(kind)) return reply(response, 404, {});
    return response.writeHead(200, { "content-type": "application/octet-stream" }).end(artifact);
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

function reply(response: ServerResponse, status: number, body?: unknown): unknown {
  if (response.headersSent) return response;
  const type = status >= 400 ? "application/problem+json" : "application/json";
  response.writeHead(status, body === undefined ? {} : { "content-type": type });
  return response.end(body === undefined ? undefined : JSON.stringify(body));
}
