/** Instants in UTC as text. They carry microseconds, which `Date` would lose. */

/** As Postgres writes a `timestamptz` in a UTC session, and as RFC 3339 does. */
const UTC = /^(?<day>\d{4,6}-\d\d-\d\d)[ T](?<clock>\d\d:\d\d:\d\d)(?:\.(?<fraction>\d{1,6}))?(?:\+00(?::?00)?|Z)$/;

type Instant = { day: string; clock: string; fraction: string };

function parse(text: string): Instant | null {
  const { day = "", clock = "", fraction = "" } = UTC.exec(text)?.groups ?? {};
  return day === "" ? null : { day, clock, fraction };
}

/** @throws TypeError on any other text: a session in another time zone is a fault of ours, not data. */
function instantOf(text: string): Instant {
  const instant = parse(text);
  if (instant === null) throw new TypeError("expected a Postgres timestamptz in UTC");
  return instant;
}

/**
 * RFC 3339 in UTC (docs/rules/api.md#times-and-ids) of a `timestamptz`, every microsecond kept:
 * `2026-11-28 00:43:37.123456+00` becomes `2026-11-28T00:43:37.123456Z`. Null stays null.
 * @throws TypeError
 */
export function rfc3339(timestamptz: string): string;
export function rfc3339(timestamptz: string | null): string | null;
export function rfc3339(timestamptz: string | null): string | null {
  if (timestamptz === null) return null;
  const { day, clock, fraction } = instantOf(timestamptz);
  return `${day}T${clock}${fraction && `.${fraction}`}Z`;
}

/** Microseconds since 1970, for exact comparisons. @throws TypeError */
export function micros(timestamptz: string): number {
  const { day, clock, fraction } = instantOf(timestamptz);
  const ms = Date.parse(`${day}T${clock}Z`);
  if (Number.isNaN(ms)) throw new TypeError("expected a year of four digits");
  return ms * 1_000 + Number(fraction.padEnd(6, "0"));
}

/** Whether Postgres would take the text, which may have been sent by anybody. */
export function isInstant(text: string): boolean {
  const instant = parse(text);
  return instant !== null && isOfTheCalendar(instant.day, instant.clock);
}

/** JavaScript takes 30 February for 2 March, and has a year 0; Postgres would refuse both as an error of ours. */
export function isOfTheCalendar(day: string, clock = "00:00:00"): boolean {
  const text = `${day}T${clock}`;
  const time = new Date(`${text}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text) && !day.startsWith("0000");
}
