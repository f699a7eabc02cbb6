/** Changes that other sites must not make with a browser's session (docs/rules/credentials.md#sessions). */
import { describe, expect } from "vitest";
import { csrfToken } from "../../src/people/sessions/csrf.ts";
import { ME, test } from "../support/sessionsTest.ts";

describe("a change that another site sends", () => {
  test("is refused on every mutating route, whatever it looks like", async ({ api, world }) => {
    const { cookie, csrf, token } = await world.person();
    const foreign = "https://evil.test";
    const own = api.baseUrl;
    const attempts: Record<string, string>[] = [
      {},
      { origin: own },
      { origin: own, "x-csrf-token": "" },
      { origin: own, "x-csrf-token": csrfToken(`${token}x`) },
      { "x-csrf-token": csrf },
      { origin: foreign, "x-csrf-token": csrf },
      { origin: "null", "x-csrf-token": csrf },
      { origin: `${own}.evil.test`, "x-csrf-token": csrf },
      { origin: own.replace("http", "https"), "x-csrf-token": csrf },
      { origin: own.replace(/:\d+$/, ""), "x-csrf-token": csrf },
      { referer: `${own}/`, "x-csrf-token": csrf },
      { origin: foreign, "content-type": "application/json" },
      { origin: foreign, "content-type": "Text/Plain" },
      { origin: foreign, "content-type": "multipart/form-data; boundary=x" },
      { origin: foreign, "content-type": "application/x-www-form-urlencoded" },
      { origin: foreign, "x-http-method-override": "GET", "x-csrf-token": csrf },
      { "x-http-method-override": "GET", "sec-fetch-site": "same-origin" },
      { origin: foreign, authorization: "Basic eDp5", "x-csrf-token": csrf },
      { origin: foreign, authorization: "Bearer something-else", "x-csrf-token": csrf },
    ];
    const routes = world.mutatingRoutes();
    expect(routes.length).toBeGreaterThan(30);
    const before = await world.snapshot();
    for (const { method, path } of routes) {
      for (const headers of attempts) {
        const answer = await world.bare(method, path, { cookie, ...headers });
        expect([method, path, headers, answer.status, answer.code]).toEqual([
          method,
          path,
          headers,
          403,
          "csrf_refused",
        ]);
      }
    }
    expect(await world.snapshot()).toEqual(before);
  });

  test("our own page's change is let through on every one of them", async ({ api, world }) => {
    const { cookie, csrf } = await world.person();
    for (const { method, path } of world.mutatingRoutes()) {
      if (path.endsWith("/logout")) continue;
      const answer = await world.bare(method, path, { cookie, origin: api.baseUrl, "x-csrf-token": csrf });
      expect([method, path, answer.code]).not.toEqual([method, path, "csrf_refused"]);
      expect(answer.status).toBeLessThan(500);
    }
  });

  test("a token needs none of it", async ({ api }) => {
    const org = await api.makeOrg();
    const { token } = await api.makeAccount(org, [["service_account", "*"]]);
    const path = `/api/v1/orgs/${org}/service-accounts`;
    const answer = await api.call("POST", path, {
      token,
      body: { name: "x" },
      headers: { origin: "https://evil.test" },
    });
    expect(answer.status).toBe(201);
  });

  test("reading by GET is not kept from anyone who holds the cookie", async ({ api, world }) => {
    const { cookie, csrf } = await world.person();
    const answer = await api.call("GET", ME, { headers: { cookie, origin: "https://evil.test" } });
    expect([answer.status, answer.body.csrf_token]).toEqual([200, csrf]);
    // And no page elsewhere may read that answer.
    expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});
