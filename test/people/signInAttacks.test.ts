/** Sign-ins that somebody tampers with: each is refused, leaves no session and no user, and links nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SignedIn } from "../../src/people/sso/provider.ts";
import { signIn } from "../../src/people/sso/signIn.ts";
import { issuerHash, userId } from "../../src/people/sso/userId.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { atCallback, Browser, type Visit } from "../support/browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identityProvider.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { type Script, type ScriptedIssuer, startScriptedIssuer } from "../support/scriptedIssuer.ts";
import { addSource, signInAt, type TestSource } from "../support/signInWorld.ts";

let api: PeopleApi;
let honest: IdentityProvider;
let scripted: ScriptedIssuer;
let source: TestSource;
let hostile: TestSource;
beforeAll(async () => {
  api = await startPeopleApi({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "100000" } });
  honest = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
  scripted = await startScriptedIssuer();
  source = await addSource(api, honest);
  hostile = await addSource(api, scripted);
});
afterAll(async () => {
  await Promise.all([honest.close(), scripted.close()]);
  await api.close();
});
beforeEach(() => {
  scripted.script = {};
});

/** Begin at a source and stop before its provider: what the provider is asked. */
async function begin(browser: Browser, at: TestSource, issuer: string): Promise<URLSearchParams> {
  const stopped = await browser.visit(api.baseUrl + at.startPath, { stopAt: (url) => url.origin === issuer });
  return new URL(stopped.url).searchParams;
}

/** Come back from a scripted issuer. */
async function comeBack(browser: Browser, asked: URLSearchParams, extra: Record<string, string> = {}): Promise<Visit> {
  scripted.nonce = asked.get("nonce") ?? "";
  const query = new URLSearchParams({ state: asked.get("state") ?? "", code: freshCode(), ...extra });
  return browser.send(`${api.baseUrl}/api/v1/auth/sso/callback?${query}`);
}

let codes = 0;
const freshCode = () => `code-${++codes}-${Math.random()}`;

async function counts() {
  const [row] = await api.database.sql`
    select (select count(*)::int from sessions) as sessions, (select count(*)::int from users) as users,
      (select count(*)::int from user_identities) as identities`;
  return row;
}

/** The attempt answers 403 and leaves the database as it was. */
async function expectRefused(attempt: () => Promise<Visit>, browser?: Browser): Promise<void> {
  const before = await counts();
  const answer = await attempt();
  expect([answer.status, JSON.parse(answer.text).code]).toEqual([403, "sign_in_refused"]);
  expect(await counts()).toEqual(before);
  if (browser) expect(browser.cookie(api.baseUrl, "svc_session")).toBeUndefined();
}

