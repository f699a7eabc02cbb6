/**
 * What a provider answers is not enough to become somebody's identity, or to take the place of who is signed in: the
 * person agrees on a page of ours (docs/rules/sign-in.md#what-asks-first).
 */
import { createHash } from "node:crypto";
import { describe, expect } from "vitest";
import { Browser } from "../support/browser.ts";
import { test } from "../support/signInTest.ts";
import {
  addPassingMember,
  addSource,
  agree,
  askedAt,
  beginLink,
  change,
  linkAt,
  signInAt,
} from "../support/signInWorld.ts";

let people = 0;

describe("linking", () => {
  test("another site cannot begin it: there is no address that does", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    await signInAt(api, idp, source, `c-${++people}`, browser);
    await addPassingMember(api, source.orgId, (await world.me(browser)).id);
    const path = `${api.baseUrl}/api/v1/auth/sso/oidc/link/start?org=${source.handle}&source=${source.slug}`;
    for (const headers of [{}, { "sec-fetch-site": "none" }, { "sec-fetch-site": "same-origin" }]) {
      expect((await browser.send(path, { headers: headers as Record<string, string> })).status).toBe(405);
    }
    expect(await api.database.sql`select from auth_states where link_user_id is not null`).toHaveLength(0);
  });

  test("stores nothing before the person agrees, who is shown issuer and login", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    const subject = `c-${++people}`;
    await signInAt(api, idp, source, subject, browser);
    const { id } = await world.me(browser);
    await addPassingMember(api, source.orgId, id);
    const elsewhere = `c-${++people}`;
    idp.users.set(elsewhere, { preferred_username: "evil", name: "<b>Eve</b>" });
    browser.forget(idp.issuer);
    idp.next = elsewhere;
    const page = await beginLink(api, browser, source);
    const identities = () =>
      api.database.sql`select login from user_identities where user_id = ${id} order by created_at`;
    expect(await identities()).toHaveLength(1);
    const shown = JSON.parse((await browser.send(api.baseUrl + askedAt(page))).text);
    expect(shown).toMatchObject({ action: "link", issuer: idp.issuer, login: "evil", signed_in_as: { id } });
    // Neither another session of theirs nor anybody else's can see it or agree.
    const other = new Browser();
    await signInAt(api, idp, source, subject, other);
    for (const method of ["GET", "POST", "DELETE"]) {
      expect((await change(api, other, method, askedAt(page))).status).toBe(404);
    }
    expect((await agree(api, browser, page)).status).toBe(200);
    expect((await identities()).map(({ login }) => login)).toContain("evil");
    expect((await change(api, browser, "POST", askedAt(page))).status).toBe(404);
  });

  test("a person who declines has nothing new, and what waits is gone after ten minutes", async ({
    api,
    idp,
    world,
  }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    await signInAt(api, idp, source, `c-${++people}`, browser);
    const { id } = await world.me(browser);
    await addPassingMember(api, source.orgId, id);
    browser.forget(idp.issuer);
    idp.next = `c-${++people}`;
    const declined = await beginLink(api, browser, source);
    expect((await change(api, browser, "DELETE", askedAt(declined))).status).toBe(204);
    expect((await change(api, browser, "POST", askedAt(declined))).status).toBe(404);
    const late = await beginLink(api, browser, source);
    await api.database.advanceClock(10 * 60_000 + 1_000);
    expect((await change(api, browser, "POST", askedAt(late))).status).toBe(404);
    expect(await api.database.sql`select from user_identities where user_id = ${id}`).toHaveLength(1);
  });

  test("only at a source of an organization that the person is in, also when they agree", async ({
    api,
    idp,
    world,
  }) => {
    const [source, foreign] = [await addSource(api, idp), await addSource(api, idp)];
    const browser = new Browser();
    await signInAt(api, idp, source, `c-${++people}`, browser);
    const { id } = await world.me(browser);
    expect((await beginLink(api, browser, foreign)).status).toBe(404);
    await addPassingMember(api, foreign.orgId, id);
    browser.forget(idp.issuer);
    idp.next = `c-${++people}`;
    const page = await beginLink(api, browser, foreign);
    await api.database.sql`delete from memberships where org_id = ${foreign.orgId} and user_id = ${id}`;
    expect((await agree(api, browser, page)).status).toBe(404);
    expect(await api.database.sql`select from user_identities where user_id = ${id}`).toHaveLength(1);
  });

  test("is told to the person and to every organization they are in", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    await signInAt(api, idp, source, `c-${++people}`, browser);
    const { id } = await world.me(browser);
    const orgs = [source.orgId, await api.makeOrg()];
    for (const org of orgs) await addPassingMember(api, org, id);
    expect((await world.me(browser)).new_identities).toEqual([]);
    idp.users.set("told", { preferred_username: "mine-too" });
    browser.forget(idp.issuer);
    idp.next = "told";
    expect((await linkAt(api, browser, source)).status).toBe(200);
    const rows = await api.database.sql`
      select a.org_id, a.details, coalesce(o.is_personal, false) as personal
      from audit_log a left join organizations o on o.id = a.org_id where a.action = 'identity.link' and a.resource_id = ${id}`;
    expect(rows.filter(({ org_id }) => orgs.includes(org_id)).map(({ details }) => details)).toEqual([
      { provider_key: "oidc", issuer: idp.issuer },
      { provider_key: "oidc", issuer: idp.issuer },
    ]);
    // In the trail of their own organization, in the installation's, and wherever they look at themselves.
    expect(rows.filter(({ personal }) => personal)).toHaveLength(1);
    expect(rows.find(({ org_id }) => org_id === null)?.details).toMatchObject({ subject: "told" });
    expect((await world.me(browser)).new_identities).toEqual([
      expect.objectContaining({ issuer: idp.issuer, login: "mine-too" }),
    ]);
  });

  test("a super-admin signs in afresh first", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    const subject = `c-${++people}`;
    await signInAt(api, idp, source, subject, browser);
    const { id } = await world.me(browser);
    await addPassingMember(api, source.orgId, id);
    await api.database.sql`update users set is_super_admin = true where id = ${id}`;
    await api.database.advanceClock(10 * 60_000 + 1_000);
    const refused = await beginLink(api, browser, source);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([403, "fresh_sign_in_required"]);
    await signInAt(api, idp, source, subject, browser);
    browser.forget(idp.issuer);
    idp.next = `c-${++people}`;
    expect((await linkAt(api, browser, source)).status).toBe(200);
  });
});

