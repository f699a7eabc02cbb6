import { expect, test } from "vitest";
import { makeUserCode, shownCode, typedCode } from "./userCode.ts";

test("a code reads back however it is typed", () => {
  for (let n = 0; n < 200; n++) {
    const code = makeUserCode();
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
    expect(typedCode(shownCode(code))).toBe(code);
    expect(typedCode(` ${shownCode(code).toLowerCase()} `)).toBe(code);
  }
});

test.each(["", "BCDF", "BCDF-GHJA", "BCDF-GHJKL", "BCDF-GHJ1", "ßCDFGHJK"])("%j is none", (text) => {
  expect(typedCode(text)).toBeNull();
});
