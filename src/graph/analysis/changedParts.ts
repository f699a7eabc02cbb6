/** What an apply changed, asked for the parts of it that an edge may name. Pure. */

/** Addresses of resources and names of outputs that the plan changes; null where that is unknown. */
export type Changes = { resources: readonly string[]; outputs: readonly string[] } | null;

export type ChangedParts = {
  /** Whether anything changed at all, as far as is known. */
  anything: boolean;
  /**
   * Whether the part an edge names changed: an address, `output.<name>`, or null for the whole stack. Unknown counts as
   * changed.
   */
  includes(part: string | null): boolean;
};

const OUTPUT = "output.";

/**
 * An address names an instance, a resource with all its instances, or a module with all that is in it. So each changed
 * address is put into a set with every address it is part of, and a question is one look into it, however many changed.
 * @param outputs those whose value is another one since the apply before, where that is known: an apply that goes on
 *   where one has failed plans no change of what that one has changed
 */
export function changedParts(changes: Changes, outputs: readonly string[] | null = null): ChangedParts {
  if (changes === null)
    return { anything: true, includes: (part) => outputs === null || mayHaveChanged(part, outputs) };
  const parts = new Set<string>();
  for (const name of outputs ?? changes.outputs) parts.add(OUTPUT + name);
  for (const address of changes.resources) {
    parts.add(address);
    for (const end of boundaries(address)) parts.add(address.slice(0, end));
  }
  const anything = parts.size > 0;
  return { anything, includes: (part) => (part === null ? anything : parts.has(part)) };
}

/** Where a shorter address may end: before a dot or an index, outside of the quotes of an index. */
function boundaries(address: string): number[] {
  const found: number[] = [];
  let quoted = false;
  for (let i = 0; i < address.length; i++) {
    const c = address[i];
    if (c === "\\" && quoted) i++;
    else if (c === '"') quoted = !quoted;
    else if (!quoted && (c === "." || c === "[")) found.push(i);
  }
  return found;
}

function mayHaveChanged(part: string | null, outputs: readonly string[]): boolean {
  return part === null || !part.startsWith(OUTPUT) || outputs.includes(part.slice(OUTPUT.length));
}
