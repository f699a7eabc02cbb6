/**
 * Globs (`*` any text, `?` one character) as people write them, and the LIKE patterns that are stored
 * (docs/rules/permissions.md#targets).
 */

/** The LIKE pattern of a glob, for `like ... escape '\'`. Every other character stands for itself. */
export function globToLike(glob: string): string {
  return glob.replace(/[\\%_*?]/g, (c) => (c === "*" ? "%" : c === "?" ? "_" : `\\${c}`));
}

/** The glob a stored pattern was compiled from. */
export function likeToGlob(pattern: string): string {
  return pattern.replace(/\\([\s\S])|([%_])/g, (_, literal?: string, wildcard?: string) =>
    literal !== undefined ? literal : wildcard === "%" ? "*" : "?",
  );
}
