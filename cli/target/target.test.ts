import { describe, expect, test } from "vitest";
import type { Profile } from "../profiles/profiles.ts";
import { hostOf, targetOf } from "./target.ts";

const profile = (host: string): Profile => ({
  host,
  orgId: "org-of-profile",
  orgName: "Acme",
  login: "ada",
  tokenId: null,
  expiresAt: null,
});
const signedIn = { current: "a", profiles: { a: profile("https://a.example"), b: profile("https://b.example") } };
const nobody = { current: null, profiles: {} };

describe("the target", () => {
  test("is the current profile's", () => {
    expect(targetOf({}, {}, signedIn)).toEqual({
      host: "https://a.example",
      org: "org-of-profile",
      token: { profile: "a" },
    });
  });

  test("is another profile's by option or environment, the option first", () => {
    expect(targetOf({ profile: "b" }, { DEPLOY_PROFILE: "a" }, signedIn).host).toBe("https://b.example");
    expect(targetOf({}, { DEPLOY_PROFILE: "b" }, signedIn).token).toEqual({ profile: "b" });
    expect(() => targetOf({ profile: "c" }, {}, signedIn)).toThrow("no profile c");
  });

  test("is the environment's where that says more, and then needs no profile", () => {
    const env = { DEPLOY_HOST: "https://c.example/", DEPLOY_TOKEN: "t", DEPLOY_ORG: "o" };
    const target = { host: "https://c.example", org: "o", token: { given: "t" } };
    expect(targetOf({}, env, nobody)).toEqual(target);
    expect(targetOf({}, env, signedIn)).toEqual(target);
    expect(targetOf({}, { DEPLOY_TOKEN: "t" }, signedIn)).toMatchObject({
      host: "https://a.example",
      org: "org-of-profile",
    });
    expect(targetOf({}, { DEPLOY_HOST: "https://c.example", DEPLOY_TOKEN: "t" }, signedIn).org).toBeNull();
  });

  test("gets no token that another service gave", () => {
    for (const call of [
      () => targetOf({}, { DEPLOY_HOST: "https://evil.example" }, signedIn),
      () => targetOf({ host: "https://evil.example" }, {}, signedIn),
    ]) {
      expect(call).toThrow(expect.objectContaining({ code: 4 }));
    }
  });

  test("is missing for who is not signed in", () => {
    expect(() => targetOf({}, {}, nobody)).toThrow(expect.objectContaining({ code: 4 }));
    expect(() => targetOf({}, { DEPLOY_HOST: "https://a.example" }, nobody)).toThrow(
      expect.objectContaining({ code: 4 }),
    );
  });
});

test.each([
  ["deploy.example", "https://deploy.example"],
  ["https://deploy.example/path/", "https://deploy.example/path"],
  ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
  ["http://localhost:1/", "http://localhost:1"],
])("%s is %s", (text, host) => {
  expect(hostOf(text, {})).toBe(host);
});

test.each(["http://deploy.example", "ftp://x", "https://a:b@c", "https://"])("%s is refused", (text) => {
  expect(() => hostOf(text, {})).toThrow(expect.objectContaining({ code: 3 }));
});

test("plain HTTP elsewhere is for who insists", () => {
  expect(hostOf("http://deploy.example", { DEPLOY_INSECURE: "1" })).toBe("http://deploy.example");
});
