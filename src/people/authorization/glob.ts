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

/** Whether a stored pattern matches a text, as `like ... escape '\'` does. Steps at most their lengths multiplied. */
export function likeMatches(pattern: string, text: string): boolean {
  const parts = [...pattern.matchAll(/\\([\s\S])|[\s\S]/gu)].map(([whole, literal]) =>
    literal !== undefined ? { is: literal } : whole === "%" ? "many" : whole === "_" ? "one" : { is: whole },
  );
  const letters = [...text];
  let [part, letter] = [0, 0];
  // Where to go on when what follows the last `%` fits no further: it then takes one letter more.
  let [resume, taken] = [-1, 0];
  while (letter < letters.length) {
    const expected = parts[part];
    if (expected === "many") {
      [resume, taken] = [++part, letter];
    } else if (expected === "one" || (expected !== undefined && expected.is === letters[letter])) {
      part++;
      letter++;
    } else if (resume >= 0) {
      [part, letter] = [resume, ++taken];
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === "many");
}