describe("the state", () => {
  test("not issued here, used before, or none at all", async () => {
    const browser = new Browser();
    honest.next = "a";
    const stopped = await browser.visit(api.baseUrl + source.startPath, { stopAt: atCallback });
    const other = new URL(stopped.url);
    other.searchParams.set("state", "A".repeat(43));
    await expectRefused(() => browser.send(other.href), browser);
    other.searchParams.delete("state");
    await expectRefused(() => browser.send(other.href), browser);
    expect((await browser.visit(stopped.url)).status).toBe(200);
    await expectRefused(() => browser.send(stopped.url));
  });

  test("older than ten minutes by the database's clock", async () => {
    const browser = new Browser();
    honest.next = "a";
    const stopped = await browser.visit(api.baseUrl + source.startPath, { stopAt: atCallback });
    await api.database.advanceClock(10 * 60_000 + 1_000);
    await expectRefused(() => browser.send(stopped.url), browser);
  });

  test("begun in another browser, which is used up by the attempt", async () => {
    const [victim, attacker] = [new Browser(), new Browser()];
    honest.next = "a";
    const stopped = await attacker.visit(api.baseUrl + source.startPath, { stopAt: atCallback });
    await expectRefused(() => victim.send(stopped.url), victim);
    // Also with a cookie from a sign-in of their own.
    await begin(victim, source, honest.issuer);
    const again = await attacker.visit(api.baseUrl + source.startPath, { stopAt: atCallback });
    await expectRefused(() => victim.send(again.url), victim);
    await expectRefused(() => attacker.send(again.url), attacker);
  });

  test("of two answers at once one is taken", async () => {
    const browser = new Browser();
    honest.next = "a";
    const stopped = await browser.visit(api.baseUrl + source.startPath, { stopAt: atCallback });
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.send(stopped.url)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([302, 403, 403, 403]);
  });

  test("decides alone: other parameters change nothing", async () => {
    const browser = new Browser();
    const asked = await begin(browser, hostile, scripted.issuer);
    const answer = await comeBack(browser, asked, {
      provider_key: "codehost",
      return_to: "https://evil.test/",
      source_id: source.id,
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${api.baseUrl}/api/v1/auth/me`]);
  });
});

describe("a refusal", () => {
  test("is a page for who looks at it in a browser, and JSON for a program; neither repeats what was sent", async () => {
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
    const elsewhere = await at("text/html", `${source.startPath.slice("/api/v1/auth/sso/".length)}?return_to=//x`);
    expect([elsewhere.status, elsewhere.text]).toEqual([422, expect.stringContaining("return_to: must be a path")]);
    // A field that does not exist is named; as text.
    const unknown = await at("text/html", `${source.startPath.slice("/api/v1/auth/sso/".length)}?${hostile}=1`);
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

describe("the answer", () => {
  const refusedWith = async (script: Partial<Script>) => {
    scripted.script = script;
    const browser = new Browser();
    const asked = await begin(browser, hostile, scripted.issuer);
    await expectRefused(() => comeBack(browser, asked), browser);
  };

  test("an ID token for another client, by another issuer, over, or not for this sign-in", async () => {
    const past = Math.floor(Date.now() / 1_000) - 3_600;
    const claims: Record<string, unknown>[] = [
      { aud: "another-client" },
      { aud: ["another-client"] },
      { aud: [scripted.clientId, "another-client"] },
      { aud: [scripted.clientId, "another-client"], azp: "another-client" },
      { aud: undefined },
      { iss: honest.issuer },
      { iss: `${scripted.issuer}/` },
      { iss: undefined },
      { exp: past },
      { exp: undefined },
      { nonce: undefined },
      { nonce: "another" },
      { nonce: "" },
      { sub: undefined },
      { sub: "" },
      { sub: 17 },
      { sub: "nul\u0000" },
      { preferred_username: "line\nbreak" },
      { preferred_username: "x".repeat(500) },
      { nbf: Math.floor(Date.now() / 1_000) + 3_600 },
    ];
    for (const claim of claims) await refusedWith({ claims: claim });
  });

  test("one that is not signed by the issuer's key", async () => {
    for (const signature of ["another key", "none", "client secret"] as const) await refusedWith({ signature });
    // The key set is remembered for a while, so a broken one shows at an issuer that was never asked.
    const broken = await startScriptedIssuer();
    broken.script = {
      keys: { keys: [{ kty: "EC", crv: "P-256", x: "AA", y: "AA", alg: "ES256", kid: "k", use: "sig" }] },
    };
    const at = await addSource(api, broken);
    const browser = new Browser();
    const asked = await begin(browser, at, broken.issuer);
    broken.nonce = asked.get("nonce") ?? "";
    await expectRefused(() => comeBack(browser, asked), browser);
    await broken.close();
  });

  test("a token answer that is none", async () => {
    const bodies = [{}, [], "text", null, { access_token: "at", token_type: "Bearer" }, { error: "invalid_grant" }];
    for (const body of bodies) {
      await refusedWith({ tokenAnswer: { status: 200, body } });
      await refusedWith({ tokenAnswer: { status: 400, body } });
    }
    await refusedWith({ tokenAnswer: { status: 500, body: {} } });
    await refusedWith({ tokenAnswer: { status: 302, body: {} } });
  });

  test("an error, no code, several, or what belongs to other flows", async () => {
    const query = async (extra: string) => {
      const browser = new Browser();
      const asked = await begin(browser, hostile, scripted.issuer);
      const before = scripted.exchanged.length;
      await expectRefused(
        () => browser.send(`${api.baseUrl}/api/v1/auth/sso/callback?state=${asked.get("state")}${extra}`),
        browser,
      );
      expect(scripted.exchanged.length).toBe(before);
    };
    await query("&error=access_denied&error_description=no");
    await query("");
    await query(`&code=${freshCode()}&code=${freshCode()}`);
    await query(`&code=${freshCode()}&id_token=x`);
    await query(`&code=${freshCode()}&response=x`);
    await query(`&code=${freshCode()}&state=${"B".repeat(43)}`);
  });

  test("the code goes with the verifier of its own sign-in", async () => {
    const browser = new Browser();
    const asked = await begin(browser, hostile, scripted.issuer);
    expect(asked.get("code_challenge_method")).toBe("S256");
    await comeBack(browser, asked);
    const verifier = scripted.exchanged.at(-1)?.get("code_verifier") ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    expect(Buffer.from(digest).toString("base64url")).toBe(asked.get("code_challenge"));
  });
});

describe("two issuers that are mixed up", () => {
  test("an honest answer that names its issuer never reaches the hostile one", async () => {
    const victim = new Browser();
    const asked = await begin(victim, hostile, scripted.issuer);
    // The hostile issuer sends the browser on, with the honest provider's client and its own state.
    const onward = new URL(`${honest.issuer}/auth`);
    for (const [name, value] of asked) onward.searchParams.set(name, value);
    honest.next = "victim";
    const stopped = await victim.visit(onward.href, { stopAt: atCallback });
    expect(new URL(stopped.url).searchParams.get("iss")).toBe(honest.issuer);
    const before = scripted.exchanged.length;
    await expectRefused(() => victim.send(stopped.url), victim);
    expect(scripted.exchanged.length).toBe(before);
  });

  test("without issuer names, a code that passed through one sign-in is worthless in another", async () => {
    const silent = await startScriptedIssuer();
    const at = await addSource(api, silent);
    const [victim, attacker] = [new Browser(), new Browser()];
    const planted = await begin(attacker, at, silent.issuer);
    const asked = await begin(victim, hostile, scripted.issuer);
    const code = freshCode();
    await comeBack(victim, asked, { code });
    expect(scripted.exchanged.at(-1)?.get("code")).toBe(code);
    silent.nonce = planted.get("nonce") ?? "";
    const query = new URLSearchParams({ state: planted.get("state") ?? "", code });
    await expectRefused(() => attacker.send(`${api.baseUrl}/api/v1/auth/sso/callback?${query}`), attacker);
    expect(silent.exchanged).toEqual([]);
    await silent.close();
  });

  test("an issuer that promises to name itself must do so", async () => {
    const forgetful = await startIdentityProvider({
      redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`],
      sendsIss: false,
    });
    const browser = new Browser();
    const at = await addSource(api, forgetful);
    await expectRefused(() => signInAt(api, forgetful, at, "a", browser), browser);
    await forgetful.close();
  });
});

describe("the source", () => {
  test("whose issuer claims to be another is not gone to", async () => {
    const liar = await startScriptedIssuer();
    liar.script.metadata = { issuer: honest.issuer };
    const at = await addSource(api, liar);
    const answer = await new Browser().send(api.baseUrl + at.startPath);
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([502, "upstream_unavailable"]);
    await liar.close();
  });

  test("that is disabled, deleted or pointed elsewhere in the middle ends the sign-in", async () => {
    const { sql } = api.database;
    const changes = [
      (id: string) => sql`update identity_sources set enabled = false where id = ${id}`,
      (id: string) => sql`delete from identity_sources where id = ${id}`,
      (id: string) => sql`update identity_sources set oidc_issuer = ${honest.issuer} where id = ${id}`,
    ];
    for (const change of changes) {
      const at = await addSource(api, scripted);
      const browser = new Browser();
      const asked = await begin(browser, at, scripted.issuer);
      await change(at.id);
      await expectRefused(() => comeBack(browser, asked), browser);
    }
  });
});

describe("linking", () => {
  test("begun in one session and ended in another, or in none, links nothing", async () => {
    const browser = new Browser();
    await signInAt(api, honest, source, "owner", browser);
    const link = `${api.baseUrl}/api/v1/auth/sso/oidc/link/start?org=${hostile.handle}&source=${hostile.slug}`;
    const stopAt = (url: URL) => url.origin === scripted.issuer;
    const asked = new URL((await browser.visit(link, { stopAt })).url).searchParams;
    // Another person signs in with the same browser meanwhile.
    await signInAt(api, honest, source, "another", browser);
    const before = await counts();
    expect((await comeBack(browser, asked)).status).toBe(403);
    const again = new URL((await browser.visit(link, { stopAt })).url).searchParams;
    await api.database.sql`delete from sessions`;
    expect([403, 401]).toContain((await comeBack(browser, again)).status);
    expect((await counts())?.identities).toBe(before?.identities);
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

  test("two issuers with one hash: the second cannot be the first one's user", async () => {
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
    const before = await counts();
    await expect(signIn(deps, person(OTHER), null, log)).rejects.toMatchObject({
      status: 403,
      code: "sign_in_refused",
    });
    expect(await counts()).toEqual(before);
    await signIn(deps, person(ONE), null, log);
    expect(await counts()).toEqual({ ...before, sessions: before?.sessions + 1 });
  });
});
