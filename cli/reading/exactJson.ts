/**
 * JSON that keeps every digit: what people confirm has to be what is applied, and no number of JavaScript's holds
 * 9223372036854773263.
 */
type RawJson = { rawJSON: string };
const Raw = JSON as unknown as { rawJSON(text: string): RawJson; isRawJSON(value: unknown): value is RawJson };

export function parseExact(text: string): unknown {
  const keep = (_key: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    return typeof value === "number" && source !== undefined && String(value) !== source ? Raw.rawJSON(source) : value;
  };
  return JSON.parse(text, keep as Parameters<typeof JSON.parse>[1]);
}

export function isRaw(value: unknown): boolean {
  return Raw.isRawJSON(value);
}
