/** Where a log may be cut so that each piece can be shown by itself. */

/** Longest beginning of a terminal sequence worth waiting for; those of the engines are a few bytes long. */
const LONGEST = 512;
const ESC = 0x1b;

/**
 * How many of `bytes` form whole characters and whole terminal (ANSI) sequences: what is left may become whole by more
 * bytes. Never leaves more than 512 bytes, so text that merely looks like the beginning of a sequence is not held for
 * ever.
 */
export function wholeLength(bytes: Uint8Array): number {
  return openSequence(bytes) ?? bytes.length - openCharacter(bytes);
}

/** Bytes at the end that begin a UTF-8 character and do not finish it. */
function openCharacter(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte >= 0xc0) return characterLength(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

function characterLength(lead: number): number {
  if (lead >= 0xf8) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

type State = "text" | "escape" | "intermediate" | "control" | "string" | "stringEscape";

/** Where the sequence begins that the end of `bytes` leaves open, or null. */
function openSequence(bytes: Uint8Array): number | null {
  let state: State = "text";
  let start = 0;
  for (let at = Math.max(0, bytes.length - LONGEST); at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === ESC && state !== "string") {
      state = "escape";
      start = at;
    } else {
      if (state === "stringEscape" && byte !== 0x5c) start = at - 1;
      state = next(state, byte);
    }
  }
  return state === "text" ? null : start;
}

function next(state: State, byte: number): State {
  switch (state) {
    case "text":
      return "text";
    case "intermediate":
      return byte >= 0x20 && byte <= 0x2f ? "intermediate" : "text";
    case "control":
      // Parameters until one final byte.
      return byte >= 0x20 && byte <= 0x3f ? "control" : "text";
    case "string":
      // A title or link, until BEL or ESC \. Who never ends it must not hold the lines after it back.
      if (byte === ESC) return "stringEscape";
      return byte === 0x07 || byte === 0x0a ? "text" : "string";
    default:
      if (state === "stringEscape" && byte === 0x5c) return "text";
      if (byte === 0x5b) return "control";
      if (byte === 0x5d || byte === 0x50 || byte === 0x5e || byte === 0x5f) return "string";
      return byte >= 0x20 && byte <= 0x2f ? "intermediate" : "text";
  }
}
