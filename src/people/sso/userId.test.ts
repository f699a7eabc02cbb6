import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ProviderKey } from "./provider.ts";
import { userId } from "./userId.ts";

const of = (providerKey: ProviderKey, login: string, subject: string, issuer = "https://idp.example.test") =>
  userId({ identity: { providerKey, issuer, subject }, login });

describe("a user id", () => {
  it("has the shape of its provider", () => {
    expect(of("codehost", "octocat", "583231")).toBe("codehost:octocat:583231");
    expect(of("workspace", "a@corp.test", "117")).toBe("workspace:a@corp.test:117");
    // printf https://idp.example.test | sha256sum | cut -c1-12
    expect(of("oidc", "ada", "s")).toBe("oidc-d2cee98e88da:ada:s");
  });

  it("is told apart by login and subject, whatever characters they have", () => {
    const part = fc.string({ unit: fc.constantFrom(..."ab:%3A25"), minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(part, part, part, part, (login, subject, otherLogin, otherSubject) => {
        const same = login === otherLogin && subject === otherSubject;
        expect(of("codehost", login, subject) === of("codehost", otherLogin, otherSubject)).toBe(same);
        expect(of("codehost", login, subject).split(":")).toHaveLength(3);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is refused for names that break lines, are empty, endless or no text", () => {
    for (const name of ["", "a\nb", "a\u0000", "a\u2028", "\ud800", "x".repeat(321)]) {
      expect(() => of("oidc", name, "s")).toThrow(/name that cannot be used/);
      expect(() => of("oidc", "l", name)).toThrow(/name that cannot be used/);
    }
  });
});
