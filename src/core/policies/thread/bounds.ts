/**
 * How much text a policy may have made outside of its own memory. A thread that asks for one thing larger than its heap
 * has room for ends the whole process, and not only itself as one does that takes ever more. Pure.
 */

type Builtin = (...values: never[]) => unknown;
export type Builtins = Record<string, Builtin>;

/** What a policy answers, and what it gives to a builtin or gets from one. */
export const MOST_TEXT = 8 * 1_048_576;
/** An indentation makes much of little. */
const MOST_MARSHALLED = 65_536;

/** @throws RangeError */
export function assertWithin(size: number, most = MOST_TEXT): void {
  if (!(size <= most)) throw new RangeError("A policy asks for more text than it may have.");
}

/** The builtins that can make more than they are given. */
export function bounded(builtins: Builtins): Builtins {
  const { sprintf, "yaml.marshal": marshal } = builtins;
  if (sprintf === undefined || marshal === undefined) throw new Error("a builtin is not there");
  return {
    sprintf(format: string, values: unknown[]) {
      assertWithin(sizeOfFormatted(format, values));
      return sprintf(format as never, values as never);
    },
    "yaml.marshal"(value: unknown) {
      assertWithin(sizeOf(value), MOST_MARSHALLED);
      return marshal(value as never);
    },
  };
}

/** At most: each place may have the widest padding and the longest value; an indented one has no such bound. */
function sizeOfFormatted(format: string, values: unknown[]): number {
  if (typeof format !== "string" || !Array.isArray(values)) return 0;
  if (/%[^%A-Za-z]*\dj/.test(format)) return Number.POSITIVE_INFINITY;
  const places = format.split("%").length - 1;
  const widest = (format.match(/\d+/g) ?? []).reduce((most, digits) => Math.max(most, Number(digits)), 0);
  const longest = values.reduce<number>((most, value) => Math.max(most, sizeOf(value)), 0);
  return format.length + places * (widest + longest);
}

const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0;
