import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localPath } from "./beginSignIn.ts";

describe("where a sign-in may end", () => {
  it("is a path of this service", () => {
    expect(localPath("/")).toBe("/");
    expect(localPath("/api/v1/auth/me")).toBe("/api/v1/auth/me");
    expect(localPath("/a?b=c&d=/e#f")).toBe("/a?b=c&d=/e#f");
    expect(localPath("/a/../b")).toBe("/b");
  });

  it.each([
    "",
    "a",
    "//x.test",
    "///x.test",
    "/.//x.test",
    "/a/..//x.test",
    "/\\x.test",
    "\\x",
    "https://x.test",
    "/\n/x.test",
    "/\t/x.test",
    "/a\\b",
    "/ä",
    " /",
  ])("is not %j", (given) => {
    expect(localPath(given)).toBeUndefined();
  });

  it("never leads to another origin, whatever it is made of", () => {
    const text = fc.string({ unit: fc.constantFrom(..."/\\.:@?#%\t\n ax[]"), maxLength: 12 });
    fc.assert(
      fc.property(text, (given) => {
        const path = localPath(given);
        if (path === undefined) return;
        expect(new URL(path, "https://deploy.example.test").origin).toBe("https://deploy.example.test");
        expect(new URL(`https://deploy.example.test${path}`).origin).toBe("https://deploy.example.test");
      }),
      { numRuns: 20_000 },
    );
  });
});
