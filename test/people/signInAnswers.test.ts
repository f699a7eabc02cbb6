/**
 * Sign-ins whose answer is forged, mixed up or from elsewhere: each is refused, leaves no session and links nothing.
 */
import { describe, expect } from "vitest";
import { freshCode, test } from "../support/attackTest.ts";
import { atCallback, Browser } from "../support/browser.ts";
import { startIdentityProvider } from "../support/identityProvider.ts";
import { startScriptedIssuer } from "../support/scriptedIssuer.ts";
import { addPassingMember, addSource, agree, beginLink, signInAt } from "../support/signInWorld.ts";

test.beforeEach(({ scripted }) => {
  scripted.script = {};
});

describe("the answer", () => {
  test("an ID token for another client, by another issuer, over, or not for this sign-in", async ({
    scripted,
    honest,
    world,
  }) => {
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
    for (const claim of claims) await world.refusedWith({ claims: claim });
  });

  test("one that is not signed by the issuer's key", async ({ api, world }) => {
    for (const signature of ["another key", "none", "client secret"] as const) await world.refusedWith({ signature });
    // The key set is remembered for a while, so a broken one shows at an issuer that was never asked.
    const broken = await startScriptedIssuer();
    broken.script = {
      keys: { keys: [{ kty: "EC", crv: "P-256", x: "AA", y: "AA", alg: "ES256", kid: "k", use: "sig" }] },
    };
    const at = await addSource(api, broken);
    const browser = new Browser();
    const asked = await world.begin(browser, at, broken.issuer);
    broken.nonce = asked.get("nonce") ?? "";
    await world.expectRefused(() => world.comeBack(browser, asked), browser);
    await broken.close();
  });

  test("a token answer that is none", async ({ world }) => {
    const bodies = [{}, [], "text", null, { access_token: "at", token_type: "Bearer" }, { error: "invalid_grant" }];
    for (const body of bodies) {
      await world.refusedWith({ tokenAnswer: { status: 200, body } });
      await world.refusedWith({ tokenAnswer: { status: 400, body } });
    }
    await world.refusedWith({ tokenAnswer: { status: 500, body: {} } });
    await world.refusedWith({ tokenAnswer: { status: 302, body: {} } });
  });

  test("an error, no code, several, or what belongs to other flows", async ({ api, scripted, world }) => {
    const query = async (extra: string) => {
      const browser = new Browser();
      const asked = await world.begin(browser, world.hostile, scripted.issuer);
      const before = scripted.exchanged.length;
      await world.expectRefused(
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

  test("the code goes with the verifier of its own sign-in", async ({ scripted, world }) => {
    const browser = new Browser();
    const asked = await world.begin(browser, world.hostile, scripted.issuer);
    expect(asked.get("code_challenge_method")).toBe("S256");
    await world.comeBack(browser, asked);
    const verifier = scripted.exchanged.at(-1)?.get("code_verifier") ?? "";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    expect(Buffer.from(digest).toString("base64url")).toBe(asked.get("code_challenge"));
  });
});

describe("two issuers that are mixed up", () => {
  test("an honest answer that names its issuer never reaches the hostile one", async ({ scripted, honest, world }) => {
    const victim = new Browser();
    const asked = await world.begin(victim, world.hostile, scripted.issuer);
    // The hostile issuer sends the browser on, with the honest provider's client and its own state.
    const onward = new URL(`${honest.issuer}/auth`);
    for (const [name, value] of asked) onward.searchParams.set(name, value);
    honest.next = "victim";
    const stopped = await victim.visit(onward.href, { stopAt: atCallback });
    expect(new URL(stopped.url).searchParams.get("iss")).toBe(honest.issuer);
    const before = scripted.exchanged.length;
    await world.expectRefused(() => victim.send(stopped.url), victim);
    expect(scripted.exchanged.length).toBe(before);
  });

  test("without issuer names, a code that passed through one sign-in is worthless in another", async ({
    api,
    scripted,
    world,
  }) => {
    const silent = await startScriptedIssuer();
    const at = await addSource(api, silent);
    const [victim, attacker] = [new Browser(), new Browser()];
    const planted = await world.begin(attacker, at, silent.issuer);
    const asked = await world.begin(victim, world.hostile, scripted.issuer);
    const code = freshCode();
    await world.comeBack(victim, asked, { code });
    expect(scripted.exchanged.at(-1)?.get("code")).toBe(code);
    silent.nonce = planted.get("nonce") ?? "";
    const query = new URLSearchParams({ state: planted.get("state") ?? "", code });
    await world.expectRefused(() => attacker.send(`${api.baseUrl}/api/v1/auth/sso/callback?${query}`), attacker);
    expect(silent.exchanged).toEqual([]);
    await silent.close();
  });

  test("an issuer that promises to name itself must do so", async ({ api, world }) => {
    const forgetful = await startIdentityProvider({
      redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`],
      sendsIss: false,
    });
    const browser = new Browser();
    const at = await addSource(api, forgetful);
    await world.expectRefused(() => signInAt(api, forgetful, at, "a", browser), browser);
    await forgetful.close();
  });
});

describe("the source", () => {
  test("whose issuer claims to be another is not gone to", async ({ api, honest }) => {
    const liar = await startScriptedIssuer();
    liar.script.metadata = { issuer: honest.issuer };
    const at = await addSource(api, liar);
    const answer = await new Browser().send(api.baseUrl + at.startPath);
    expect([answer.status, JSON.parse(answer.text).code]).toEqual([502, "upstream_unavailable"]);
    await liar.close();
  });

  test("that is disabled, deleted or pointed elsewhere in the middle ends the sign-in", async ({
    api,
    honest,
    scripted,
    world,
  }) => {
    const { sql } = api.database;
    const changes = [
      (id: string) => sql`update identity_sources set enabled = false where id = ${id}`,
      (id: string) => sql`delete from identity_sources where id = ${id}`,
      (id: string) => sql`update identity_sources set oidc_issuer = ${honest.issuer} where id = ${id}`,
    ];
    for (const change of changes) {
      const at = await addSource(api, scripted);
      const browser = new Browser();
      const asked = await world.begin(browser, at, scripted.issuer);
      await change(at.id);
      await world.expectRefused(() => world.comeBack(browser, asked), browser);
    }
  });
});

describe("linking", () => {
  test("begun in one session and ended in another, or in none, links nothing", async ({
    api,
    honest,
    scripted,
    world,
  }) => {
    const browser = new Browser();
    await signInAt(api, honest, world.source, "owner", browser);
    const stopAt = (url: URL) => url.origin === scripted.issuer;
    const { id } = JSON.parse((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).text);
    await addPassingMember(api, world.hostile.orgId, id);
    const asked = new URL((await beginLink(api, browser, world.hostile, { stopAt })).url).searchParams;
    // Another person signs in with the same browser meanwhile.
    browser.forget(honest.issuer);
    await agree(api, browser, await signInAt(api, honest, world.source, "another", browser));
    const before = await world.counts();
    expect((await world.comeBack(browser, asked)).status).toBe(403);
    await addPassingMember(
      api,
      world.hostile.orgId,
      JSON.parse((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).text).id,
    );
    const again = new URL((await beginLink(api, browser, world.hostile, { stopAt })).url).searchParams;
    await api.database.sql`delete from sessions`;
    expect([403, 401]).toContain((await world.comeBack(browser, again)).status);
    expect((await world.counts())?.identities).toBe(before?.identities);
  });
});
