/**
 * Nobody becomes a member by a rule that claims what is not its organization's, or unasked
 * (docs/rules/sign-in.md#rules-need-proof).
 */
import { describe, expect } from "vitest";
import { runApproveProof } from "../../src/main/operator/approveProof.ts";
import type { SignedIn } from "../../src/people/sso/provider.ts";
import { signIn } from "../../src/people/sso/signIn.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import type { Caller } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const OFFERS = "/api/v1/me/membership-offers";
const records = new Map<string, string[]>();

let people = 0;

/** Organizations of the code host whose app an organization here has. */
const apps = new Map<string, string>();

const test = peopleTest({
  txt: async (name) => records.get(name) ?? [],
  ownsThroughApp: async (org, name) => apps.get(org) === name,
}).extend("world", ({ api }) => {
  const { sql } = api.database;
  async function orgWith(key: "workspace" | "codehost", type: string, rule: object) {
    const org = await api.makeOrg();
    await sql`update organizations set max_users = 100 where id = ${org}`;
    const [source] = await sql`insert into identity_sources (org_id, provider_key, source_slug, display_name)
      values (${org}, ${key}, 's', 'S') returning id`;
    await sql`insert into access_rules (identity_source_id, rule_type, rule) values (${source?.id}, ${type}, ${sql.json(rule as never)})`;
    const admin = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
    return { org, admin, source: source?.id as string };
  }
  /** Somebody signs in; the same number is the same person. @returns their id */
  async function arrive(facts: SignedIn["facts"], who = ++people): Promise<string> {
    const key = facts?.kind ?? "workspace";
    const identity = { providerKey: key, issuer: "https://host.example", subject: `s-${who}` };
    const question = { providerKey: key, issuer: "", clientId: "", groupsClaim: "" };
    const { service, metrics } = api;
    const deps = { service, metrics, orgDefaults: { maxUsers: 1, runsPerHour: 2 }, entitlementTtlMs: 3_600_000 };
    const person = { identity, login: `p${who}`, displayName: null, verifiedLogins: [], question, facts };
    await signIn(deps, person, null, createLogger("silent", "test"));
    const [row] = await sql`select user_id from user_identities where subject = ${identity.subject}`;
    return row?.user_id;
  }
  const isMember = async (org: string, user: string) =>
    (await sql`select from memberships where org_id = ${org} and user_id = ${user}`).length === 1;
  const offersOf = async (user: string): Promise<{ id: string; org: { id: string }; source: string }[]> =>
    (await api.call("GET", OFFERS, { user })).body.items;
  const accept = (id: string, by: Caller) => api.call("POST", `${OFFERS}/${id}/accept`, by);
  return { orgWith, arrive, isMember, offersOf, accept };
});

const acme = { kind: "workspace", hostedDomain: "acme.example" } as const;

