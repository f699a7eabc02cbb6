import { MIN_SENSITIVE_LENGTH } from "./sensitiveValues.ts";

/** What a quoted text of an engine does not show as it is: quotes, and what Unicode does not count as printable. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const NAMED: Record<string, string> = {
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/**
 * The forms in which an engine writes these texts, longest first: as they are, escaped inside a quoted string or JSON,
 * and line by line, since a text of several lines is shown as an indented heredoc.
 */
export function formsOf(texts: ReadonlySet<string>): Buffer[] {
  const forms = new Set<string>();
  for (const text of texts) {
    for (const part of withItsLines(text)) {
      if (part.length < MIN_SENSITIVE_LENGTH) continue;
      for (const form of [part, JSON.stringify(part).slice(1, -1), quoted(part)]) forms.add(form);
    }
  }
  return [...forms].sort((a, b) => b.length - a.length).map((form) => Buffer.from(form, "utf8"));
}

/** The text, and each of its lines as they stand in a heredoc, whatever it is indented by. */
export function withItsLines(text: string): string[] {
  return [text, ...text.split(/\r?\n/).map((line) => line.trim())];
}

/** As Go's `strconv.Quote` writes it, without the quotes. */
export function quoted(text: string): string {
  return text.replace(ESCAPED, (sign) => NAMED[sign] ?? escaped(sign.codePointAt(0) ?? 0));
}

function escaped(point: number): string {
  const digits = point.toString(16);
  if (point < 0x80) return `\\x${digits.padStart(2, "0")}`;
  return point > 0xffff ? `\\U${digits.padStart(8, "0")}` : `\\u${digits.padStart(4, "0")}`;
}
