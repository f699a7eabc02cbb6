import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { claimed, giveBack, ownName } from "./slotClaims.ts";

/** Above those of any coordinator that may run here. */
const FIRST = 3_000_000;
const isRoot = process.getuid?.() === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "claims-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

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
});

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] as string;
}
