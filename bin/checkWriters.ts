/**
 * Domain events have one writer: who stores one elsewhere, its subscribers hear nothing of
 * (docs/rules/transitions.md#domain-events).
 */
import { globSync, readFileSync } from "node:fs";

export const WRITER = "src/work/publish.ts";
const INSERT = /\binsert\s+into\s+(?:\w+\.)?domain_events\b|\.insert\(domainEvents\)/i;

/** Files besides the writer that store domain events. @param read a file's text */
export function otherWriters(files: readonly string[], read: (file: string) => string): string[] {
  return files.filter((file) => file !== WRITER && !file.endsWith(".test.ts") && INSERT.test(read(file)));
}

if (import.meta.main) {
  const root = new URL("../", import.meta.url);
  const files = globSync("{src,activities,workflows,runner}/**/*.ts", { cwd: root });
  const others = otherWriters(files, (file) => readFileSync(new URL(file, root), "utf8"));
  if (others.length > 0) {
    console.error(`only ${WRITER} stores domain events, and so do:\n  ${others.join("\n  ")}`);
    process.exitCode = 1;
  }
}
