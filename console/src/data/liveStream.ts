/** One connection to what changes in an organization, opened again with growing pauses until it is ended. */
import { EventSourceParserStream } from "eventsource-parser/stream";
import { BASE_URL } from "./base.ts";
import type { Hint } from "./hints.ts";

export type LiveState = "connecting" | "live" | "away";
export type LiveListener = { state(state: LiveState): void; hint(hint: Hint | null): void };

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Resolves when `signal` ends it. */
export async function followLive(org: string, { state, hint }: LiveListener, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    state(failures === 0 ? "connecting" : "away");
    try {
      for await (const event of await open(org, signal)) {
        if (event === "opened") {
          failures = 0;
          state("live");
          // A stream has no memory: what happened before it opened is only found by reading.
          hint(null);
        } else hint(event);
      }
    } catch {
      failures++;
    }
    if (!signal.aborted) await pause(failures, signal);
  }
}

async function open(org: string, signal: AbortSignal): Promise<AsyncGenerator<"opened" | Hint>> {
  const answer = await fetch(`${BASE_URL}/api/v1/orgs/${encodeURIComponent(org)}/live`, {
    headers: { accept: "text/event-stream" },
    signal,
  });
  if (!answer.ok || answer.body === null) {
    await answer.body?.cancel();
    throw new Error(`the stream was refused with ${answer.status}`);
  }
  return read(answer.body);
}

async function* read(body: ReadableStream<Uint8Array>): AsyncGenerator<"opened" | Hint> {
  const events = body
    .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value.event === "open") yield "opened";
      if (next.value.event === "hint") yield JSON.parse(next.value.data) as Hint;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Half of it by chance, so that the pages of everybody do not come back in the same moment. */
function pause(failures: number, signal: AbortSignal): Promise<void> {
  const longest = failures === 0 ? FIRST_PAUSE_MS : Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      removeEventListener("online", end);
      resolve();
    };
    const timer = setTimeout(end, longest / 2 + (Math.random() * longest) / 2);
    addEventListener("online", end);
    signal.addEventListener("abort", end, { once: true });
  });
}
