import { parse } from "tinyduration";
import * as v from "valibot";

const MS = { weeks: 604_800_000, days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const;

/** The parser looks at a prefix only, so that "PT1H " and "PT1Hxyz" would pass; this holds the text to its very end. */
const SHAPE = /^P(?:\d+(?:[.,]\d+)?[WD])*(?:T(?:\d+(?:[.,]\d+)?[HMS])+)?$/;

/** Ten years: beyond any policy a person could mean, and far inside what a Postgres interval and a double hold. */
const MAX_DURATION_MS = 3_650 * MS.days;

/**
 * Milliseconds of an ISO 8601 duration such as `PT30M` or `P2DT12H`, or null when the text is not one. Years and months
 * are refused because their length depends on the calendar; so are negative ones and ones over ten years.
 */
export function durationToMs(text: string): number | null {
  if (!SHAPE.test(text)) return null;
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(text);
  } catch {
    return null;
  }
  let ms = 0;
  for (const [unit, length] of Object.entries(MS)) ms += (parsed[unit as keyof typeof MS] ?? 0) * length;
  return Number.isFinite(ms) && ms <= MAX_DURATION_MS ? Math.round(ms) : null;
}

/** The shortest usual ISO 8601 form of a duration in milliseconds: `P2D`, `PT1H30M`, `PT0.5S`; zero is `PT0S`. */
export function msToDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) throw new RangeError("a duration is a finite number of milliseconds >= 0");
  let rest = Math.round(ms);
  const take = (length: number): number => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count;
  };
  const part = (count: number, letter: string): string => (count > 0 ? `${count}${letter}` : "");
  const days = part(take(MS.days), "D");
  const time = part(take(MS.hours), "H") + part(take(MS.minutes), "M") + part(rest / MS.seconds, "S");
  return days + time === "" ? "PT0S" : `P${days}${time === "" ? "" : `T${time}`}`;
}

/** Schema of an API field that holds a duration: ISO 8601 text in, milliseconds out, at least one second. */
export const DurationField = v.pipe(
  v.string(),
  v.maxLength(64),
  v.metadata({
    format: "duration",
    pattern: "^P(?=[0-9T])(?:[0-9]+W)?(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?)?$",
  }),
  v.check(
    (text) => (durationToMs(text) ?? 0) >= MS.seconds,
    `expected an ISO 8601 duration without years and months, from PT1S to ${msToDuration(MAX_DURATION_MS)}, e.g. PT30M`,
  ),
  v.transform((text) => durationToMs(text) ?? 0),
);
