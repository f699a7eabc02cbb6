/** Sign-ins that somebody tampers with, at an honest provider and a scripted one: what those tests begin with. */
import { expect } from "vitest";
import { Browser, type Visit } from "./browser.ts";
import { startIdentityProvider } from "./identityProvider.ts";
import { type Script, startScriptedIssuer } from "./scriptedIssuer.ts";
import { addSource, type TestSource } from "./signInWorld.ts";
import { peopleTest } from "./test.ts";

let codes = 0;
export const freshCode = () => `code-${++codes}-${Math.random()}`;

export const test = peopleTest({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "100000" } })
  .extend("honest", { scope: "file" }, async ({ api }, { onCleanup }) => {
    const honest = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
    onCleanup(() => honest.close());
    return honest;
  })
  .extend("scripted", { scope: "file" }, async ({}, { onCleanup }) => {
    const scripted = await startScriptedIssuer();
    onCleanup(() => scripted.close());
    return scripted;
  })
  .extend("world", { scope: "file" }, async ({ api, honest, scripted }) => {
    const source = await addSource(api, honest);
    const hostile = await addSource(api, scripted);

    /** Begin at a source and stop before its provider: what the provider is asked. */
    async function begin(browser: Browser, at: TestSource, issuer: string): Promise<URLSearchParams> {
      const stopped = await browser.visit(api.baseUrl + at.startPath, { stopAt: (url) => url.origin === issuer });
      return new URL(stopped.url).searchParams;
    }

    /** Come back from a scripted issuer. */
    async function comeBack(
      browser: Browser,
      asked: URLSearchParams,
      extra: Record<string, string> = {},
    ): Promise<Visit> {
      scripted.nonce = asked.get("nonce") ?? "";
      const query = new URLSearchParams({ state: asked.get("state") ?? "", code: freshCode(), ...extra });
      return browser.send(`${api.baseUrl}/api/v1/auth/sso/callback?${query}`);
    }

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
    const refusedWith = async (script: Partial<Script>) => {
      scripted.script = script;
      const browser = new Browser();
      const asked = await begin(browser, hostile, scripted.issuer);
      await expectRefused(() => comeBack(browser, asked), browser);
    };

    return { begin, comeBack, counts, expectRefused, refusedWith, source, hostile };
  });
