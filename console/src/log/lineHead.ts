/** What the beginning of a line tells: a step of the runner, or an error of the engine. Pure. */

export type LineHead = { kind: "error" } | { kind: "step"; title: string };

const EQUALS = 0x3d;
/** Of a sequence, of a box, and of the words `Error`, `error` and `fatal`. */
const ERROR_STARTS = new Set([0x1b, 0xe2, 0x7c, 0x45, 0x65, 0x66]);

const decoder = new TextDecoder();
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what terminals are told by
const SEQUENCES = /\u001b\[[0-?]*[ -/]*[@-~]/g;
const BOX = /^[╷│╵|]\s?/;
const ERROR = /^(?:Error|fatal|error): /;
/** Programs that the runner starts and what it fetches; its other notes say something about them. */
const STEP =
  /^==> (?:Running (?:the )?)?((?:terraform [a-z-]+|tofu [a-z-]+|command \(|Cloning |Fetching |Waiting for ).*)/;

/** `bytes` is asked for only where the first byte leaves it open. */
export function headOf(first: number, bytes: () => Uint8Array): LineHead | null {
  if (first === EQUALS) {
    const title = STEP.exec(decoder.decode(bytes()))?.[1];
    return title === undefined ? null : { kind: "step", title: title.trimEnd() };
  }
  if (!ERROR_STARTS.has(first)) return null;
  const text = decoder.decode(bytes()).replace(SEQUENCES, "").replace(BOX, "");
  return ERROR.test(text) ? { kind: "error" } : null;
}
