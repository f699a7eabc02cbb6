import { describe, expect, test } from "vitest";
import { isHopeless, isUnreachable, moved, unreachable } from "./unreachable.ts";

/** As `fetch` throws it. */
const fetchFailed = (code: string) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(`${code} it said`), { code }) });

describe("what keeps the service away", () => {
  test.each([
    ["ENOTFOUND", "DEPLOY_HOST", false],
    ["EAI_AGAIN", "connected", false],
    ["ECONNREFUSED", "Nothing listens there", false],
    ["ECONNRESET", "once more", false],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "NODE_EXTRA_CA_CERTS", true],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "NODE_EXTRA_CA_CERTS", true],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "does not speak HTTPS", true],
  ])("%s says what helps: %s", (code, hint, hopeless) => {
    const error = fetchFailed(code);
    expect([isUnreachable(error), isHopeless(error)]).toEqual([true, hopeless]);
    expect(unreachable(error)).toMatchObject({ code: 1, message: expect.stringContaining(`${code} it said`) });
    expect(unreachable(error).hint).toContain(hint);
  });

  test("an answer that does not come is one of them; an error of the program is none", () => {
    const late = new DOMException("", "TimeoutError");
    expect(isUnreachable(late)).toBe(true);
    expect(unreachable(late).message).toBe("The service cannot be reached: it does not answer");
    expect(isUnreachable(new TypeError("x is not a function"))).toBe(false);
  });
});

test("a port of another protocol is not asked again", () => {
  const error = Object.assign(new TypeError("fetch failed"), { cause: new Error("bad port") });
  expect([isHopeless(error), unreachable(error).hint]).toEqual([true, expect.stringContaining("port")]);
});

test("where a service has moved to is told, since no token follows it there", () => {
  expect(moved("https://a.example", "https://b.example/api").hint).toContain("--host https://b.example");
  expect(moved("https://a.example", "/login").hint).not.toContain("--host");
});
