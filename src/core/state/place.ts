/** Where the bytes of a version are, and what their encryption is bound to. */
import type { Place } from "../../platform/crypto/envelope.ts";

export function stateKey(stackKey: string, id: string): string {
  return `states/${stackKey}/${id}`;
}

export function statePlace(id: string): Place {
  return { table: "state_versions", column: "object_key", rowId: id };
}
