import { expect, it } from "vitest";
import { loginName } from "./loginName.ts";

it("compares logins and addresses without case", () => {
  expect(loginName("Kate@Corp.TEST")).toBe("kate@corp.test");
  expect(loginName("ÄRGER-Ω")).toBe("ärger-ω");
});

it("takes no other character for a letter of somebody's name", () => {
  // Each of the basic plane, in the place of each letter.
  const letters = "abcdefghijklmnopqrstuvwxyzåäöω";
  const taken = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
    (sign) => letters.includes(loginName(sign)) && loginName(sign) !== "",
  );
  expect(taken.sort()).toEqual([...letters, ...letters.toUpperCase()].sort());
});