describe("a rule without proof", () => {
  test("invites who meets it; the organization sees nobody before they accept", async ({ api, world }) => {
    const { org, admin } = await world.orgWith("workspace", "workspace_hd", { domains: ["acme.example"] });
    const user = await world.arrive(acme);
    expect(await world.isMember(org, user)).toBe(false);
    const [offer, ...rest] = await world.offersOf(user);
    expect([offer?.org.id, offer?.source, rest]).toEqual([org, "identity_source", []]);
    for (const path of ["members", "invitations", "audit-log"]) {
      expect((await api.call("GET", `/api/v1/orgs/${org}/${path}`, admin)).text).not.toContain(user);
    }
    expect((await world.accept(offer!.id, { user: (await api.makeUser()).user })).status).toBe(404);
    expect((await world.accept(offer!.id, { user })).body).toEqual({ org_id: org });
    expect(await world.isMember(org, user)).toBe(true);
    expect((await world.accept(offer!.id, { user })).status).toBe(404);
    const [entry] = await api.database
      .sql`select action, actor_id from audit_log where org_id = ${org} and resource_id = ${user}`;
    expect(entry).toEqual({ action: "member.add", actor_id: user });
    // From then on a sign-in keeps it up.
    await api.database.advanceClock(1_000);
    const end = () => api.database.sql`select expires_at from memberships where org_id = ${org} and user_id = ${user}`;
    const before = await end();
    await world.arrive(acme, people);
    expect(await end()).not.toEqual(before);
  });

  test("keeps who is a member already, as before rules needed proof", async ({ api, world }) => {
    const { org } = await world.orgWith("codehost", "codehost_org", { org: "acme" });
    const facts = { kind: "codehost", orgs: ["acme"], teams: [] } as const;
    const user = await world.arrive({ ...facts, orgs: [] });
    await api.database.sql`insert into memberships (org_id, user_id, source, expires_at)
      values (${org}, ${user}, 'identity_source', svc_now() + interval '1 minute')`;
    await world.arrive(facts, people);
    const [row] = await api.database.sql`select expires_at > svc_now() + interval '30 minutes' as renewed
      from memberships where org_id = ${org} and user_id = ${user}`;
    expect([row?.renewed, await world.offersOf(user)]).toEqual([true, []]);
  });

  test("can be declined, and ends by itself", async ({ api, world }) => {
    await world.orgWith("workspace", "workspace_hd", { domains: ["b.example"] });
    const user = await world.arrive({ ...acme, hostedDomain: "b.example" });
    const [offer] = await world.offersOf(user);
    expect((await api.call("DELETE", `${OFFERS}/${offer!.id}`, { user })).status).toBe(204);
    expect(await world.offersOf(user)).toEqual([]);
    const other = await world.arrive({ ...acme, hostedDomain: "b.example" });
    await api.database.sql`update membership_offers set expires_at = svc_now() where user_id = ${other}`;
    expect(await world.offersOf(other)).toEqual([]);
  });

  test("in a personal organization does nothing, and cannot be made", async ({ api, world }) => {
    const { org, admin, source } = await world.orgWith("workspace", "workspace_hd", { domains: ["c.example"] });
    await api.database
      .sql`update organizations set is_personal = true, owner_user_id = ${admin.user} where id = ${org}`;
    const user = await world.arrive({ ...acme, hostedDomain: "c.example" });
    expect([await world.isMember(org, user), await world.offersOf(user)]).toEqual([false, []]);
    const body = { rule_type: "workspace_hd", domains: ["d.example"] };
    expect(
      (await api.call("POST", `/api/v1/orgs/${org}/identity-sources/${source}/access-rules`, { ...admin, body }))
        .status,
    ).toBe(409);
    const proof = { kind: "domain", name: "d.example" };
    expect((await api.call("POST", `/api/v1/orgs/${org}/proofs`, { ...admin, body: proof })).status).toBe(409);
  });
});

describe("a proof", () => {
  test("of a domain is a TXT record; its rule then admits, for that domain alone", async ({ api, world }) => {
    const { org, admin } = await world.orgWith("workspace", "workspace_hd", { domains: ["e.example", "f.example"] });
    const proofs = `/api/v1/orgs/${org}/proofs`;
    const made = await api.call("POST", proofs, { ...admin, body: { kind: "domain", name: "E.example" } });
    expect([made.status, made.body.name, made.body.proven_at]).toEqual([201, "e.example", null]);
    const check = () => api.call("POST", `${proofs}/${made.body.id}/check`, admin);
    records.set(made.body.txt_record.name, ["organization-proof=of-somebody-else"]);
    expect((await check()).status).toBe(409);
    expect(await world.isMember(org, await world.arrive({ ...acme, hostedDomain: "e.example" }))).toBe(false);
    records.set(made.body.txt_record.name, ["spf", made.body.txt_record.value]);
    expect((await check()).body).toMatchObject({ proven_by: "dns", proven_at: expect.any(String) });
    expect(await world.isMember(org, await world.arrive({ ...acme, hostedDomain: "e.example" }))).toBe(true);
    expect(await world.isMember(org, await world.arrive({ ...acme, hostedDomain: "f.example" }))).toBe(false);
    expect((await api.call("DELETE", `${proofs}/${made.body.id}`, admin)).status).toBe(204);
    expect(await world.isMember(org, await world.arrive({ ...acme, hostedDomain: "e.example" }))).toBe(false);
  });

  test("of one organization proves nothing for another", async ({ world, api }) => {
    const [one, other] = [
      await world.orgWith("codehost", "codehost_team", { org: "globex", team: "t" }),
      await world.orgWith("codehost", "codehost_team", { org: "globex", team: "t" }),
    ];
    await runApproveProof([one.org, "codehost_org", "globex"], api.database.db);
    const user = await world.arrive({ kind: "codehost", orgs: ["globex"], teams: [{ org: "globex", team: "t" }] });
    expect([await world.isMember(one.org, user), await world.isMember(other.org, user)]).toEqual([true, false]);
    const [entry] = await api.database
      .sql`select details from audit_log where org_id = ${one.org} and action = 'proof.confirm'`;
    expect(entry?.details).toMatchObject({ name: "globex", by: "operator" });
  });
});

