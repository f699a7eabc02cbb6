/** The seats of an organization, and what housekeeping takes away (docs/rules/organizations.md). */
import { sql as drizzleSql } from "drizzle-orm";
import { describe, expect } from "vitest";
import { removeExpired } from "../../src/people/members/removeExpired.ts";
import { auditSeats } from "../../src/people/members/seatAudit.ts";
import { admitMember } from "../../src/people/members/seats.ts";
import { ensurePersonalOrg } from "../../src/people/orgs/personalOrg.ts";
import { GONE, test } from "../support/membersTest.ts";

describe("seats", () => {
  test("at the cap a manual add is 409 seat_limit and counted; a member is always allowed", async ({
    api,
    orgWith,
    world,
  }) => {
    const of = await orgWith(2);
    const { user } = await api.makeUser({ superAdmin: true });
    const people = [await api.makeUser(), await api.makeUser(), await api.makeUser()].map(({ user }) => user);
    expect((await world.add(people[0]!, { user }, of)).status).toBe(201);
    expect((await world.add(people[1]!, { user }, of)).status).toBe(201);
    const refused = await world.add(people[2]!, { user }, of);
    expect(refused.body).toMatchObject({ status: 409, code: "seat_limit" });
    expect(await world.denials(of, "manual")).toBe(1);
    expect((await world.add(people[0]!, { user }, of)).status).toBe(201);
    // A membership that expires frees its seat at once.
    await api.database
      .sql`update memberships set expires_at = svc_now() where user_id = ${people[1]!} and org_id = ${of}`;
    expect((await world.add(people[2]!, { user }, of)).status).toBe(201);
    expect((await world.add(people[1]!, { user }, of)).status).toBe(409);
  });

  test("lowering the cap evicts no one; the daily audit warns of it", async ({ api, org, orgWith, world }) => {
    const of = await orgWith(3);
    for (let i = 0; i < 3; i++) await api.makeUser({ orgs: [of] });
    const root = await api.makeUser({ superAdmin: true });
    expect((await api.call("PATCH", world.one(of), { ...root, body: { max_users: 1 } })).status).toBe(200);
    const { body } = await api.call("GET", world.members(of), root);
    expect(body.items).toHaveLength(3);
    const warned: unknown[] = [];
    const result = await auditSeats(api.database.db, { warn: (line: unknown) => void warned.push(line) } as never);
    expect(warned).toContainEqual({ org_id: of, max_users: 1, members: 3 });
    expect(result.overCap).toBe(warned.length);
    expect(warned).not.toContainEqual(expect.objectContaining({ org_id: org }));
  });

  test("at sign-in a full organization is withheld without an error, the others are not", async ({ api, orgWith }) => {
    const [free, full, missing] = [await orgWith(1), await orgWith(1), GONE];
    await api.makeUser({ orgs: [full] });
    const { user } = await api.makeUser();
    const admit = (orgIds: string[]) =>
      api.database.db.transaction((tx) =>
        admitMember(tx, {
          userId: user,
          orgIds,
          source: "identity_source",
          expiresAt: drizzleSql`svc_now() + interval '1 hour'`,
        }),
      );
    expect(await admit([full, missing, free])).toEqual({ admitted: [free], withheld: [full] });
    // Renewed at the next sign-in, though the organization is at its cap now.
    const end = async () => {
      const [row] = await api.database
        .sql`select expires_at::text as at, source from memberships where user_id = ${user}`;
      return row as { at: string; source: string };
    };
    const before = await end();
    expect(before.source).toBe("identity_source");
    expect(await admit([free])).toEqual({ admitted: [free], withheld: [] });
    expect((await end()).at > before.at).toBe(true);
    expect(await admit([])).toEqual({ admitted: [], withheld: [] });
    const entries = () =>
      api.database.sql`select org_id, action, actor_id, details from audit_log where resource_id = ${user}`;
    const joined = { org_id: free, action: "member.add", actor_id: user, details: { source: "identity_source" } };
    expect([...(await entries())]).toEqual([joined]);
    // Coming back after the end is joining anew.
    await api.database.sql`update memberships set expires_at = svc_now() where user_id = ${user}`;
    expect(await admit([free])).toEqual({ admitted: [free], withheld: [] });
    expect([...(await entries())]).toEqual([joined, joined]);
  });

  test("a membership without end stays so at sign-in; adding by hand makes one without end", async ({
    api,
    org,
    world,
  }) => {
    const { user } = await api.makeUser({ orgs: [org] });
    const admit = () =>
      api.database.db.transaction((tx) =>
        admitMember(tx, { userId: user, orgIds: [org], source: "identity_source", expiresAt: "2026-01-01T00:00:00Z" }),
      );
    await admit();
    expect((await world.add(user)).body).toMatchObject({ source: "manual", expires_at: null });
    await api.database
      .sql`update memberships set source = 'identity_source', expires_at = svc_now() + interval '1 hour' where user_id = ${user}`;
    expect((await world.add(user)).body).toMatchObject({ source: "manual", expires_at: null });
  });

  test("a personal organization has an owner, an Admin and no cap; it is made once", async ({ api, world }) => {
    const { user } = await api.makeUser();
    const ensure = () =>
      api.database.db.transaction((tx) =>
        ensurePersonalOrg(tx, { id: user, login: "ada" }, { maxUsers: 1, runsPerHour: 2 }),
      );
    const [personal, again] = await Promise.all([ensure(), ensure()]);
    expect(again).toBe(personal);
    expect(await ensure()).toBe(personal);
    const answer = await api.call("GET", world.one(personal), { user });
    expect(answer.body).toMatchObject({ name: "ada", is_personal: true, max_users: 1 });
    for (let i = 0; i < 3; i++) {
      expect((await world.add((await api.makeUser()).user, undefined, personal)).status).toBe(201);
    }
    const warned: { org_id: string }[] = [];
    await auditSeats(api.database.db, { warn: (line: { org_id: string }) => void warned.push(line) } as never);
    expect(warned.map(({ org_id }) => org_id)).not.toContain(personal);
  });
});

