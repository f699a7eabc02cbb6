/** Exact arithmetic on Postgres timestamps, which carry microseconds that `Date` would lose. */

/**
 * Microseconds since 1970 of a timestamptz in Postgres' or RFC 3339 text, in UTC: `2026-11-28T00:43:37.123456+00:00`.
 * @throws on any other text.
 */
export function micros(text: string): number {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:\+00(?::00)?|Z)$/.exec(text);
  if (!match) throw new TypeError("not a UTC timestamp");
  const [, date, time, fraction = ""] = match;
  return Date.parse(`${date}T${time}Z`) * 1000 + Number(fraction.padEnd(6, "0"));
}
