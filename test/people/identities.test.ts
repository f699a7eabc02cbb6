/**
 * What a person can sign in with: the list, linking, and unlinking with all that came through it
 * (docs/rules/sign-in.md#identities).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createSession } from "../../src/people/sessions/sessions.ts";
import { signIn } from "../../src/people/sso/signIn.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { Browser } from "../support/browser.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identityProvider.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import {
  addBinding,
  addPassingMember,
  addRule,
  addSource,
  entitlements,
  linkAt,
  signInAt,
  type TestSource,
} from "../support/signInWorld.ts";
import { waitFor } from "../support/waitFor.ts";

const IDENTITIES = "/api/v1/me/identities";

let api: PeopleApi;
let home: IdentityProvider;
let away: IdentityProvider;
beforeAll(async () => {
  api = await startPeopleApi({ env: { SVC_EGRESS_ALLOW: "127.0.0.1", SVC_SSO_REQUESTS_PER_MINUTE: "100000" } });
  const redirectUris = [`${api.baseUrl}/api/v1/auth/sso/callback`];
  [home, away] = await Promise.all([startIdentityProvider({ redirectUris }), startIdentityProvider({ redirectUris })]);
});
afterAll(async () => {
  await Promise.all([home.close(), away.close()]);
  await api.close();
});

type Shown = { id: string; issuer: string; login: string | null; can_sign_in: boolean; this_session: boolean };

async function me(browser: Browser): Promise<{ id: string; csrf_token: string }> {
  return JSON.parse((await browser.send(`${api.baseUrl}/api/v1/auth/me`)).text);
}

async function shown(browser: Browser): Promise<Shown[]> {
  const answer = await browser.send(`${api.baseUrl}${IDENTITIES}?order=asc`);
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text).items;
}

async function unlink(browser: Browser, id: string) {
  const { csrf_token } = await me(browser);
  const headers = { origin: api.baseUrl, "x-csrf-token": csrf_token };
  const answer = await browser.send(`${api.baseUrl}${IDENTITIES}/${id}`, { method: "DELETE", headers });
  return { status: answer.status, ...(answer.text === "" ? {} : { detail: JSON.parse(answer.text).detail as string }) };
}

async function link(browser: Browser, idp: IdentityProvider, source: TestSource, subject: string) {
  idp.next = subject;
  return linkAt(api, browser, source);
}

let people = 0;

/**
 * Signed in at home, and linked to an identity elsewhere, by whose group they are a member and a viewer of `away.org`.
 */
async function linked() {
  const subject = `p-${++people}`;
  const [first, second] = [await addSource(api, home), await addSource(api, away)];
  // A group of their own: rules of every source with the same question are looked at.
  const group = `staff-${subject}`;
  await addRule(api, second, "oidc_group", { group });
  await addBinding(api, second, group);
  home.users.set(subject, { preferred_username: `home-${subject}` });
  away.users.set(subject, { preferred_username: `away-${subject}`, groups: [group] });
  const browser = new Browser();
  expect((await signInAt(api, home, first, subject, browser)).status).toBe(200);
  const user = (await me(browser)).id;
  await addPassingMember(api, second.orgId, user);
  expect((await link(browser, away, second, subject)).status).toBe(200);
  const [one, other] = await shown(browser);
  return { subject, group, browser, first, second, one: one!, other: other!, user };
}

const memberOf = async (orgId: string, user: string) =>
  (await api.database.sql`select from memberships where org_id = ${orgId} and user_id = ${user}`).length === 1;

const auditOf = async (user: string) => {
  const rows = await api.database.sql`
    select a.action, a.org_id from audit_log a left join organizations o on o.id = a.org_id
    where a.resource_id = ${user} and a.action in ('identity.link', 'identity.unlink', 'member.revoke') and not coalesce(o.is_personal, false)
    order by a.org_id is not null, a.id`;
  return rows.map(({ action, org_id }) => [action, org_id]);
};

/** What signs in at an issuer that nobody has to run: the callback's second half. */
function signingIn(subject: string) {
  const identity = { providerKey: "oidc" as const, issuer: "https://idp.example", subject };
  const question = { providerKey: "oidc" as const, issuer: identity.issuer, clientId: "c", groupsClaim: "groups" };
  const deps = {
    service: api.service,
    metrics: api.metrics,
    orgDefaults: { maxUsers: 1, runsPerHour: 2 },
    entitlementTtlMs: 1_000,
  };
  const signedIn = { identity, login: "x", displayName: null, verifiedLogins: [], question, facts: null };
  return signIn(deps, signedIn, null, createLogger("silent", "test")).catch((error: unknown) => error);
}

async function lockWaits(): Promise<void> {
  const blocked = () => api.database.sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await waitFor(async () => (await blocked()).length > 0, { what: "the sign-in to wait" });
}

