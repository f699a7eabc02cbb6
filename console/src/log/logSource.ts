/**
 * The whole log of a deployment: each stage as bytes, then what is added as an event stream, from the very byte where
 * the bytes ended. What breaks off is taken up again there.
 */
import { createParser } from "eventsource-parser";

export type LogTarget = {
  /** Of the route of the deployment's log. */
  url: string;
  /** Stages that have a run, in order. */
  stages: readonly string[];
  /** Nothing more comes once the last of them is complete. */
  over: boolean;
};

export type LogEnd = { gaps: boolean };

export type LogSink = {
  stage(id: string): void;
  bytes(bytes: Uint8Array): void;
  /** `interrupted` is being mended; the others go on. */
  state(state: "reading" | "following" | "interrupted"): void;
};

/** The service refuses: it is gone, or may not be read any more. */
export class LogRefusedError extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the log answered ${status}`);
    this.status = status;
  }
}

export type LogPosition = { stage: number; inStage: number; total: number };

const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000];

/**
 * Reads on from `position`, which it moves. Ends when the log has, or when `signal` aborts.
 * @throws LogRefusedError
 */
export async function readLog(
  target: LogTarget,
  position: LogPosition,
  sink: LogSink,
  signal: AbortSignal,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<LogEnd | null> {
  let failures = 0;
  let reached = position.total;
  while (!signal.aborted) {
    try {
      return (await readBytes(target, position, sink, signal)) ?? (await follow(target, position, sink, signal));
    } catch (error) {
      if (signal.aborted) return null;
      if (error instanceof LogRefusedError) throw error;
      failures = position.total > reached ? 0 : failures + 1;
      reached = position.total;
      sink.state("interrupted");
      await pause(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] as number);
    }
  }
  return null;
}

async function readBytes(
  { url, stages, over }: LogTarget,
  position: LogPosition,
  sink: LogSink,
  signal: AbortSignal,
): Promise<LogEnd | null> {
  let end: LogEnd | null = over && stages.length === 0 ? { gaps: false } : null;
  while (position.stage < stages.length) {
    const stageId = stages[position.stage] as string;
    const query = new URLSearchParams({ stage: stageId, offset: String(position.inStage) });
    const answer = await opened(`${url}?${query}`, { signal });
    sink.stage(stageId);
    sink.state("reading");
    for await (const bytes of piecesOf(answer)) {
      sink.bytes(bytes);
      position.inStage += bytes.length;
      position.total += bytes.length;
    }
    const last = position.stage === stages.length - 1;
    const complete = answer.headers.get("x-log-complete") === "true";
    if (last) {
      if (over && complete) end = { gaps: answer.headers.get("x-log-gaps") === "true" };
      break;
    }
    position.stage++;
    position.inStage = 0;
  }
  return end;
}

async function follow(
  { url }: LogTarget,
  position: LogPosition,
  sink: LogSink,
  signal: AbortSignal,
): Promise<LogEnd | null> {
  const headers = { accept: "text/event-stream" };
  const answer = await opened(`${url}?offset=${position.total}`, { headers, signal });
  sink.state("following");
  let end: LogEnd | null = null;
  const parser = createParser({
    onEvent({ event, data, id }) {
      const read = JSON.parse(data) as { stage_id: string; text: string; base64?: string; gaps?: true };
      if (event === "end") end = { gaps: read.gaps === true };
      if (event !== "log") return;
      sink.stage(read.stage_id);
      sink.bytes(read.base64 === undefined ? encoder.encode(read.text) : bytesOf(read.base64));
      position.total = Number(id);
      // From here on only the event stream goes on.
      position.stage = Number.MAX_SAFE_INTEGER;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of piecesOf(answer)) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (end !== null) return end;
  }
  throw new Error("the stream was interrupted");
}

const encoder = new TextEncoder();

async function opened(url: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, { credentials: "same-origin", ...init });
  if (answer.ok && answer.body !== null) return answer;
  // Who has to sign in anew, or to wait, comes back.
  const passes = answer.status === 401 || answer.status === 429 || answer.status >= 500;
  if (!passes) throw new LogRefusedError(answer.status);
  throw new Error(`the log answered ${answer.status}`);
}

async function* piecesOf({ body }: Response): AsyncGenerator<Uint8Array, void> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
