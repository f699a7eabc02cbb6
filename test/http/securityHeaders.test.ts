/** Every answer tells browsers what they may do with it (docs/security.md#headers). */
import { expect } from "vitest";
import { peopleTest } from "../support/test.ts";

const HTML = { accept: "text/html" };
const PATHS: [path: string, headers?: Record<string, string>][] = [
  ["/healthz"],
  ["/metrics"],
  ["/nowhere"],
  ["/api/v1/auth/me"],
  ["/api/v1/auth/sso/providers"],
  ["/api/v1/auth/sso/confirm"],
  ["/api/v1/auth/sso/codehost/start", HTML],
  ["/api/v1/auth/sso/callback", HTML],
  ["/orgs/a/stacks/b"],
  ["/api/v1/orgs/x%00y"],
  ["/api/v1/runners/x/heartbeat"],
];

const test = peopleTest({
  env: { SVC_BACKEND_PUBLIC_BASE_URL: "https://deploy.example", SVC_SSO_REQUESTS_PER_MINUTE: "10000" },
});
const plainHttp = peopleTest();

test("on every kind of answer, whatever came of the request", async ({ api }) => {
  for (const [path, headers = {}] of PATHS) {
    const answer = await fetch(api.baseUrl + path, { headers, redirect: "manual" });
    const told = Object.fromEntries(answer.headers);
    expect([path, told]).toEqual([
      path,
      expect.objectContaining({
        "strict-transport-security": expect.stringMatching(/^max-age=\d{8}$/),
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "same-origin",
        "content-security-policy": expect.stringMatching(/^default-src 'none'.*frame-ancestors 'none'/),
      }),
    ]);
    if (!answer.headers.get("content-type")?.includes("html")) {
      expect(told["content-security-policy"]).not.toMatch(/script-src|style-src/);
    }
  }
});

plainHttp("strict transport is not told over plain http", async ({ api }) => {
  const answer = await fetch(`${api.baseUrl}/healthz`);
  expect([answer.headers.has("strict-transport-security"), answer.headers.has("x-frame-options")]).toEqual([
    false,
    true,
  ]);
});