describe("linking", () => {
  test("is seen by a first sign-in that waits for it: refused, and no user is left", async () => {
    const { sql } = api.database;
    const { user } = await api.makeUser();
    let waiting: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`insert into user_identities (provider_key, issuer, subject, user_id) values ('oidc', 'https://idp.example', ${user}, ${user})`;
      waiting = signingIn(user);
      await lockWaits();
    });
    expect(await waiting).toMatchObject({ status: 403, code: "sign_in_refused" });
    expect(await sql`select from users where subject = ${user} and provider_key = 'oidc'`).toHaveLength(0);
    expect(await signingIn(user)).toMatch(/^[\w-]{43}$/);
  });
});

describe("the list", () => {
  test("shows one's own, what they are called, and which began this session", async () => {
    const { subject, browser, second, user } = await linked();
    expect(await shown(browser)).toEqual([
      expect.objectContaining({ issuer: home.issuer, login: `home-${subject}`, can_sign_in: true, this_session: true }),
      expect.objectContaining({
        issuer: away.issuer,
        login: `away-${subject}`,
        can_sign_in: true,
        this_session: false,
      }),
    ]);
    expect(await auditOf(user)).toEqual([
      ["identity.link", null],
      ["identity.link", second.orgId],
    ]);
    const { body } = await api.call("GET", `${IDENTITIES}?limit=1`, { user });
    const next = await api.call("GET", `${IDENTITIES}?limit=1&cursor=${body.next_cursor}`, { user });
    expect([body.items.length, next.body.items.length, next.body.next_cursor]).toEqual([1, 1, null]);
    expect(body.items[0].id).not.toBe(next.body.items[0].id);
  });

  test("is not there for service accounts", async () => {
    const { token } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
    expect((await api.call("GET", IDENTITIES, { token })).status).toBe(403);
  });

  test("linking again is told once in the audit trail", async () => {
    const { subject, browser, second, user } = await linked();
    expect((await link(browser, away, second, subject)).status).toBe(200);
    expect(await auditOf(user)).toEqual([
      ["identity.link", null],
      ["identity.link", second.orgId],
    ]);
  });
});

