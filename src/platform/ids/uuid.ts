/**
 * Whether a path segment can be the id of a row. Checked before any query, since Postgres answers other text with an
 * error.
 */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
