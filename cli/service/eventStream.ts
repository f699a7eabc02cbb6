/** Server-sent events, one by one. */
import { EventSourceParserStream } from "eventsource-parser/stream";

export type StreamEvent = { id: string | undefined; event: string | undefined; data: string };

/** Ends where the connection does; what is wrong with it is thrown. */
export async function* events(response: Response): AsyncGenerator<StreamEvent, void> {
  if (response.body === null) return;
  const parsed = response.body
    .pipeThrough(new TextDecoderStream() as unknown as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream());
  for await (const { id, event, data } of parsed) yield { id, event, data };
}
