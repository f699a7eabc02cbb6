import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RunnerConfig } from "../config/config.ts";
import { exitOf } from "../process/childExit.ts";
import type { Confined } from "./confined.ts";
import { LaunchWall } from "./launchWall.ts";
import type { FromEphemeral } from "./messages.ts";
import { NoWall } from "./noWall.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "forked-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const BEGUN = '{"to_coordinator":{"type":"begun"}}\n';
const FINISHED = '{"to_coordinator":{"type":"finished"}}\n';
/** It ends only when it is ended. */
const LIVES = "setInterval(() => {}, 60_000);";

/** `write` writes to the coordinator, however much it is. */
function program(script: string, channel: number): string {
  const file = path.join(scratch, `${crypto.randomUUID()}.cjs`);
  const write = `const channel = ${channel === 1 ? "process.stdout" : "new (require('node:net').Socket)({ fd: 3 })"};
const write = (text) => channel.write(text);
channel.on("error", () => {});
`;
  writeFileSync(file, `${write}${script}`);
  return file;
}

const STARTED: Record<string, (script: string) => Confined> = {
  "its own socket": (script) => new NoWall({ file: program(script, 3), env: {} }, scratch).start(),
  "standard output": (script) => {
    const config = { workDir: scratch } as RunnerConfig;
    return new LaunchWall(config, `exec "${process.execPath}" "${program(script, 1)}"`).start();
  },
};
const socketed = STARTED["its own socket"] as (script: string) => Confined;

function heard(confined: Confined): FromEphemeral[] {
  const messages: FromEphemeral[] = [];
  confined.onMessage((message) => void messages.push(message));
  return messages;
}

test("what a run has as its output is no file and no pipe, and not the coordinator's", async () => {
  const confined = socketed(`const fs = require("node:fs");
const links = [0, 1, 2, 3].map((fd) => fs.readlinkSync("/proc/self/fd/" + fd));
const seen = require("node:child_process").execFileSync("ls", ["-l", "/proc/self/fd"], { encoding: "utf8" });
const folder = JSON.stringify({ links, seen });
channel.end(JSON.stringify({ to_coordinator: { type: "copy_of", folder } }) + "\\n");`);
  const messages = heard(confined);
  const own = ownLinks();
  expect(await exitOf(confined.child)).toBe(0);
  const { links, seen } = JSON.parse((messages[0] as { folder: string }).folder);
  const socket = expect.stringMatching(/^socket:/);
  expect(links).toEqual(["/dev/null", socket, socket, socket]);
  for (const link of links.slice(1)) expect(own).not.toContain(link);
  expect(seen).toContain("socket:");
  expect(seen, "no program of a run gets the channel").not.toContain(links[3]);
});

const STRANGE = [
  "null",
  '"text"',
  "[]",
  '{"cmd":"NODE_HANDLE","type":"net.Socket","msg":null}',
  '{"cmd":"NODE_HANDLE_ACK"}',
  "{not json",
  "\0\u00ff\r",
  '{"to_coordinator":null}',
  '{"to_coordinator":{',
  '{"to_coordinator":{"type":"unheard of"}}',
  '{"to_coordinator":{"type":"group","group":"1"}}',
  '{"to_coordinator":{"type":"group","group":1}}',
  '{"to_coordinator":{"type":"group","group":-1}}',
  '{"to_coordinator":{"type":"copy_of","folder":{}}}',
  '{"to_coordinator":{"type":"probed"}}',
];

test.each(Object.entries(STARTED))("what is no message is passed over, by %s", async (_, start) => {
  const lines = JSON.stringify(`${STRANGE.join("\n")}\n`);
  const confined = start(`write(${JSON.stringify(BEGUN)}); write(${lines}); write(${JSON.stringify(FINISHED)});
channel.end?.();`);
  const messages = heard(confined);
  expect(await exitOf(confined.child)).toBe(0);
  await expect.poll(() => messages).toEqual([{ type: "begun" }, { type: "finished" }]);
  expect(confined.lie).toBeNull();
});

const LIES: Record<string, [string, string]> = {
  "a line without an end": ['write("x".repeat(3_000_000));', "it wrote a line without an end"],
  "a message without an end": [
    `write('{"to_coordinator":{"type":"copy_of","folder":"' + "x".repeat(3_000_000) + '"}}\\n');`,
    "it wrote a line without an end",
  ],
  "marked lines that are no messages": [
    `write('{"to_coordinator":null}\\n'.repeat(1_000));`,
    "it wrote lines that are no messages",
  ],
  "messages without end": [
    `write(${JSON.stringify(BEGUN)}.repeat(200_000));`,
    "it wrote more messages than any run has to tell",
  ],
};

test.each(
  Object.entries(STARTED).flatMap(([channel, start]) =>
    Object.entries(LIES).map(([what, [script, lie]]) => ({ channel, start, what, script, lie })),
  ),
)("who writes $what by $channel is killed, and heard no more", async ({ start, script, lie }) => {
  const confined = start(`${script} write(${JSON.stringify(`\n${FINISHED}`)}); ${LIVES}`);
  const messages = heard(confined);
  await once(confined.child, "exit");
  expect(confined.child.signalCode).not.toBeNull();
  expect(confined.lie).toBe(lie);
  expect(messages.filter(({ type }) => type !== "begun")).toEqual([]);
  expect(confined.reachable).toBe(false);
  expect(() => confined.tell({ type: "interrupt" })).not.toThrow();
});

test("lines on a socket of its own that are not even marked are counted too", async () => {
  const confined = socketed(`write("null\\n".repeat(1_000)); ${LIVES}`);
  expect(await exitOf(confined.child)).toBeNull();
  expect(confined.lie).toBe("it wrote lines that are no messages");
});

test.each(Object.entries(STARTED))("who asks and does not read the answers is killed, by %s", async (_, start) => {
  const confined = start(LIVES);
  const token = "x".repeat(100_000);
  await once(confined.child, "spawn");
  for (let told = 0; told < 50; told += 1) confined.tell({ type: "token", token });
  await exitOf(confined.child);
  expect(confined.lie).toBe("it does not read what it is told");
});

test.each(Object.entries(STARTED))(
  "a process that ends with words unread ends nobody else, by %s",
  async (_, start) => {
    const confined = start("process.exit(3);");
    confined.tell({ type: "token", token: "x".repeat(500_000) });
    expect(await exitOf(confined.child)).toBe(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect(confined.lie).toBeNull();
  },
);

function ownLinks(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
