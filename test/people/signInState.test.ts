/** Sign-ins whose state or outcome somebody tampers with: each is refused, leaves no session and links nothing. */
import { describe, expect } from "vitest";
import type { SignedIn } from "../../src/people/sso/provider.ts";
import { signIn } from "../../src/people/sso/signIn.ts";
import { issuerHash, userId } from "../../src/people/sso/userId.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { test } from "../support/attackTest.ts";
import { atCallback, Browser } from "../support/browser.ts";

test.beforeEach(({ scripted }) => {
  scripted.script = {};
});

describe("the state", () => {
  test("not issued here, used before, or none at all", async ({ api, honest, world }) => {
    const browser = new Browser();
    honest.next = "a";
    const stopped = await browser.visit(api.baseUrl + world.source.startPath, { stopAt: atCallback });
    const other = new URL(stopped.url);
    other.searchParams.set("state", "A".repeat(43));
    await world.expectRefused(() => browser.send(other.href), browser);
    other.searchParams.delete("state");
    await world.expectRefused(() => browser.send(other.href), browser);
    expect((await browser.visit(stopped.url)).status).toBe(200);
    await world.expectRefused(() => browser.send(stopped.url));
  });

  test("older than ten minutes by the database's clock", async ({ api, honest, world }) => {
    const browser = new Browser();
    honest.next = "a";
    const stopped = await browser.visit(api.baseUrl + world.source.startPath, { stopAt: atCallback });
    await api.database.advanceClock(10 * 60_000 + 1_000);
    await world.expectRefused(() => browser.send(stopped.url), browser);
  });

  test("begun in another browser, which is used up by the attempt", async ({ api, honest, world }) => {
    const [victim, attacker] = [new Browser(), new Browser()];
    honest.next = "a";
    const stopped = await attacker.visit(api.baseUrl + world.source.startPath, { stopAt: atCallback });
    await world.expectRefused(() => victim.send(stopped.url), victim);
    // Also with a cookie from a sign-in of their own.
    await world.begin(victim, world.source, honest.issuer);
    const again = await attacker.visit(api.baseUrl + world.source.startPath, { stopAt: atCallback });
    await world.expectRefused(() => victim.send(again.url), victim);
    await world.expectRefused(() => attacker.send(again.url), attacker);
  });

  test("of two answers at once one is taken", async ({ api, honest, world }) => {
    const browser = new Browser();
    honest.next = "a";
    const stopped = await browser.visit(api.baseUrl + world.source.startPath, { stopAt: atCallback });
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.send(stopped.url)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([302, 403, 403, 403]);
  });

  test("decides alone: other parameters change nothing", async ({ api, scripted, world }) => {
    const browser = new Browser();
    const asked = await world.begin(browser, world.hostile, scripted.issuer);
    const answer = await world.comeBack(browser, asked, {
      provider_key: "codehost",
      return_to: "https://evil.test/",
      source_id: world.source.id,
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${api.baseUrl}/api/v1/auth/me`]);
  });
});

describe("a refusal", () => {
  test("is a page for who looks at it in a browser, and JSON for a program; neither repeats what was sent", async ({
    api,
    world,
  }) => {
    const hostile = "%3Cscript%3Ealert(1)%3C/script%3E";
    const at = (accept: string, path = `callback?state=${hostile}&code=${hostile}`) =>
      new Browser().send(`${api.baseUrl}/api/v1/auth/sso/${path}`, { headers: { accept } });
    const page = await at("text/html,application/xhtml+xml,*/*;q=0.8");
    expect([page.status, page.headers.get("content-type")]).toEqual([403, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.text).toContain("That did not work");
    expect(page.text).toContain("Begin again.");
    expect(page.text).not.toContain("script");
    const elsewhere = await at(
      "text/html",
      `${world.source.startPath.slice("/api/v1/auth/sso/".length)}?return_to=//x`,
    );
    expect([elsewhere.status, elsewhere.text]).toEqual([422, expect.stringContaining("return_to: must be a path")]);
    // A field that does not exist is named; as text.
    const unknown = await at("text/html", `${world.source.startPath.slice("/api/v1/auth/sso/".length)}?${hostile}=1`);
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining("&lt;script&gt;")]);
    expect(unknown.text).not.toContain("<script");
    for (const accept of ["application/json", "*/*"]) {
      expect(JSON.parse((await at(accept)).text).code).toBe("sign_in_refused");
    }
    // Of a route that programs call it stays JSON whatever is asked for.
    const me = await new Browser().send(`${api.baseUrl}/api/v1/auth/me`, { headers: { accept: "text/html" } });
    expect([me.status, JSON.parse(me.text).code]).toEqual([401, "not_authenticated"]);
  });
});

describe("twins", () => {
  /** Found by trying 33 million names: the first 48 bits of their SHA-256 are equal. */
  const [ONE, OTHER] = ["https://idp-5956879.example.test", "https://idp-20217027.example.test"];
  const person = (issuer: string): SignedIn => ({
    identity: { providerKey: "oidc", issuer, subject: "1" },
    login: "root",
    displayName: null,
    verifiedLogins: [],
    question: { providerKey: "oidc", issuer, clientId: "c", groupsClaim: "groups" },
    facts: { kind: "oidc", groups: [] },
  });

  test("two issuers with one hash: the second cannot be the first one's user", async ({ api, world }) => {
    expect(issuerHash(ONE)).toBe(issuerHash(OTHER));
    expect(userId(person(ONE))).toBe(userId(person(OTHER)));
    const deps = {
      service: api.service,
      metrics: api.metrics,
      orgDefaults: { maxUsers: 1, runsPerHour: 2 },
      entitlementTtlMs: 1_000,
    };
    const log = createLogger("silent", "test");
    await signIn(deps, person(ONE), null, log);
    const before = await world.counts();
    await expect(signIn(deps, person(OTHER), null, log)).rejects.toMatchObject({
      status: 403,
      code: "sign_in_refused",
    });
    expect(await world.counts()).toEqual(before);
    await signIn(deps, person(ONE), null, log);
    expect(await world.counts()).toEqual({ ...before, sessions: before?.sessions + 1 });
  });
});
