import { execFileSync } from "node:child_process";
import { linkSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { beforeEach, expect, test } from "vitest";
import { ServiceRefused } from "../service/serviceClient.ts";
import { logFile, openDeadLog } from "./deadLog.ts";
import type { LogTarget } from "./logPusher.ts";
import { RunLog } from "./runLog.ts";

const silent = pino({ level: "silent" });
const CHUNK = 16;

let directory: string;
let sealed: Map<number, string>;
const target: LogTarget = {
  pushLive: () => Promise.reject(new Error("a dead log is not live")),
  sealChunk: async (index, bytes) => {
    const text = Buffer.from(bytes).toString();
    if (sealed.has(index) && sealed.get(index) !== text) throw new ServiceRefused("PUT", 409, "conflict", "");
    sealed.set(index, text);
  },
};

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "dead-log-"));
  sealed = new Map();
});

async function settle(): Promise<string> {
  const log = openDeadLog(directory, "It died.", target, silent);
  await log.push(1_000);
  await log.push(1_000);
  log.close();
  return [...sealed.values()].join("");
}

test("goes on with the chunks the run began, and says at the end what happened", async () => {
  const log = new RunLog(logFile(directory, CHUNK), [], CHUNK);
  log.stream().write(Buffer.from("a line of text\nand half a li"));
  sealed.set(0, "a line of text\na");
  expect(await settle()).toBe("a line of text\nand half a li\n==> It died.\n");
  expect(sealed.get(1)).toHaveLength(CHUNK);
});

test("a log that was sealed to its end stays as it was", async () => {
  writeFileSync(logFile(directory, CHUNK), "all of it\n");
  sealed.set(0, "all of it\n");
  await settle();
  expect(sealed.get(0)).toBe("all of it\n");
});

test("a run that wrote nothing has nothing to seal; a directory that is gone neither", async () => {
  expect(await settle()).toBe("");
  directory = path.join(directory, "gone");
  expect(await settle()).toBe("");
});

test.each([
  ["a symbolic link", symlinkSync],
  ["a hard link", linkSync],
  ["a pipe", (_: string, file: string) => void execFileSync("sh", ["-c", 'mkfifo "$0"', file])],
])("what a run's own code put in the log's place is neither read nor written: %s", async (_, put) => {
  const secret = path.join(directory, "secret");
  writeFileSync(secret, "the group's key");
  put(secret, logFile(directory, CHUNK));
  expect(await settle()).toBe("");
  expect(readFileSync(secret, "utf8")).toBe("the group's key");
});
