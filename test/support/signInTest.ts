/** Signing in at a scripted provider: what those tests begin with. */
import { expect } from "vitest";
import { Browser } from "./browser.ts";
import { startIdentityProvider } from "./identityProvider.ts";
import { addBinding, addSource, entitlements, signInAt } from "./signInWorld.ts";
import { peopleTest } from "./test.ts";

export const test = peopleTest({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "10000" } })
  .extend("idp", { scope: "file" }, async ({ api }, { onCleanup }) => {
    const idp = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
    onCleanup(() => idp.close());
    return idp;
  })
  .extend("world", ({ api, idp }) => {
    const me = async (browser: Browser) => JSON.parse((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).text);
    const expectEntitled = async (claims: object, expected: string[], bound: string[]) => {
      const source = await addSource(api, idp, { clientId: idp.clientId });
      for (const group of bound) await addBinding(api, source, group);
      const subject = `g-${Math.random().toString(36).slice(2)}`;
      idp.users.set(subject, { preferred_username: "g", ...claims });
      const browser = new Browser();
      await signInAt(api, idp, source, subject, browser);
      const { id } = await me(browser);
      expect(await entitlements(api, id)).toEqual(expected);
      return { id, source, subject };
    };

    return { me, expectEntitled };
  });
