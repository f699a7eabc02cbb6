/** Public sign-in routes by client address (docs/rules/sign-in.md#public-routes-are-limited-by-address). */
import { expect } from "vitest";
import { peopleTest } from "../support/test.ts";

const LIMIT = 5;
const PROVIDERS = "/api/v1/auth/sso/providers";

const test = peopleTest({ env: { SVC_SSO_REQUESTS_PER_MINUTE: String(LIMIT), SVC_TRUSTED_PROXIES: "1" } }).extend(
  "world",
  ({ api }) => {
    const from = (address: string, path = PROVIDERS) =>
      api.call("GET", path, { headers: { "x-forwarded-for": address } });
    /** How many of `n` requests are let through. */
    async function letThrough(addresses: string[], path = PROVIDERS): Promise<number> {
      let passed = 0;
      for (const address of addresses) if ((await from(address, path)).status !== 429) passed++;
      return passed;
    }
    return { from, letThrough };
  },
);

test("so many a minute, then 429 with the time to wait, on all public routes together", async ({ world }) => {
  const paths = [
    PROVIDERS,
    "/api/v1/auth/sso/orgs/x/providers",
    "/api/v1/auth/sso/codehost/start",
    "/api/v1/auth/sso/callback",
    "/api/v1/auth/sso/orgs/x/sources/y/start",
  ];
  for (const path of paths) expect((await world.from("192.0.2.1", path)).status).not.toBe(429);
  for (const path of paths) {
    const refused = await world.from("192.0.2.1", path);
    expect([refused.status, refused.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  }
  expect((await world.from("192.0.2.2")).status).toBe(200);
});

test("a mapped address is the version 4 one, and a version 6 network of 64 bits is one client", async ({ world }) => {
  const mapped = [
    "192.0.2.7",
    "::ffff:192.0.2.7",
    "::FFFF:C000:0207",
    "::ffff:192.0.2.7",
    "192.0.2.7:4711",
    "192.0.2.7",
  ];
  expect(await world.letThrough(mapped)).toBe(LIMIT);
  const network = Array.from({ length: 8 }, (_, n) => `2001:db8:1:2:${n}::${n}`);
  expect(await world.letThrough(network)).toBe(LIMIT);
  expect(await world.letThrough(["2001:db8:1:3::1", "[2001:db8:1:4::1]:443"])).toBe(2);
});

test("what a client writes into the header itself changes nothing", async ({ world }) => {
  const forged = Array.from({ length: 8 }, (_, n) => `10.0.0.${n}, 192.0.2.9`);
  expect(await world.letThrough(forged)).toBe(LIMIT);
  // Without a usable entry the connection itself counts.
  expect(await world.letThrough(["garbage", "", "unknown", "999.1.1.1", "a, b", "x", "y"])).toBe(LIMIT);
});

test("routes that need a credential are not counted, and neither are they refused", async ({ world }) => {
  for (let n = 0; n < LIMIT * 2; n++) expect((await world.from("192.0.2.20", "/api/v1/auth/me")).status).toBe(401);
  expect(await world.letThrough(Array.from({ length: LIMIT }, () => "192.0.2.20"))).toBe(LIMIT);
});