describe("a sign-in while somebody is signed in", () => {
  test("as somebody else asks first, and changes nothing until they agree", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    await signInAt(api, idp, source, `c-${++people}`, browser);
    const { id } = await world.me(browser);
    const attacker = `c-${++people}`;
    browser.forget(idp.issuer);
    const page = await signInAt(api, idp, source, attacker, browser);
    expect((await world.me(browser)).id).toBe(id);
    expect(await api.database.sql`select from users where subject = ${attacker}`).toHaveLength(0);
    const shown = JSON.parse((await browser.send(api.baseUrl + askedAt(page))).text);
    expect(shown).toMatchObject({ action: "switch", issuer: idp.issuer, signed_in_as: { id } });
    const before = browser.cookie(api.baseUrl, "svc_session");
    expect((await agree(api, browser, page)).status).toBe(200);
    expect((await world.me(browser)).id).not.toBe(id);
    const old = new Browser();
    old.setCookie(api.baseUrl, "svc_session", before ?? "");
    expect((await old.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(401);
  });

  test("as the same person goes through", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    const subject = `c-${++people}`;
    await signInAt(api, idp, source, subject, browser);
    const { id } = await world.me(browser);
    expect((await signInAt(api, idp, source, subject, browser)).status).toBe(200);
    expect((await world.me(browser)).id).toBe(id);
  });

  test("is refused where the source was disabled before they agree", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const browser = new Browser();
    await signInAt(api, idp, source, `c-${++people}`, browser);
    const { id } = await world.me(browser);
    browser.forget(idp.issuer);
    const page = await signInAt(api, idp, source, `c-${++people}`, browser);
    await api.database.sql`update identity_sources set enabled = false where id = ${source.id}`;
    expect((await agree(api, browser, page)).status).toBe(403);
    expect((await world.me(browser)).id).toBe(id);
  });
});

test("sign-ins and refusals are in the installation's trail, and in that of the source's organization", async ({
  api,
  idp,
  world,
}) => {
  const source = await addSource(api, idp);
  const browser = new Browser();
  await signInAt(api, idp, source, `c-${++people}`, browser);
  const { id } = await world.me(browser);
  const disabled = new Browser();
  await api.database.sql`update users set disabled_at = svc_now() where id = ${id}`;
  const [row] = await api.database.sql`select subject from users where id = ${id}`;
  expect((await signInAt(api, idp, source, row?.subject, disabled)).status).toBe(403);
  const entries = await api.database.sql`
    select action, org_id, actor_id, details from audit_log
    where action like 'user.sign_in%' and details ->> 'identity_source_id' = ${source.id} order by id`;
  const facts = { provider_key: "oidc", identity_source_id: source.id };
  const begun = { action: "user.sign_in", actor_id: id, details: { ...facts, issuer: idp.issuer } };
  const refused = {
    action: "user.sign_in_refused",
    actor_id: null,
    details: { ...facts, reason: "This user is disabled." },
  };
  expect(entries).toEqual([
    { ...begun, org_id: null },
    { ...begun, org_id: source.orgId },
    { ...refused, org_id: null },
    { ...refused, org_id: source.orgId },
  ]);
});

test("the page that asks runs its own script alone, and nobody may frame it", async ({ api }) => {
  const page = await new Browser().send(`${api.baseUrl}/api/v1/auth/sso/confirm`);
  const policy = page.headers.get("content-security-policy") ?? "";
  const hash = (tag: string) => {
    const text = new RegExp(`<${tag}>(.*?)</${tag}>`, "s").exec(page.text)?.[1] ?? "";
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  };
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`script-src ${hash("script")}`);
  expect(policy).toContain(`style-src ${hash("style")}`);
  expect(policy).toContain("frame-ancestors 'none'");
});
