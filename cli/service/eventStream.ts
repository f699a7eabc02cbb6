/** Server-sent events, one by one. */
import { EventSourceParserStream } from "eventsource-parser/stream";

export type StreamEvent = { id: string | undefined; event: string | undefined; data: string };

/** The service says something every 15 s, if only that it is there. */
const SILENCE_MS = 45_000;

/** Ends where the connection does; what is wrong with it is thrown, its silence too. */
export async function* events(response: Response, silenceMs = SILENCE_MS): AsyncGenerator<StreamEvent, void> {
  if (response.body === null) return;
  const parsed = response.body
    .pipeThrough(interruptedBySilence(silenceMs))
    .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream());
  for await (const { id, event, data } of parsed) yield { id, event, data };
}

/** A network that lost its way closes no connection. */
function interruptedBySilence(ms: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let timer: NodeJS.Timeout;
  return new TransformStream({
    start(controller) {
      timer = setTimeout(() => controller.error(new Error("nothing comes any more")), ms).unref();
    },
    transform(bytes, controller) {
      timer.refresh();
      controller.enqueue(bytes);
    },
    flush: () => clearTimeout(timer),
  });
}
