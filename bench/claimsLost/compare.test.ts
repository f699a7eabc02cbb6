import { describe, expect, it } from "vitest";
import { compare, expectedOf, type Fate, latenessOf } from "./compare.ts";

describe("expectedOf", () => {
  it.each<[Fate[], string, number]>([
    [["done"], "success", 0],
    [["silent", "ready", "done"], "success", 2],
    [["silent", "answer_lost"], "failure", 1],
    [["repeated"], "failure", 0],
    [["silent", "ready", "silent"], "startup_timeout", 3],
    [[], "pending", 0],
  ])("%j ends %s after %i attempts", (fates, status, attempts) => {
    expect(expectedOf(fates, 3)).toEqual({ status, attempts });
  });
});

describe("compare", () => {
  const judge = (fates: Fate[], row: object) =>
    compare([{ id: "r", status: "success", attempts: 0, ...row }], new Map([["r", fates]]), 3);
  const none = { attempts: [], ends: [], again: [], lost: [] };

  it("finds nothing where all is as its claims made it", () => expect(judge(["done"], {})).toEqual(none));

  it("finds an attempt too many, another end, a claim of what somebody has, and a run that is gone", () => {
    expect(judge(["done"], { attempts: 1 }).attempts).toEqual(["run r: 1 attempts, claims: done"]);
    expect(judge(["repeated"], {}).ends).toEqual(["run r is success, claims: repeated"]);
    expect(judge(["answer_lost", "done"], {}).again).toEqual(["run r was claimed again, claims: answer_lost, done"]);
    expect(compare([], new Map([["r", ["done"]]]), 3).lost).toEqual(["run r was claimed and is gone"]);
  });
});

it("tells how late a lease and a silence were noticed", () => {
  const spans = [
    { what: "lease", ms: 4_100 },
    { what: "silence", ms: 8_200 },
  ] as const;
  expect(latenessOf(spans)).toEqual({ lease: [100], silence: [200] });
});
