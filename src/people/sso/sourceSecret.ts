import type { Place } from "../../platform/crypto/envelope.ts";

/** Where a source's client secret is sealed for: copied to another source, it does not open. */
export function secretPlace(sourceId: string): Place {
  return { table: "identity_sources", column: "client_secret", rowId: sourceId };
}
