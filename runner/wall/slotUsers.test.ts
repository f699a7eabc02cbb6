import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { processesOfUser, startOf } from "../process/processTable.ts";
import { claimed, giveBack, ownName } from "./slotClaims.ts";
import { asUser, isGroupOf, killAllOf } from "./slotUsers.ts";

/** Above those of any coordinator that may run here. */
const FIRST = 3_000_000;
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "claims-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("users of runs", () => {
  it("are had by one coordinator at a time, and by nobody whose process is gone", () => {
    const other = `${process.ppid}.${startOf(process.ppid)}`;
    expect(claimed(folder, FIRST, other)).toBe(true);
    expect(claimed(folder, FIRST, ownName())).toBe(false);
    giveBack(folder, FIRST, other);
    // Its id is somebody else's by now.
    writeFileSync(path.join(folder, `${FIRST}.${process.ppid}.1`), "");
    expect(claimed(folder, FIRST, ownName())).toBe(true);
    expect(readdirSync(folder)).toEqual([`${FIRST}.${ownName()}`]);
  });

  it("are claimed by one at most of many that ask in the same moment", async () => {
    const module = new URL("slotClaims.ts", import.meta.url).href;
    const script = `import { claimed, ownName } from ${JSON.stringify(module)};
      process.stdin.once("data", () => {
        const got = [];
        for (let uid = ${FIRST}; got.length < 20; uid++) if (claimed(${JSON.stringify(folder)}, uid, ownName())) got.push(uid);
        console.log(JSON.stringify(got));
      });
      console.log("ready");`;
    const claimants = Array.from({ length: 4 }, () =>
      spawn(process.execPath, ["--input-type=module", "--eval", script]),
    );
    await Promise.all(claimants.map(({ stdout }) => once(stdout, "data")));
    const answers = claimants.map(({ stdout }) => once(stdout, "data"));
    for (const { stdin } of claimants) stdin.write("go");
    const got = (await Promise.all(answers)).flatMap(([text]) => JSON.parse(String(text)) as number[]);
    for (const claimant of claimants) claimant.kill();
    expect(got).toHaveLength(80);
    expect(new Set(got).size).toBe(80);
  });

  it.runIf(isRoot)("are not had by processes that outlived their coordinator", async () => {
    const left = spawn("setpriv", ["--reuid", String(FIRST), "--clear-groups", "sleep", "60"]);
    await once(left, "spawn");
    const named = () => expect.poll(() => claimed(folder, FIRST, ownName()), { timeout: 5_000 });
    await named().toBe(false);
    left.kill();
    await named().toBe(true);
  });

  it.runIf(isRoot)("are free again where nobody asks how their processes ended", async () => {
    const [program = "", ...args] = [...asUser(FIRST), "sh", "-c", "exit 0"];
    // Its parent is a program that never asks.
    const parent = spawn("/bin/sh", ["-c", '"$@" & exec sleep 60', "sh", program, ...args]);
    const ended = () => textOf(`/proc/${parent.pid}/task/${parent.pid}/children`).trim();
    await expect.poll(() => textOf(`/proc/${ended()}/status`)).toMatch(/^State:\tZ/m);
    expect(claimed(folder, FIRST, ownName())).toBe(true);
    parent.kill();
  });

  it.runIf(isRoot)("have no group but those of their own processes", async () => {
    const [program = "", ...args] = [...asUser(FIRST), "sleep", "60"];
    const [own, others] = [spawn(program, args, { detached: true }), spawn("sleep", ["60"], { detached: true })];
    await expect.poll(() => isGroupOf(FIRST, own.pid as number), { timeout: 5_000 }).toBe(true);
    for (const group of [others.pid as number, 1, 0, -(own.pid as number)]) expect(isGroupOf(FIRST, group)).toBe(false);
    others.kill();
    await killAllOf(FIRST);
    expect(isGroupOf(FIRST, own.pid as number)).toBe(false);
  });

  it.runIf(isRoot).each(["STOP", "KILL"])(
    "have no process left, though one gives SIG%s to whoever comes to end them",
    async (signal) => {
      const [program = "", ...args] = [...asUser(FIRST), "sleep", "60"];
      const left = spawn(program, args, { detached: true });
      await expect.poll(() => isGroupOf(FIRST, left.pid as number), { timeout: 5_000 }).toBe(true);
      // Which of them is first is chance otherwise.
      writeFileSync(path.join(folder, "setpriv"), `#!/bin/sh\nkill -${signal} $$\n`, { mode: 0o755 });
      vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
      await killAllOf(FIRST);
      expect(processesOfUser(FIRST)).toEqual([]);
    },
  );
});

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