describe("adding somebody who is no member", () => {
  test("asks them, unless the caller may add members where they are already", async ({ api }) => {
    const [org, shared] = [await api.makeOrg(), await api.makeOrg()];
    await api.database.sql`update organizations set max_users = 100 where id in (${org}, ${shared})`;
    const admin = await api.makeUser({ orgs: [org, shared], grants: [["*", "*"]] });
    const weak = await api.makeUser({ orgs: [shared], grants: [["org", "read"]] });
    const [role] = await api.database.sql`select id from roles where name = 'iam-admin' and is_system`;
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${weak.user})`;
    await api.database
      .sql`insert into role_assignments (org_id, role_id, user_id) values (${org}, ${role?.id}, ${weak.user})`;
    const { user: stranger } = await api.makeUser();
    const { user: colleague } = await api.makeUser({ orgs: [shared], grants: [] });
    const add = async (by: Caller, user_id: string) =>
      (await api.call("POST", `/api/v1/orgs/${org}/members`, { ...by, body: { user_id } })).status;
    const { token } = await api.makeAccount(org, [["*", "*"]]);
    expect([await add(admin, stranger), await add(weak, colleague), await add({ token }, colleague)]).toEqual([
      204, 204, 204,
    ]);
    const [offer] = (await api.call("GET", OFFERS, { user: stranger })).body.items;
    expect((await api.call("POST", `${OFFERS}/${offer.id}/accept`, { user: stranger })).status).toBe(200);
    const [member] = await api.database
      .sql`select source, expires_at from memberships where org_id = ${org} and user_id = ${stranger}`;
    expect(member).toEqual({ source: "manual", expires_at: null });
    expect(await add(admin, colleague)).toBe(201);
    expect(await add(await api.makeUser({ superAdmin: true }), (await api.makeUser()).user)).toBe(201);
  });
});

test("an organization of the code host is proven by its own app, and by nobody else's", async ({ api, world }) => {
  const { org, admin } = await world.orgWith("codehost", "codehost_org", { org: "acme" });
  const proofs = `/api/v1/orgs/${org}/proofs`;
  const made = await api.call("POST", proofs, { ...admin, body: { kind: "codehost_org", name: "acme" } });
  const check = () => api.call("POST", `${proofs}/${made.body.id}/check`, admin);
  const facts = { kind: "codehost", orgs: ["acme"], teams: [] } as const;
  expect(await check()).toMatchObject({ status: 409, body: { code: "conflict" } });
  apps.set(org, "other");
  expect((await check()).status).toBe(409);
  expect(await world.isMember(org, await world.arrive(facts))).toBe(false);
  apps.set(org, "acme");
  expect((await check()).body).toMatchObject({ proven_by: "app", proven_at: expect.any(String) });
  expect(await world.isMember(org, await world.arrive(facts))).toBe(true);
  const [entry] = await api.database.sql`
    select details from audit_log where org_id = ${org} and action = 'proof.confirm'`;
  expect(entry?.details).toEqual({ kind: "codehost_org", name: "acme", by: "app" });
});
