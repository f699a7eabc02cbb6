const PG_TIMESTAMPTZ = /^(\d{4,6}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)(?:\+00(?::?00)?|Z)$/;

/**
 * RFC 3339 in UTC (docs/rules/api.md#times-and-ids) of a `timestamptz` as Postgres writes it in a UTC session, every
 * microsecond kept: `2026-11-28 00:43:37.123456+00` becomes `2026-11-28T00:43:37.123456Z`. Null stays null.
 * @throws TypeError on any other text: a session in another time zone is a fault of ours, not data.
 */
export function rfc3339(timestamptz: string): string;
export function rfc3339(timestamptz: string | null): string | null;
export function rfc3339(timestamptz: string | null): string | null {
  if (timestamptz === null) return null;
  const match = PG_TIMESTAMPTZ.exec(timestamptz);
  if (match === null) throw new TypeError("expected a Postgres timestamptz in UTC");
  return `${match[1]}T${match[2]}Z`;
}
