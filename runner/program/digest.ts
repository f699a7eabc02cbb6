import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** SHA-256 of a file. @throws when it cannot be read */
export async function digestOf(file: string): Promise<string> {
  return sha256(await readFile(file));
}
