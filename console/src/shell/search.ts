/** Searches of addresses as plain text, so that they can be read and written by hand: `?status=failed,waiting`. */

export type RawSearch = Record<string, string>;

export function parseSearch(text: string): RawSearch {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  // Commas and colons need no escape here, and read better without.
  return text === "" ? "" : `?${text.replaceAll("%2C", ",").replaceAll("%3A", ":")}`;
}

type TextSearch<N extends string> = { [K in N]?: string | undefined };

/** Reads these names and drops all others. */
export function textSearch<const N extends string>(...names: readonly N[]): (raw: RawSearch) => TextSearch<N> {
  return (raw) => {
    const kept = names.filter((name) => typeof raw[name] === "string" && raw[name] !== "");
    return Object.fromEntries(kept.map((name) => [name, raw[name]])) as TextSearch<N>;
  };
}

/** Several values as one text, and back. */
export function several<T extends string>(text: string | undefined, allowed: readonly T[]): T[] {
  return (text ?? "").split(",").filter((value): value is T => (allowed as readonly string[]).includes(value));
}
