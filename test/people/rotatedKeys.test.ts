/**
 * An issuer that changes its keys: who signs in a moment later is not refused (docs/rules/sign-in.md#keys-that-rotate).
 */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Browser } from "../support/browser.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { type ScriptedIssuer, startScriptedIssuer } from "../support/scriptedIssuer.ts";
import { addSource, type TestSource } from "../support/signInWorld.ts";

let api: PeopleApi;
let issuer: ScriptedIssuer;
let source: TestSource;

beforeAll(async () => {
  api = await startPeopleApi({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "100000" } });
});
afterAll(() => api.close());
beforeEach(async () => {
  issuer = await startScriptedIssuer();
  source = await addSource(api, issuer);
  return () => issuer.close();
});

let codes = 0;

async function signIn(): Promise<number> {
  const browser = new Browser();
  const stopped = await browser.visit(api.baseUrl + source.startPath, {
    stopAt: (url) => url.origin === issuer.issuer,
  });
  const asked = new URL(stopped.url).searchParams;
  issuer.nonce = asked.get("nonce") ?? "";
  const query = new URLSearchParams({ state: asked.get("state") ?? "", code: `rotated-${++codes}` });
  return (await browser.send(`${api.baseUrl}/api/v1/auth/sso/callback?${query}`)).status;
}

test.each(["another", "k"])("to one named %s, right after the last was fetched", async (kid) => {
  expect(await signIn()).toBe(302);
  await issuer.rotate(kid);
  expect(await signIn()).toBe(302);
  const asked = issuer.keysAsked;
  expect(await signIn()).toBe(302);
  expect(issuer.keysAsked).toBe(asked);
});

test("tokens that nobody signed do not send us to the issuer each time", async () => {
  expect(await signIn()).toBe(302);
  const [keys, discovered] = [issuer.keysAsked, issuer.discovered];
  issuer.script = { signature: "another key" };
  for (let i = 0; i < 10; i++) expect(await signIn()).toBe(403);
  expect([issuer.keysAsked - keys, issuer.discovered - discovered]).toEqual([1, 1]);
  issuer.script = {};
  expect(await signIn()).toBe(302);
});

test("nor do tokens that each name another key", async () => {
  expect(await signIn()).toBe(302);
  const [keys, discovered] = [issuer.keysAsked, issuer.discovered];
  for (let i = 0; i < 20; i++) {
    issuer.script = { signature: "another key", kid: `unknown-${i}` };
    expect(await signIn()).toBe(403);
  }
  expect([issuer.keysAsked - keys, issuer.discovered - discovered]).toEqual([1, 1]);
  issuer.script = {};
  expect(await signIn()).toBe(302);
});
