/**
 * The log of a stage as it comes, to its end: a connection that is lost is opened again, and goes on exactly there.
 */
import { setTimeout as pause } from "node:timers/promises";
import { errorOf } from "../../clients/api/problem.ts";
import { Failure } from "../exit/failure.ts";
import { events } from "../service/eventStream.ts";
import type { Service } from "../service/session.ts";
import { causeOf, isHopeless } from "../service/unreachable.ts";

export type LogEvent = { kind: "text"; text: string } | { kind: "end"; status: string; gaps: boolean };

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

export type Following = {
  signal: AbortSignal;
  /** Told when the connection is lost, and with null when it is back. */
  onTrouble: (why: string | null) => void;
};

/** @param path of the log, with its stage. @throws ApiError when it may not be read */
export async function* followLog(
  { send }: Pick<Service, "send">,
  path: string,
  { signal, onTrouble }: Following,
): AsyncGenerator<LogEvent, void> {
  let last: string | undefined;
  for (let lost = 0; ; ) {
    try {
      const headers = { accept: "text/event-stream", ...(last !== undefined && { "last-event-id": last }) };
      const response = await send(path, { headers, signal });
      if (response.status === 204) return;
      if (response.status >= 500 || response.status === 429) throw new Error(`the service answers ${response.status}`);
      if (!response.ok) throw await errorOf(response);
      onTrouble(null);
      for await (const { id, event, data } of events(response)) {
        lost = 0;
        last = id ?? last;
        const piece = pieceOf(event, data);
        if (piece !== null) yield piece;
        if (piece?.kind === "end") return;
      }
      // Ended without its end: after 15 minutes, or by a proxy.
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      onTrouble(`The log's connection is lost (${causeOf(error).message}); it is opened again, and goes on there.`);
    }
    lost += 1;
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** Math.min(lost - 1, 10), LONGEST_PAUSE_MS), undefined, { signal });
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof Failure || (error instanceof Error && error.name === "ApiError") || isHopeless(error);
}

type LogData = { text?: string; base64?: string; status?: string; gaps?: boolean };

function pieceOf(event: string | undefined, data: string): LogEvent | null {
  const { text, base64, status, gaps = false } = JSON.parse(data) as LogData;
  if (event === "end") return { kind: "end", status: status ?? "", gaps };
  if (event !== "log") return null;
  return { kind: "text", text: base64 === undefined ? (text ?? "") : Buffer.from(base64, "base64").toString("utf8") };
}
