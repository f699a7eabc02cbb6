import fc from "fast-check";
import { expect, test } from "vitest";
import { makeToken, tokenHash, tokenKind } from "./format.ts";

test("a made token is of its kind, of one length, and unlike any other", () => {
  const tokens = Array.from({ length: 200 }, () => makeToken("service_account"));
  expect(new Set(tokens).size).toBe(200);
  for (const token of tokens) {
    expect(token).toMatch(/^svc_sa_[0-9A-Za-z]{33}$/);
    expect(tokenKind(token)).toBe("service_account");
  }
  expect(tokenKind(makeToken("personal"))).toBe("personal");
});

test("one changed character, a lost or an added one is refused", () => {
  fc.assert(
    fc.property(fc.nat(39), fc.constantFrom(..."0Az9_ "), (at, character) => {
      const token = makeToken("service_account");
      fc.pre(token[at] !== character);
      expect(tokenKind(token.slice(0, at) + character + token.slice(at + 1))).toBeNull();
      expect(tokenKind(token.slice(0, at) + token.slice(at + 1))).toBeNull();
      expect(tokenKind(token.slice(0, at) + character + token.slice(at))).toBeNull();
    }),
  );
});

test("a token of one kind does not pass under another prefix", () => {
  const token = makeToken("service_account");
  expect(tokenKind(token.replace("svc_sa_", "svc_pat_"))).toBeNull();
});

test("anything else is refused", () => {
  fc.assert(fc.property(fc.string(), (text) => tokenKind(text) === null && tokenKind(`svc_sa_${text}`) === null));
  for (const text of ["", "svc_sa_", "eyJhbGciOiJFUzI1NiJ9.e30.x"]) expect(tokenKind(text)).toBeNull();
});

test("the hash is of the whole text", () => {
  const token = makeToken("service_account");
  expect(tokenHash(token)).toHaveLength(32);
  expect(tokenHash(token)).not.toEqual(tokenHash(token.slice(1)));
});
