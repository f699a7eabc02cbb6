/** A time that a person sends: RFC 3339, and one that exists, so that Postgres takes it too. */
import * as v from "valibot";
import { isOfTheCalendar } from "./time.ts";

/** Postgres takes offsets below 16 hours and keeps microseconds. */
const RFC_3339 = /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/;

const FIRST = Date.parse("0001-01-01T00:00:00Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Also in UTC, as times are answered: with its offset one may come before the first year or after the last. */
function exists(text: string): boolean {
  const at = Date.parse(text);
  return isOfTheCalendar(text.slice(0, 10)) && at >= FIRST && at <= LAST;
}

export const Instant = v.pipe(
  v.string(),
  v.regex(RFC_3339, "must be an RFC 3339 time such as 2026-01-31T12:00:00Z; in an address a + is written %2B"),
  v.metadata({ format: "date-time", pattern: undefined }),
  // What is no RFC 3339 has its own message.
  v.check((text) => !RFC_3339.test(text) || exists(text), "is no time that exists"),
);
