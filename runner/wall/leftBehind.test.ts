import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { removeFilesOf, removeMemoryOf } from "./leftBehind.ts";
import { asUser } from "./slotUsers.ts";

/** Above those of any coordinator that may run here. */
const USER = 3_000_100;
const isRoot = process.getuid?.() === 0;

it.runIf(isRoot)(
  "nothing is left of a user in folders and memory that are everybody's, and all of the others'",
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "left-"));
    const [program = "", ...args] = asUser(USER);
    const made = (kind: string) =>
      /id: (\d+)/.exec(
        execFileSync(program, [...args, "ipcmk", "--mode", "0666", ...kind.split(" ")], { encoding: "utf8" }),
      )?.[1];
    const ids = ["--shmem 4096", "--semaphore 1", "--queue"].map(made);
    const others = /id: (\d+)/.exec(execFileSync("ipcmk", ["--queue"], { encoding: "utf8" }))?.[1] as string;
    execFileSync(program, [...args, "touch", `/var/tmp/left-${USER}`]);
    writeFileSync(path.join(folder, "other"), "");
    try {
      expect(ids).not.toContain(undefined);
      await removeMemoryOf(USER);
      await removeFilesOf(USER, folder);
      const left = execFileSync("ipcs", ["--creator"], { encoding: "utf8" });
      expect(left).not.toContain(String(USER));
      expect(existsSync(`/var/tmp/left-${USER}`)).toBe(false);
      expect(execFileSync("ipcs", ["--queues"], { encoding: "utf8" })).toContain(others);
      expect(existsSync(path.join(folder, "other"))).toBe(true);
    } finally {
      execFileSync("ipcrm", ["--queue-id", others]);
      rmSync(folder, { recursive: true });
    }
  },
);
