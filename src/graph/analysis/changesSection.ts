/**
 * The section `changes` of an analysis: what a plan changes. A runner wrote it, so with anything wrong in it all is
 * unknown. Pure.
 */

import { isRecord } from "../../platform/json/isRecord.ts";
import type { Changes } from "./changedParts.ts";

/** Of the list of resources, and of that of outputs; more count as unknown. */
const MAX_ITEMS = 500_000;
const MAX_ADDRESS_CHARACTERS = 1_024;
/** What stands in a text where a secret was. */
const MASK = "***";

/** @throws SyntaxError for text that is no JSON */
export function parseChanges(text: string): Changes {
  const file: unknown = JSON.parse(text);
  const changes = isRecord(file) && file.version === 1 ? file.changes : null;
  if (!isRecord(changes)) return null;
  const { resources, outputs } = changes;
  if (!isNames(resources) || !isNames(outputs)) return null;
  // An older runner masked them: which part changed is unknown.
  return [...resources, ...outputs].some((name) => name.includes(MASK)) ? null : { resources, outputs };
}

function isNames(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= MAX_ITEMS &&
    value.every((name) => typeof name === "string" && name.length <= MAX_ADDRESS_CHARACTERS)
  );
}
