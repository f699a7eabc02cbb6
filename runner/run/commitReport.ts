import type { CommitReport } from "../../src/core/runs/protocol.ts";
import type { Tree } from "./wholeTree.ts";

/** What the checked out commit says of itself, for a service that knows its id alone; null when git cannot tell. */
export async function commitReport(git: Tree["git"], commit: string): Promise<CommitReport | null> {
  const parts: Buffer[] = [];
  const stdout = { write: (bytes: Buffer) => void parts.push(bytes), end: () => {} };
  const shown = ["-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--no-show-signature", "--format=%an%x00%B"];
  if ((await git([...shown, commit, "--"], { stdout })).code !== 0) return null;
  const [author = "", message = ""] = Buffer.concat(parts).toString("utf8").split("\0");
  return { author: author.trim() || null, message: message.trim() };
}
