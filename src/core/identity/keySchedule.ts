/**
 * When a key signs and when it is published (docs/rules/identity.md#keys-overlap). A verifier that has read the keys
 * once may keep them for a day: a key is published that long before it signs, and that long after. Pure.
 */

/** Longer than any verifier keeps the keys that it has read, and than any token lasts. */
export const OVERLAP_MS = 86_400_000;

export type KeyTime = { id: string; signsFromMs: number };

/** The key that signs now; null where none does. */
export function signerOf<K extends KeyTime>(keys: readonly K[], nowMs: number): K | null {
  return newestFirst(keys).find(({ signsFromMs }) => signsFromMs <= nowMs) ?? null;
}

/** Keys that nobody needs any more: another has signed in their place for so long. */
export function outlived<K extends KeyTime>(keys: readonly K[], nowMs: number): K[] {
  return newestFirst(keys).filter((_, i, all) => i > 0 && (all[i - 1] as K).signsFromMs + OVERLAP_MS <= nowMs);
}

/** From when a new key is to sign, or null while none is due. The first of all signs at once. */
export function nextKeyFrom(keys: readonly KeyTime[], nowMs: number, everyMs: number): number | null {
  const [newest] = newestFirst(keys);
  if (newest === undefined) return nowMs;
  if (newest.signsFromMs + everyMs - OVERLAP_MS > nowMs) return null;
  return Math.max(newest.signsFromMs + everyMs, nowMs + OVERLAP_MS);
}

function newestFirst<K extends KeyTime>(keys: readonly K[]): K[] {
  return [...keys].sort((a, b) => b.signsFromMs - a.signsFromMs || (a.id < b.id ? 1 : -1));
}
