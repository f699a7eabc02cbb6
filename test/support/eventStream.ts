/** A client of an event stream (text/event-stream), event by event. */

export type StreamEvent = { id: string; event: string; data: Record<string, unknown> };

export type EventStream = {
  status: number;
  headers: Headers;
  /** The next event, or null at the end of the stream. Rejects when the connection breaks. */
  next(): Promise<StreamEvent | null>;
  /** Comments seen so far, which keep connections alive. */
  comments: string[];
  /** Leave. */
  close(): void;
};

export async function openEventStream(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const leaving = new AbortController();
  const answer = await fetch(url, { headers: { accept: "text/event-stream", ...headers }, signal: leaving.signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const comments: string[] = [];
  let text = "";
  const next = async (): Promise<StreamEvent | null> => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end !== -1) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = parse(block, comments);
        if (event !== null) return event;
        continue;
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return null;
      text += value;
    }
  };
  return { status: answer.status, headers: answer.headers, next, comments, close: () => leaving.abort() };
}

function parse(block: string, comments: string[]): StreamEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    if (line.startsWith(":")) comments.push(line.slice(1).trim());
    else fields.set(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2));
  }
  const data = fields.get("data");
  if (data === undefined) return null;
  return { id: fields.get("id") ?? "", event: fields.get("event") ?? "message", data: JSON.parse(data) };
}

/** The exact bytes of a `log` event. */
export function bytesOf({ data }: StreamEvent): Buffer {
  return typeof data.base64 === "string" ? Buffer.from(data.base64, "base64") : Buffer.from(String(data.text));
}

/** Every event until the stream ends. */
export async function readAll(stream: EventStream): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (let event = await stream.next(); event !== null; event = await stream.next()) events.push(event);
  return events;
}
