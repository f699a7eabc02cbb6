/** What an update changed, for its audit entry. */

/**
 * `{before, after}` of the named fields whose value is another one, or null when none is. Only for settings that
 * whoever may read the audit trail may read too.
 */
export function changedFields<T extends object>(
  before: T,
  after: T,
  fields: readonly string[],
): { before: Partial<T>; after: Partial<T> } | null {
  const differing = fields.filter(
    (field) => JSON.stringify(before[field as keyof T]) !== JSON.stringify(after[field as keyof T]),
  );
  if (differing.length === 0) return null;
  const picked = (row: T) =>
    Object.fromEntries(differing.map((field) => [field, row[field as keyof T]])) as unknown as Partial<T>;
  return { before: picked(before), after: picked(after) };
}