describe("housekeeping", () => {
  test("removes what has expired, in batches, and nothing else", async ({ api, org }) => {
    const { sql, db } = api.database;
    const { user } = await api.makeUser({ orgs: [org] });
    await removeExpired(db);
    await sql`insert into external_entitlements (user_id, provider_key, group_key, expires_at)
      select ${user}, 'codehost', i::text, svc_now() + (i - 1100) * interval '1 hour' from generate_series(1, 1110) i`;
    await sql`insert into invitations (org_id, provider_key, login, expires_at) values
      (${org}, 'codehost', 'late', svc_now()), (${org}, 'codehost', 'early', svc_now() + interval '1 hour')`;
    await sql`insert into sessions (user_id, token_sha256, csrf_sha256, expires_at) values
      (${user}, sha256('a'), sha256('a'), svc_now()), (${user}, sha256('b'), sha256('b'), svc_now() + interval '1 hour')`;
    await sql`insert into auth_states (state_sha256, browser_sha256, provider_key, secrets, expires_at)
      values (sha256('a'), sha256('a'), 'codehost', '', svc_now())`;
    await sql`insert into sign_in_confirmations (session_id, links, answer, return_to, expires_at)
      select id, true, '', '/', svc_now() from sessions where token_sha256 = sha256('b')`;
    await sql`insert into device_logins (device_code_sha256, user_code, client_name, host_name, address, expires_at)
      values (sha256('a'), 'BCDFGHJK', 'deploy', 'laptop', '192.0.2.1', svc_now())`;
    await sql`insert into memberships (org_id, user_id, source, expires_at)
      select ${await api.makeOrg()}, ${user}, 'identity_source', svc_now()`;
    expect(await removeExpired(db)).toEqual({
      memberships: 1,
      entitlements: 1100,
      invitations: 1,
      sessions: 1,
      signIns: 1,
      confirmations: 1,
      signInCodes: 0,
      offers: 0,
      deviceLogins: 1,
    });
    expect(await removeExpired(db)).toEqual({
      memberships: 0,
      entitlements: 0,
      invitations: 0,
      sessions: 0,
      signIns: 0,
      confirmations: 0,
      signInCodes: 0,
      offers: 0,
      deviceLogins: 0,
    });
    expect(await sql`select 1 from external_entitlements`).toHaveLength(10);
    expect(await sql`select 1 from memberships where user_id = ${user}`).toHaveLength(1);
  });
});
