/**
 * The analyses of runs that say what a stack is: of deployments in the lane that finished, never of previews or raw
 * commands.
 */
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { artifactPlace } from "./storedPlaces.ts";

export type AnalysisRef = {
  runId: string;
  /** Exact text of the deployment's end. */
  completedAt: string;
  objectKey: string;
  size: number;
};

/** The whole file as it was uploaded, perhaps gzipped; null when it is gone or larger than `maxBytes`. */
export async function readAnalysisFile(
  objects: Pick<SealedObjects, "getSealed">,
  { runId, objectKey, size }: AnalysisRef,
  maxBytes: number,
): Promise<Buffer | null> {
  if (size > maxBytes) return null;
  const body = await objects.getSealed(objectKey, artifactPlace(runId, "analysis"), size);
  if (body === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
