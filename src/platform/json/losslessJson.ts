/** JSON in which a number keeps the digits it was written with. */

/** A number that JavaScript would round; `JSON.stringify` writes its digits as they were. */
export interface ExactNumber {
  readonly rawJSON: string;
}

declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
  }
}

/** Where a number may stand that JavaScript reads or writes otherwise; what it hits inside a text only costs time. */
const LONG_NUMBER = /[:,[]\s*-?(?:\d[\d.]{15}|0\.0{6}|\d+(?:\.\d+)?[eE])|^\s*-?\d/;

type Reviver = (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown;

/** As `JSON.parse`, but a number that would change its digits is an `ExactNumber`. @throws SyntaxError */
export function parseLossless(text: string): unknown {
  // Asking for each number's source takes several times as long, and most documents have no such number.
  return LONG_NUMBER.test(text) ? JSON.parse(text, exact as never) : JSON.parse(text);
}

const exact: Reviver = (_key, value, { source }) =>
  typeof value === "number" && source !== undefined && String(value) !== source ? JSON.rawJSON(source) : value;

/** The digits of a number, of either kind; null for everything else. */
export function digitsOf(value: unknown): string | null {
  if (JSON.isRawJSON(value)) return value.rawJSON;
  return typeof value === "number" ? String(value) : null;
}
