/**
 * JSON in which a number keeps the digits that the engine wrote: whoever confirms has to see what is applied. A number
 * that JavaScript would round is kept as a text that only this page's run can have made.
 */

const MARK = `${crypto.randomUUID()}:`;
/** Where a number may stand that would be rounded or written otherwise; what it hits inside a text only costs time. */
const LONG_NUMBER = /(?:^|[:,[])\s*-?(?:\d[\d.]{15}|0\.0{6}|\d+(?:\.\d+)?[eE]|\d+\.\d*0\b|-0\b)/;
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** @throws SyntaxError */
export function parseExact(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const kept = text.replace(TEXT_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : JSON.stringify(MARK + token),
  );
  return JSON.parse(kept);
}

/** The digits of a number of either kind; null for what is none. */
export function digitsOf(value: unknown): string | null {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.startsWith(MARK) ? value.slice(MARK.length) : null;
}

/** JSON with the engine's digits, on one line or, with `indent`, a value a line. */
export function exactText(value: unknown, indent = 0, depth = 0): string {
  const digits = digitsOf(value);
  if (digits !== null) return digits;
  if (Array.isArray(value)) {
    return enclosed(
      "[",
      value.map((item) => exactText(item, indent, depth + 1)),
      "]",
      indent,
      depth,
    );
  }
  if (!isMap(value)) return JSON.stringify(value ?? null);
  const members = Object.entries(value).map(
    ([name, item]) => `${JSON.stringify(name)}: ${exactText(item, indent, depth + 1)}`,
  );
  return enclosed("{", members, "}", indent, depth);
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function enclosed(open: string, parts: readonly string[], close: string, indent: number, depth: number): string {
  if (parts.length === 0 || indent === 0) return `${open}${parts.join(", ")}${close}`;
  const inner = " ".repeat(indent * (depth + 1));
  return `${open}\n${parts.map((part) => inner + part).join(",\n")}\n${" ".repeat(indent * depth)}${close}`;
}
