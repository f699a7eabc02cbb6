/** What an engine writes of the lock that it takes, and is shown of one that somebody else has. */
import * as v from "valibot";
import { MalformedRequestError } from "../../platform/problems/requestErrors.ts";
import { isInstant } from "../../platform/time/time.ts";

/** Room for any engine's own; a longer text is cut. */
const MAX_CHARS = 1_000;

const Text = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.replaceAll("\0", "").toWellFormed().slice(0, MAX_CHARS)),
  ),
  "",
);

const Document = v.object({
  ID: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/)),
  Operation: Text,
  Info: Text,
  Who: Text,
  Version: Text,
  // An engine cannot read a document whose time is none.
  Created: v.pipe(
    Text,
    v.transform((text) => (isInstant(text) ? text : new Date().toISOString())),
  ),
  Path: Text,
});
export type LockDocument = v.InferOutput<typeof Document>;

/** @throws MalformedRequestError */
export function lockDocument(body: unknown): LockDocument {
  const parsed = v.safeParse(Document, body);
  if (parsed.success) return parsed.output;
  throw new MalformedRequestError("The body is not the document of a lock with its ID.");
}
