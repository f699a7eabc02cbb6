/** The content security policy of a small page of ours: its own script and style by their hashes, and nothing else. */
import { createHash } from "node:crypto";

/** @param script its text, exactly as it stands between the tags; the same for `style` */
export function pagePolicy({ script, style }: { script?: string; style: string }): string {
  return [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
