/** The groups that a sign-in brings, and what they entitle to (docs/access.md#what-a-sign-in-does). */
import { describe, expect } from "vitest";
import { Browser } from "../support/browser.ts";
import { test } from "../support/signInTest.ts";
import { addBinding, addRule, addSource, entitlements, signInAt } from "../support/signInWorld.ts";

test.afterEach(({ api }) => {
  api.logged.length = 0;
});

describe("groups", () => {
  test("a claim that is one string is a list of one, and its binding is active", async ({ api, world }) => {
    const { id, source } = await world.expectEntitled({ groups: "infra" }, ["infra"], ["infra"]);
    await api.database.sql`insert into memberships (org_id, user_id) values (${source.orgId}, ${id})`;
    // The binding's role reads organizations.
    expect((await api.call("GET", `/api/v1/orgs/${source.orgId}`, { user: id })).status).toBe(200);
  });

  test("text that looks like JSON is taken literally", async ({ world }) => {
    await world.expectEntitled(
      { groups: '["admins","infra"]' },
      ['["admins","infra"]'],
      ["admins", "infra", '["admins","infra"]'],
    );
    await world.expectEntitled(
      { groups: ['["admins"]', "infra"] },
      ['["admins"]', "infra"],
      ["admins", '["admins"]', "infra"],
    );
  });

  test("only groups that are bound are kept, compared exactly", async ({ world }) => {
    await world.expectEntitled({ groups: ["Infra", "infra ", "x"] }, [], ["infra"]);
    await world.expectEntitled({ groups: [1, null, { a: 1 }, ["infra"], "infra"] }, ["infra"], ["infra"]);
    await world.expectEntitled({}, [], ["infra"]);
  });

  test("an overage reference keeps what is stored, and says so", async ({ api, idp, world }) => {
    const { id, source, subject } = await world.expectEntitled({ groups: ["infra"] }, ["infra"], ["infra"]);
    idp.users.set(subject, {
      preferred_username: "g",
      _claim_names: { groups: "src1" },
      _claim_sources: { src1: { endpoint: "https://graph.example.test/groups" } },
    });
    expect((await signInAt(api, idp, source, subject)).status).toBe(200);
    expect(await entitlements(api, id)).toEqual(["infra"]);
    const warnings = api.logged.filter((line) => line.level === "warn");
    expect(warnings).toEqual([expect.objectContaining({ provider_key: "oidc", groups_claim: "groups" })]);
    // An answer that says there are none is an answer.
    idp.users.set(subject, { preferred_username: "g", groups: [] });
    await signInAt(api, idp, source, subject);
    expect(await entitlements(api, id)).toEqual([]);
  });

  test("a sign-in rewrites exactly the rows of its question", async ({ api, idp, world }) => {
    const { id, source, subject } = await world.expectEntitled({ groups: ["a", "b"] }, ["a", "b"], ["a", "b", "c"]);
    const { sql } = api.database;
    const others = [
      ["codehost", "", "", ""],
      ["oidc", "https://other.test", idp.clientId, "groups"],
      ["oidc", idp.issuer, "another-client", "groups"],
      ["oidc", idp.issuer, idp.clientId, "another-claim"],
    ];
    for (const [provider, issuer, client, claim] of others) {
      await sql`insert into external_entitlements values (${id}, ${provider!}, ${issuer!}, ${client!}, ${claim!}, 'kept', svc_now() + interval '1 hour')`;
    }
    const [role] = await sql`select id from roles where name = 'viewer'`;
    await sql`insert into role_assignments (org_id, role_id, user_id) values (${source.orgId}, ${role?.id}, ${id})`;
    idp.users.set(subject, { preferred_username: "g", groups: ["c"] });
    await signInAt(api, idp, source, subject);
    expect(await entitlements(api, id)).toEqual(["c", "kept", "kept", "kept", "kept"]);
    expect(await sql`select 1 from role_assignments where user_id = ${id} and org_id = ${source.orgId}`).toHaveLength(
      1,
    );
  });

  test("entitlements and memberships by rule last as long as the setting says, and are absent afterwards", async ({
    api,
    idp,
    world,
  }) => {
    const source = await addSource(api, idp);
    await addRule(api, source, "oidc_group", { group: "staff" });
    await addBinding(api, source, "staff");
    idp.users.set("r-1", { preferred_username: "r", groups: ["staff"] });
    const browser = new Browser();
    await signInAt(api, idp, source, "r-1", browser);
    const { id } = await world.me(browser);
    const [row] = await api.database.sql`
      select m.source, extract(epoch from m.expires_at - svc_now()) / 86400 as days,
        (select extract(epoch from e.expires_at - svc_now()) / 86400 from external_entitlements e where e.user_id = ${id}) as held
      from memberships m where m.user_id = ${id} and m.org_id = ${source.orgId}`;
    expect(row?.source).toBe("identity_source");
    for (const days of [row?.days, row?.held]) expect(Number(days)).toBeCloseTo(7, 2);
    expect((await api.call("GET", `/api/v1/orgs/${source.orgId}`, { user: id })).status).toBe(200);
    await api.database
      .sql`update memberships set expires_at = svc_now() where user_id = ${id} and org_id = ${source.orgId}`;
    expect((await api.call("GET", `/api/v1/orgs/${source.orgId}`, { user: id })).status).toBe(403);
  });
});
