/** An uploaded archive: where it lives, and what may be done with one (docs/rules/deployments.md#local-plans). */
import type { Place } from "../../platform/crypto/envelope.ts";

/** Largest archive in bytes as uploaded. */
export const MAX_SOURCE_BYTES = 67_108_864;
/** How long an upload waits for a deployment that names it, as Postgres reads it. */
export const UNUSED_FOR = "1 day";

export function sourceKey(id: string): string {
  return `local-sources/${id}`;
}

export function sourcePlace(id: string): Place {
  return { table: "local_sources", column: "object_key", rowId: id };
}
