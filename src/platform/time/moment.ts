/** A time that a person sends: RFC 3339, and one that exists, so that Postgres takes it too. */
import * as v from "valibot";

/** Postgres takes offsets below 16 hours and keeps microseconds. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/;

export const Moment = v.pipe(
  v.string(),
  v.regex(RFC_3339, "must be an RFC 3339 time such as 2026-01-31T12:00:00Z; in an address a + is written %2B"),
  v.check(isOfTheCalendar, "is no time that exists"),
);

/** JavaScript takes 30 February for 2 March, and has a year 0; Postgres would refuse both as an error of ours. */
function isOfTheCalendar(text: string): boolean {
  // That has its own message.
  if (!RFC_3339.test(text)) return true;
  const day = text.slice(0, 10);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) && !day.startsWith("0000");
}
