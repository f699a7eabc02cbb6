/** Device logins by client address (docs/rules/sign-in.md#public-routes-are-limited-by-address). */
import { expect } from "vitest";
import { peopleTest } from "../support/test.ts";

const LIMIT = 5;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const test = peopleTest({ env: { SVC_SSO_REQUESTS_PER_MINUTE: String(LIMIT), SVC_TRUSTED_PROXIES: "1" } });

test("beginning, guessing codes of either kind, and asking too often count; waiting as told does not", async ({
  api,
}) => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  const begin = (address: string) =>
    api.call("POST", "/api/v1/auth/device", {
      headers: from(address),
      body: { client_name: "deploy", host_name: "laptop" },
    });
  const collect = (address: string, device_code: string) =>
    api.call("POST", "/api/v1/auth/device/token", { headers: from(address), body: { grant_type: GRANT, device_code } });
  const passed = async (calls: () => Promise<{ status: number }>) => {
    const statuses = [];
    for (let n = 0; n < LIMIT * 2; n++) statuses.push((await calls()).status);
    return statuses.filter((status) => status !== 429).length;
  };
  expect(await passed(() => begin("192.0.2.1"))).toBe(LIMIT);
  expect(await passed(() => collect("192.0.2.2", "no such code"))).toBe(LIMIT);
  const user = await api.makeUser();
  const guess = (method: string) =>
    api.call(method, "/api/v1/me/device-logins/BCDF-GHJK", { ...user, headers: from("192.0.2.3") });
  expect(await passed(() => guess("GET"))).toBe(LIMIT);
  expect((await guess("DELETE")).status).toBe(429);
  const { body } = await begin("192.0.2.4");
  let pending = 0;
  for (let n = 0; n < LIMIT * 2; n++) {
    await api.database.advanceClock(5_000);
    if ((await collect("192.0.2.4", body.device_code)).body.code === "authorization_pending") pending++;
  }
  expect(pending).toBe(LIMIT * 2);
  expect(await passed(() => collect("192.0.2.4", body.device_code))).toBe(LIMIT - 1);
});
