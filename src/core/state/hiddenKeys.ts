/**
 * Keys of instances that hold a secret of the stack's contexts, as `for_each` over one makes them. Everything else that
 * shows an address comes from a run, which hides them; a state says nothing of what its keys were made from.
 */
import { isRecord } from "../../platform/json/isRecord.ts";

const MASK = "***";
/** As runs: what is shorter is no secret, and hiding it would shred every address. */
const MIN_BYTES = 3;

/** What shows a text without these secrets. */
export function keysHider(secrets: readonly string[]): (address: string) => string {
  const texts = secrets.flatMap(textsIn);
  const forms = [...new Set(texts.flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]))]
    .filter((form) => Buffer.byteLength(form) >= MIN_BYTES)
    .sort((a, b) => b.length - a.length);
  return (address) => forms.reduce((shown, form) => shown.replaceAll(form, MASK), address);
}

/** The value, and the texts of the list or the map that it is. */
function textsIn(value: string): string[] {
  return [value, value.trim(), ...leaves(parsed(value))];
}

function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(leaves);
  return isRecord(value) ? Object.values(value).flatMap(leaves) : [];
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}
