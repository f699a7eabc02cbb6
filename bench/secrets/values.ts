/** Secrets as people have them, from a seed: every kind of text that engines escape or lay out. */

/** Numbers from 0 up to 1, the same ones for the same seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Random = ReturnType<typeof numbersFrom>;

export function one<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

const signs = (random: Random, alphabet: readonly string[], least: number, most: number) =>
  Array.from({ length: least + Math.floor(random() * (most - least)) }, () => one(random, alphabet)).join("");

const LETTERS = [..."abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"];
const DIGITS = [..."123456789"];
const word = (random: Random, length = 8) => signs(random, LETTERS, length, length + 4);
/** Letters with `between` strewn among them. */
const mixed = (random: Random, between: readonly string[]) =>
  Array.from({ length: 4 }, () => signs(random, LETTERS, 2, 5) + one(random, between)).join("") + word(random, 3);

/** What a shell may carry out, codes above 127 and the end of its output too. */
const SEQUENCES = ["\\c", "\\e", "\\t", "\\101", "\\0101", "\\351", "\\x41", "\\xe9", "\\u00e9", "\\v"];

export const KINDS: Record<string, (random: Random) => string> = {
  letters: (random) => word(random, 10),
  quotes: (random) => mixed(random, ['"', "'", "''", '""', "'\"", "`"]),
  backslashes: (random) => mixed(random, ["\\", "\\\\", "\\n", "\\u0041", '\\"', "\\x", ...SEQUENCES]),
  blanks: (random) => mixed(random, [" ", "  ", "\t", " \t "]),
  lines: (random) => mixed(random, ["\n", "\r\n", "\n\n", "\n  ", "\n- ", "\n+ "]),
  unicode: (random) => mixed(random, ["é", "ß", "漢字", "\u200b", "\u2028", "Ω"]),
  astral: (random) => mixed(random, ["😀", "𝒳", "🏳️‍🌈"]),
  digits: (random) => signs(random, DIGITS, 9, 20),
  decimals: (random) => `${signs(random, DIGITS, 5, 10)}.${signs(random, DIGITS, 5, 12)}`,
  small: (random) => `0.${"0".repeat(3 + Math.floor(random() * 6))}${signs(random, DIGITS, 6, 9)}`,
  json: (random) => JSON.stringify({ login: mixed(random, ['"', "<", "\\"]), list: [word(random), word(random)] }),
  pem: (random) =>
    `-----BEGIN KEY-----\n${Array.from({ length: 3 }, () => signs(random, LETTERS, 64, 65)).join("\n")}\n-----END KEY-----\n`,
  url: (random) => `https://${word(random)}:${word(random)}@host.example/${word(random)}?a=${word(random)}&b=%2F#x`,
  html: (random) => mixed(random, ["<", ">", "&", "&amp;", "</b>"]),
  control: (random) => mixed(random, ["\x01", "\x1b[31m", "\x07", "\b", "\x7f"]),
  templates: (random) => mixed(random, ["$" + "{", "%{", "$$" + "{", "%%{", "$", "%"]),
  long: (random) => signs(random, [...LETTERS, '"', "\\", "<", " "], 3_000, 6_000),
};
