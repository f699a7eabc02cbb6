/** Sends a packed tree. */
import type { Session } from "../service/session.ts";
import type { Screen } from "../terminal/screen.ts";
import { sendFile } from "../transfer/sendFile.ts";
import type { Packed } from "./pack.ts";

export type Uploaded = { local_source_key: string; local_source_sha256: string };

/** @throws ApiError */
export async function upload(
  session: Session,
  screen: Screen,
  { stackId, packed, signal }: { stackId: string; packed: Packed; signal: AbortSignal },
): Promise<Uploaded> {
  const { file, size, sha256 } = packed;
  const path = `/api/v1/orgs/${session.orgId}/stacks/${encodeURIComponent(stackId)}/local-sources?sha256=${sha256}`;
  const headers = { "content-type": "application/gzip" };
  const response = await sendFile(session, screen, { path, file, size, headers, signal });
  return (await response.json()) as Uploaded;
}
