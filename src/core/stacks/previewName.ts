/** How a pull request on a stack is called where only ids may stand: in workflow ids, messages and events. */
import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { OutboxMessage, PreviewSignal } from "../../work/message.ts";

/** A repository's address says who works on what; its hash says only whether two are the same. */
export function repositoryHash(repositoryKey: string): string {
  return createHash("sha256").update(repositoryKey).digest("hex").slice(0, 16);
}

/** The same in SQL. */
export function repositoryHashOf(column: SQL): SQL {
  return sql`left(encode(sha256(convert_to(${column}, 'UTF8')), 'hex'), 16)`;
}

export type PreviewSubject = { orgId: string; stackKey: string; repositoryKey: string; number: number };

export function previewMessage(
  { orgId, stackKey, repositoryKey, number }: PreviewSubject,
  signal: PreviewSignal,
): OutboxMessage {
  return { kind: "signalPreview", orgId, stackKey, repositoryHash: repositoryHash(repositoryKey), number, signal };
}
