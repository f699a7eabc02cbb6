/**
 * The last seat is one person's, however many arrive at once, by hand and by sign-in
 * (docs/rules/organizations.md#seats).
 */
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { type Admission, admitMember } from "../../src/people/members/seats.ts";
import { peopleTest } from "../support/test.ts";

const ROUNDS = 40;
const SEATS = 3;

const test = peopleTest();

test("a race for the seats fills them exactly; who lost is told so or withheld", async ({ api }) => {
  const { user: root } = await api.makeUser({ superAdmin: true });
  for (let round = 0; round < ROUNDS; round++) {
    const orgs = [await api.makeOrg(), await api.makeOrg()];
    await api.database.sql`update organizations set max_users = ${SEATS} where id = any(${orgs})`;
    const people = await Promise.all(Array.from({ length: 6 }, () => api.makeUser()));
    // Opposite orders on purpose: without one order of locking these wait for each other.
    const signIn = (userId: string, orgIds: string[]) =>
      api.database.db.transaction((tx) =>
        admitMember(tx, { userId, orgIds, source: "identity_source", expiresAt: sql`svc_now() + interval '1 hour'` }),
      );
    const arrivals = people.map(({ user }, i) => {
      if (i % 3 === 0) {
        const call = api.call("POST", `/api/v1/orgs/${orgs[0]}/members`, { user: root, body: { user_id: user } });
        return call.then(({ status }): Admission & { status: number } => {
          return { status, admitted: status === 201 ? [orgs[0]!] : [], withheld: status === 409 ? [orgs[0]!] : [] };
        });
      }
      return signIn(user, i % 3 === 1 ? [...orgs] : [...orgs].reverse()).then((admission) => ({
        status: 201,
        ...admission,
      }));
    });
    const outcomes = await Promise.all(arrivals);
    expect(outcomes.every(({ status }) => status === 201 || status === 409)).toBe(true);
    for (const [i, org] of orgs.entries()) {
      const [row] = await api.database.sql`select count(*)::int as n from memberships where org_id = ${org}`;
      expect([round, i, row?.n]).toEqual([round, i, SEATS]);
      expect(outcomes.filter(({ admitted }) => admitted.includes(org)).length).toBe(SEATS);
      const asked = i === 0 ? people.length : (people.length * 2) / 3;
      expect(outcomes.filter(({ withheld }) => withheld.includes(org)).length).toBe(asked - SEATS);
    }
  }
});

test("two Admins who revoke each other at once: one of them stays", async ({ api }) => {
  const [admin] = await api.database.sql`select id from roles where org_id is null and name = 'admin'`;
  for (let round = 0; round < ROUNDS; round++) {
    const org = await api.makeOrg();
    const people = [(await api.makeUser({ orgs: [org] })).user, (await api.makeUser({ orgs: [org] })).user];
    for (const user of people) {
      await api.database
        .sql`insert into role_assignments (org_id, role_id, user_id) values (${org}, ${admin?.id}, ${user})`;
    }
    const revoke = (by: string, user: string) =>
      api.call("DELETE", `/api/v1/orgs/${org}/members/${encodeURIComponent(user)}`, { user: by });
    const answers = await Promise.all([revoke(people[0]!, people[1]!), revoke(people[1]!, people[0]!)]);
    const statuses = answers.map(({ status }) => status).sort();
    expect([
      [204, 403],
      [204, 409],
    ]).toContainEqual(statuses);
    const left = await api.database.sql`select 1 from memberships where org_id = ${org}`;
    expect(left).toHaveLength(1);
  }
});

test("a role given while its holder is revoked is not kept for the day they come back", async ({ api }) => {
  const [viewer] = await api.database.sql`select id from roles where org_id is null and name = 'viewer'`;
  const { user: root } = await api.makeUser({ superAdmin: true });
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const org = await api.makeOrg();
    const { user } = await api.makeUser({ orgs: [org] });
    const [given, revoked] = await Promise.all([
      api.call("POST", `/api/v1/orgs/${org}/role-assignments`, {
        user: root,
        body: { role_id: viewer?.id, user_id: user },
      }),
      api.call("DELETE", `/api/v1/orgs/${org}/members/${encodeURIComponent(user)}`, { user: root }),
    ]);
    expect(revoked.status).toBe(204);
    seen.add(String(given.status));
    expect([201, 422]).toContain(given.status);
    const left = await api.database.sql`select 1 from role_assignments where user_id = ${user}`;
    expect(left).toHaveLength(0);
  }
  expect(seen.size).toBeGreaterThan(0);
});
