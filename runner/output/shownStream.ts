import type { Escapes } from "../config/escapes.ts";
import { StreamMasker } from "./masking.ts";
import { PlainOutput } from "./plainOutput.ts";
import type { Sink } from "./sink.ts";

/**
 * A stream on its way to people: secrets are hidden, also around a terminal's sequences, and those are taken out. What
 * is added to `forms` later is hidden from then on.
 */
export function shownStream(
  forms: readonly Buffer[],
  escapes: Escapes,
  write: (bytes: Buffer) => void,
  further: readonly Buffer[] = [],
): Sink {
  const masker = new StreamMasker(forms, undefined, further);
  if (escapes === "raw") return { write: (bytes) => write(masker.push(bytes)), end: () => write(masker.end()) };
  const plain = new PlainOutput();
  return {
    write: (bytes) => write(plain.push(masker.push(bytes))),
    end: () => write(Buffer.concat([plain.push(masker.end()), plain.end()])),
  };
}
