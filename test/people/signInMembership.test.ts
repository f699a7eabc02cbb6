/** Who becomes a member by signing in, and who links another identity (docs/access.md#what-a-sign-in-does). */
import { describe, expect } from "vitest";
import { Browser } from "../support/browser.ts";
import { startIdentityProvider } from "../support/identityProvider.ts";
import { test } from "../support/signInTest.ts";
import { addPassingMember, addRule, addSource, linkAt, signInAt } from "../support/signInWorld.ts";

test.afterEach(({ api }) => {
  api.logged.length = 0;
});

describe("who becomes a member", () => {
  test("an organization without a seat withholds the membership, and the sign-in goes on", async ({
    api,
    idp,
    world,
  }) => {
    const source = await addSource(api, idp);
    const { sql } = api.database;
    await sql`update organizations set max_users = 1 where id = ${source.orgId}`;
    await api.makeUser({ orgs: [source.orgId] });
    await addRule(api, source, "oidc_group", { group: "staff" });
    idp.users.set("w-1", { preferred_username: "w", groups: ["staff"] });
    const browser = new Browser();
    expect((await signInAt(api, idp, source, "w-1", browser)).status).toBe(200);
    const { id } = await world.me(browser);
    expect(await sql`select 1 from memberships where user_id = ${id} and org_id = ${source.orgId}`).toEqual([]);
    expect(await api.metrics.registry.metrics()).toContain(
      `svc_org_seat_denials{org="${source.orgId}",source="sso"} 1`,
    );
  });

  test("rules of a source with another issuer, client or claim, or a disabled one, are not looked at", async ({
    api,
    idp,
    world,
  }) => {
    const source = await addSource(api, idp);
    const strangers = [
      await addSource(api, { ...idp, issuer: "https://other.test" }),
      await addSource(api, idp, { clientId: "another" }),
      await addSource(api, idp, { groupsClaim: "roles" }),
      await addSource(api, idp, { enabled: false }),
    ];
    for (const one of [source, ...strangers]) await addRule(api, one, "oidc_group", { group: "staff" });
    idp.users.set("q-1", { preferred_username: "q", groups: ["staff"] });
    const browser = new Browser();
    await signInAt(api, idp, source, "q-1", browser);
    const { id } = await world.me(browser);
    const rows = await api.database.sql`
      select org_id from memberships m join organizations o on o.id = m.org_id where m.user_id = ${id} and not o.is_personal`;
    expect(rows.map((row) => row.org_id)).toEqual(expect.arrayContaining([source.orgId]));
    for (const { orgId } of strangers) expect(rows.map((row) => row.org_id)).not.toContain(orgId);
  });

  test("another organization that names the same issuer and client gets nobody who signs in elsewhere", async ({
    api,
    idp,
    world,
  }) => {
    const source = await addSource(api, idp);
    const spy = await addSource(api, idp);
    for (const one of [source, spy]) await addRule(api, one, "oidc_group", { group: "staff" });
    idp.users.set("spied-on", { preferred_username: "spied-on", groups: ["staff"] });
    const browser = new Browser();
    await signInAt(api, idp, source, "spied-on", browser);
    const { id } = await world.me(browser);
    const orgs = async () => {
      const rows = await api.database.sql`
        select org_id from memberships m join organizations o on o.id = m.org_id where m.user_id = ${id} and not o.is_personal`;
      return rows.map((row) => row.org_id);
    };
    expect(await orgs()).toEqual([source.orgId]);
    // By signing in there they become a member there.
    await signInAt(api, idp, spy, "spied-on", browser);
    expect((await orgs()).sort()).toEqual([source.orgId, spy.orgId].sort());
  });

  test("an invitation is not for whoever has a name that only looks the same in lower case", async ({
    api,
    idp,
    world,
  }) => {
    const source = await addSource(api, idp);
    await api.database.sql`update organizations set max_users = 5 where id = ${source.orgId}`;
    await api.database.sql`
      insert into invitations (org_id, provider_key, login, expires_at) values (${source.orgId}, 'oidc', 'kate', svc_now() + interval '1 day')`;
    const joins = async (subject: string, preferred_username: string) => {
      idp.users.set(subject, { preferred_username });
      const browser = new Browser();
      await signInAt(api, idp, source, subject, browser);
      const { id } = await world.me(browser);
      return (await api.database.sql`select 1 from memberships where org_id = ${source.orgId} and user_id = ${id}`)
        .length;
    };
    expect(await joins("k-1", "\u212aate")).toBe(0);
    expect(await joins("k-2", "Kate")).toBe(1);
  });

  test("an invitation is consumed by the sign-in it waits for", async ({ api, idp, world }) => {
    const source = await addSource(api, idp);
    const { sql } = api.database;
    await sql`update organizations set max_users = 5 where id = ${source.orgId}`;
    const [role] = await sql`select id from roles where name = 'deployer'`;
    const invite = (login: string) => sql`
      insert into invitations (org_id, provider_key, login, role_ids, expires_at)
      values (${source.orgId}, 'oidc', ${login}, ${sql.array([role?.id], 2950)}, svc_now() + interval '1 day')`;
    await invite("ivy@corp.test");
    await invite("mallory@corp.test");
    idp.users.set("i-1", { preferred_username: "ivy", email: "Ivy@corp.test", email_verified: true });
    idp.users.set("i-2", {
      preferred_username: "mallory@corp.test",
      email: "mallory@corp.test",
      email_verified: false,
    });
    const [ivy, mallory] = [new Browser(), new Browser()];
    await signInAt(api, idp, source, "i-1", ivy);
    await signInAt(api, idp, source, "i-2", mallory);
    const members = await sql`select user_id from memberships where org_id = ${source.orgId}`;
    expect(members.map((row) => row.user_id)).toEqual([(await world.me(ivy)).id]);
    expect(await sql`select login from invitations where org_id = ${source.orgId}`).toEqual([
      { login: "mallory@corp.test" },
    ]);
  });
});

describe("linking", () => {
  test("a further identity is the same user afterwards, and one that belongs to another is refused", async ({
    api,
    idp,
    world,
  }) => {
    const other = await startIdentityProvider({ redirectUris: [`${api.baseUrl}/api/v1/auth/sso/callback`] });
    const [source, second] = [await addSource(api, idp), await addSource(api, other)];
    const browser = new Browser();
    await signInAt(api, idp, source, "l-1", browser);
    const { id } = await world.me(browser);
    other.next = "l-2";
    await addPassingMember(api, second.orgId, id);
    expect((await linkAt(api, browser, second)).status).toBe(200);
    expect((await world.me(browser)).id).toBe(id);
    const fresh = new Browser();
    await signInAt(api, other, second, "l-2", fresh);
    expect((await world.me(fresh)).id).toBe(id);

    const stranger = new Browser();
    await signInAt(api, idp, source, "l-3", stranger);
    other.next = "l-2";
    await addPassingMember(api, second.orgId, (await world.me(stranger)).id);
    const refused = await linkAt(api, stranger, second);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([409, "conflict"]);
    await other.close();
  });
});
