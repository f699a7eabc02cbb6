/** Lines of a stream whose writer is not trusted: it may never end one. */
import type { Readable } from "node:stream";

/** In bytes. Far more than any message needs. */
export const LONGEST_LINE = 1 << 20;
const LINE_END = 0x0a;

/** Whoever pauses the stream, as a rule because of a line that is too long, gets no line more. */
export function eachLine(input: Readable, onLine: (line: string) => void, onTooLong: () => void): void {
  let begun: Buffer[] = [];
  let length = 0;
  const take = (): string => {
    const line = Buffer.concat(begun, length).toString();
    begun = [];
    length = 0;
    return line;
  };
  input.on("data", (bytes: Buffer) => {
    for (let from = 0; from < bytes.length && !input.isPaused(); ) {
      const end = bytes.indexOf(LINE_END, from);
      const part = bytes.subarray(from, end === -1 ? bytes.length : end);
      from += part.length + 1;
      begun.push(part);
      length += part.length;
      if (length > LONGEST_LINE) {
        take();
        onTooLong();
      } else if (end !== -1) onLine(take());
    }
  });
  input.once("end", () => {
    if (length > 0) onLine(take());
  });
}
