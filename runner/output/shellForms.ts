/**
 * What shells make of a value with backslash sequences in it: `echo` of a plain shell, `echo -e`, `%b` and the format
 * of `printf`. They differ in what they carry out, so a value has up to as many results as there are ways.
 */
interface Dialect {
  octal: string;
  /** Codes in hex digits. */
  hex: boolean;
  /** What may follow a backslash as itself or by a name. */
  signs: string;
  /** Whether `\c` ends the output. */
  cuts: boolean;
}

const PLAIN = String.raw`abefnrtv\\`;
const BASH = `${PLAIN}E`;
const DIALECTS: readonly Dialect[] = [
  { octal: "0[0-7]{0,3}|[1-7][0-7]{0,2}", hex: false, signs: PLAIN, cuts: true },
  { octal: "0[0-7]{0,3}|[1-7][0-7]{0,2}", hex: true, signs: BASH, cuts: true },
  { octal: "0[0-7]{0,3}", hex: true, signs: BASH, cuts: true },
  { octal: "[0-7]{1,3}", hex: false, signs: PLAIN, cuts: false },
  { octal: "[0-7]{1,3}", hex: true, signs: `${BASH}"'?`, cuts: false },
];

const NAMED: Record<string, string> = {
  ...{ a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v", "\\": "\\" },
};

/** Every result that is not the value itself, as bytes: a code above 127 is one byte, and no sign. */
export function carriedOut(value: string): Buffer[] {
  if (!value.includes("\\")) return [];
  const bytes = Buffer.from(value, "utf8").toString("latin1");
  const results = new Set(DIALECTS.map((dialect) => carriedOutBy(dialect, bytes)));
  results.delete(bytes);
  return [...results].map((result) => Buffer.from(result, "latin1"));
}

function carriedOutBy({ octal, hex, signs, cuts }: Dialect, bytes: string): string {
  const codes = hex ? "|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})" : "|(?!)()()()";
  const sequence = new RegExp(`\\\\(?:(${octal})${codes}|([${signs}]))`, "g");
  const shown = cuts ? (/^(?:\\[^c]|[^\\])*/s.exec(bytes)?.[0] ?? "") : bytes;
  return shown.replace(sequence, (_, digits?: string, byte?: string, short?: string, long?: string, name?: string) => {
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 8) & 0xff);
    if (byte !== undefined) return String.fromCharCode(Number.parseInt(byte, 16));
    const point = short ?? long;
    if (point === undefined) return NAMED[name ?? ""] ?? name ?? "";
    return Buffer.from(String.fromCodePoint(Math.min(Number.parseInt(point, 16), 0x10ffff))).toString("latin1");
  });
}
