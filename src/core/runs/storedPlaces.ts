/** Where the bytes of a log chunk and of an artifact live: what their encryption is bound to. */
import type { Place } from "../../platform/crypto/envelope.ts";
import type { ArtifactKind } from "./protocol.ts";

export function livePlace(runId: string, index: number): Place {
  return { table: "log_chunks", column: "live_bytes", rowId: `${runId}/${index}` };
}

export function sealedPlace(runId: string, index: number): Place {
  return { table: "log_chunks", column: "object_key", rowId: `${runId}/${index}` };
}

export function artifactPlace(runId: string, kind: ArtifactKind): Place {
  return { table: "artifacts", column: "object_key", rowId: `${runId}/${kind}` };
}
