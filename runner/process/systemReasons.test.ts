import { mkdtempSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { RunLog } from "../output/runLog.ts";
import { OutputPipes } from "./outputPipe.ts";
import { Steps } from "./steps.ts";
import { StopSignal } from "./stop.ts";
import { endedBy, publicReason, systemReason } from "./systemReasons.ts";

/** What says that something is used up, too large or not allowed; the others are mistakes of a program. */
const LIMITS =
  /^E(?:2BIG|ACCES|AGAIN|DQUOT|FBIG|IO|LOOP|MFILE|MLINK|NAMETOOLONG|NFILE|NOENT|NOMEM|NOSPC|NOTDIR|PERM|ROFS)$/;

test("each limit of the system has a reason that names it", () => {
  const limits = Object.keys(constants.errno).filter((code) => LIMITS.test(code));
  expect(limits.length).toBeGreaterThan(15);
  for (const code of limits) {
    expect(systemReason(code)).toMatch(new RegExp(`.{15,} \\(${code}\\)$`));
    expect(publicReason(Object.assign(new Error("/private/place"), { code }))).toBe(systemReason(code));
  }
});

test("what is no limit is told by its kind alone, since its message may say anything", () => {
  expect(publicReason(new TypeError("secret"))).toBe("TypeError");
  expect(publicReason(Object.assign(new Error("secret"), { code: "ESOMETHING" }))).toBe("ESOMETHING");
  expect([endedBy("SIGXFSZ"), endedBy("SIGKILL")]).toEqual([
    "was ended by SIGXFSZ (a file grew larger than the runner's limits allow)",
    "was ended by SIGKILL",
  ]);
});

describe("on this system", () => {
  const logAt = (file: string, failures: unknown[] = []) =>
    new RunLog(file, [], 65_536, (error) => failures.push(error));

  function run(args: string[], env: Record<string, string>): Promise<unknown> {
    const log = logAt(path.join(mkdtempSync(path.join(tmpdir(), "reasons-")), "log"));
    const means = { stop: new StopSignal(), pipes: new OutputPipes(), onGroup: () => {} };
    const trace = { step: <T>(_: string, work: () => Promise<T>) => work() };
    return new Steps(log, means, 1_000, trace).run("/bin/true", args, { cwd: "/", env });
  }

  test.each([
    ["one variable", [], { SMALL: "x", LARGE: "x".repeat(200_000) }, "the largest LARGE with 200000"],
    ["one argument", ["x".repeat(200_000)], {}, "arguments 200000 bytes"],
    [
      "many variables",
      [],
      Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`V${index}`, "x".repeat(32_768)])),
      "variables 6553600 bytes",
    ],
  ])("%s: what is too large is named", (_, args, env, named) =>
    expect(run(args, env as Record<string, string>)).rejects.toThrow(
      new RegExp(`cannot be started on this runner: .*\\(E2BIG\\).*${named}`),
    ),
  );

  test("a log whose disk is full says so once and loses what follows, without an error where output arrives", () => {
    const failures: unknown[] = [];
    const log = logAt("/dev/full", failures);
    log.note("first");
    log.stream().write(Buffer.from("second"));
    log.note("third");
    expect(failures.map(publicReason)).toEqual([systemReason("ENOSPC")]);
    expect(log.size).toBe(0);
  });
});
