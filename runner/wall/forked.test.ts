import { once } from "node:events";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { startForked } from "./forked.ts";

const scratch = mkdtempSync(path.join(tmpdir(), "forked-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const LOOK = `const fs = require("node:fs");
const links = [0, 1, 2].map((fd) => fs.readlinkSync("/proc/self/fd/" + fd));
process.send(links, () => process.disconnect());
`;

test("what a run has as its output is no file and no pipe, and not the coordinator's", async () => {
  const file = path.join(scratch, "look.cjs");
  writeFileSync(file, LOOK);
  const child = startForked({ file, env: { PATH: process.env.PATH ?? "" }, through: [] });
  const [links] = (await once(child, "message")) as [string[]];
  expect(links).toEqual(["/dev/null", expect.stringMatching(/^socket:/), expect.stringMatching(/^socket:/)]);
  expect(ownLinks()).not.toContain(links[1]);
  await once(child, "exit");
});

function ownLinks(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      return [];
    }
  });
}