describe("unlinking", () => {
  test("ends sessions, groups and memberships that came through it, and nothing else, in one transaction", async () => {
    const { subject, group, browser, first, second, other, user } = await linked();
    await addRule(api, first, "oidc_group", { group: "crew" });
    await addBinding(api, first, "crew");
    home.users.set(subject, { preferred_username: "h", groups: ["crew"] });
    await signInAt(api, home, first, subject, browser);
    const elsewhere = new Browser();
    await signInAt(api, away, second, subject, elsewhere);
    expect((await me(elsewhere)).id).toBe(user);
    expect(await entitlements(api, user)).toEqual(["crew", group]);
    const org = `${api.baseUrl}/api/v1/orgs/${second.orgId}`;
    expect((await browser.send(org)).status).toBe(200);

    expect(await unlink(browser, other.id)).toEqual({ status: 204 });
    expect((await elsewhere.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(401);
    expect((await browser.send(org)).status).toBe(403);
    expect(await entitlements(api, user)).toEqual(["crew"]);
    expect([await memberOf(second.orgId, user), await memberOf(first.orgId, user)]).toEqual([false, true]);
    expect((await shown(browser)).map(({ issuer }) => issuer)).toEqual([home.issuer]);
    expect(await auditOf(user)).toEqual([
      ["identity.link", null],
      ["identity.unlink", null],
      ["identity.link", second.orgId],
      ["identity.unlink", first.orgId],
      ["identity.unlink", second.orgId],
      ["member.revoke", second.orgId],
    ]);
    // It is nobody's now, and makes a user of its own.
    const again = new Browser();
    await signInAt(api, away, second, subject, again);
    expect((await me(again)).id).not.toBe(user);
  });

  test("keeps what people gave: a membership without end, its roles, and personal tokens", async () => {
    const { browser, second, other, user } = await linked();
    await api.database.sql`update memberships set expires_at = null, source = 'manual', identity_id = null
      where org_id = ${second.orgId} and user_id = ${user}`;
    expect((await unlink(browser, other.id)).status).toBe(204);
    expect(await memberOf(second.orgId, user)).toBe(true);
  });

  test("of the identity that began this session signs out, and that one cannot come back by itself", async () => {
    const { subject, browser, first, second, one, user } = await linked();
    expect((await unlink(browser, one.id)).status).toBe(204);
    expect(browser.cookie(api.baseUrl, "svc_session")).toBeUndefined();
    expect(await api.database.sql`select from sessions where user_id = ${user}`).toHaveLength(0);
    // The id is named after it, so it can be no new user; the text says what to do.
    const refused = await signInAt(api, home, first, subject, new Browser());
    expect([refused.status, JSON.parse(refused.text).detail]).toEqual([403, expect.stringContaining("link it again")]);
    const back = new Browser();
    await signInAt(api, away, second, subject, back);
    expect((await me(back)).id).toBe(user);
    await addPassingMember(api, first.orgId, user);
    expect((await link(back, home, first, subject)).status).toBe(200);
    const again = new Browser();
    await signInAt(api, home, first, subject, again);
    expect((await me(again)).id).toBe(user);
  });

  test("is refused for the last identity, also when another is left that cannot sign in", async () => {
    const { group, browser, second, one, other, user } = await linked();
    await api.database.sql`update identity_sources set enabled = false where oidc_issuer = ${away.issuer}`;
    expect((await shown(browser)).map(({ can_sign_in }) => can_sign_in)).toEqual([true, false]);
    expect(await unlink(browser, one.id)).toEqual({
      status: 409,
      detail: "Without this identity you could not sign in any more. Link another one first.",
    });
    expect(await shown(browser)).toHaveLength(2);
    expect(await entitlements(api, user)).toEqual([group]);
    expect(await memberOf(second.orgId, user)).toBe(true);
    expect((await unlink(browser, other.id)).status).toBe(204);
    expect((await unlink(browser, one.id)).status).toBe(409);
    expect((await me(browser)).id).toBe(user);
  });

  test("of two at once at least one identity stays", async () => {
    for (let round = 0; round < 8; round++) {
      const { browser, second, subject, one, other, user } = await linked();
      const elsewhere = new Browser();
      await signInAt(api, away, second, subject, elsewhere);
      const answers = await Promise.all([unlink(browser, other.id), unlink(elsewhere, one.id)]);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(await api.database.sql`select from user_identities where user_id = ${user}`).toHaveLength(1);
    }
  });

  test("is seen by a sign-in that waits for it: refused, and no session is left", async () => {
    const { sql } = api.database;
    const { user } = await api.makeUser();
    await sql`insert into user_identities (provider_key, issuer, subject, user_id) values ('oidc', 'https://idp.example', ${user}, ${user})`;
    let waiting: Promise<unknown> | undefined;
    await sql.begin(async (tx) => {
      await tx`select from users where id = ${user} for no key update`;
      waiting = signingIn(user);
      await lockWaits();
      await tx`delete from user_identities where subject = ${user}`;
    });
    expect(await waiting).toMatchObject({ status: 403, code: "sign_in_refused" });
    expect(await sql`select from sessions where user_id = ${user}`).toHaveLength(0);
  });

  test("ends sessions of which it is not recorded how they began", async () => {
    const { browser, other, user } = await linked();
    const old = new Browser();
    old.setCookie(api.baseUrl, "svc_session", await createSession(api.database.db, user));
    expect((await me(old)).id).toBe(user);
    expect((await unlink(browser, other.id)).status).toBe(204);
    expect((await old.send(`${api.baseUrl}/api/v1/auth/me`)).status).toBe(401);
  });

  test("is refused where nobody would be left who may do everything", async () => {
    const { browser, second, other, user } = await linked();
    const { sql } = api.database;
    await sql`update group_role_binding_roles br set role_id = r.id from roles r, group_role_bindings b
      where b.id = br.binding_id and b.identity_source_id = ${second.id} and r.name = 'admin' and r.is_system`;
    const refused = await unlink(browser, other.id);
    expect([refused.status, refused.detail]).toEqual([409, expect.stringContaining("Nobody would be left")]);
    expect(await memberOf(second.orgId, user)).toBe(true);
    await api.makeUser({ orgs: [second.orgId], grants: [["*", "*"]] });
    expect((await unlink(browser, other.id)).status).toBe(204);
  });

  test("needs a session, and an identity of one's own", async () => {
    const { browser, other, user } = await linked();
    const stranger = await linked();
    for (const id of [other.id, "x", "01a1f77a-0000-7000-8000-00000000dead"]) {
      expect((await unlink(stranger.browser, id)).status).toBe(404);
    }
    const org = await api.makeOrg();
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${user})`;
    const { csrf_token } = await me(browser);
    const headers = { origin: api.baseUrl, "x-csrf-token": csrf_token, "content-type": "application/json" };
    const body = JSON.stringify({ org_id: org, name: "t" });
    const made = await browser.send(`${api.baseUrl}/api/v1/me/tokens`, { method: "POST", headers, body });
    const { token } = JSON.parse(made.text);
    expect((await api.call("GET", IDENTITIES, { token })).body.items).toHaveLength(2);
    const refused = await api.call("DELETE", `${IDENTITIES}/${other.id}`, { token });
    expect([refused.status, refused.body.code]).toEqual([403, "session_required"]);
    expect(await shown(browser)).toHaveLength(2);
  });
});
