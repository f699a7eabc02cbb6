/** Everybody changes everybody's access at once: each call is carried out or refused, none ends in an error of ours. */
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, test } from "vitest";
import type { SignedIn } from "../../src/people/sso/provider.ts";
import { signIn } from "../../src/people/sso/signIn.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { type Caller, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { addBinding, addRule, addSource, type TestSource } from "../support/signInWorld.ts";
import { type Act, idOf, one, storm } from "../support/storm.ts";

const ISSUER = "https://idp.example";

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());

async function newSource(orgId?: string): Promise<TestSource> {
  const settings = orgId === undefined ? {} : { orgId };
  const source = await addSource(api, { issuer: ISSUER, clientId: "c", clientSecret: "s" }, settings);
  await addRule(api, source, "oidc_group", { group: "staff" });
  await addBinding(api, source, "staff");
  return source;
}

/**
 * Two organizations with three people who may do everything in both, two of them everywhere, and one of everything to
 * act upon.
 */
async function world() {
  const sources = [await newSource(), await newSource()];
  const orgs = sources.map(({ orgId }) => orgId);
  const grants: [string, string][] = [["*", "*"]];
  const people = await Promise.all([true, true, false].map((superAdmin) => api.makeUser({ superAdmin, orgs, grants })));
  for (const { user } of people) {
    await api.database.sql`insert into user_identities (provider_key, issuer, subject, user_id)
      values ('oidc', ${ISSUER}, ${user}, ${user}), ('oidc', ${ISSUER}, ${`${user}-2`}, ${user})`;
  }
  return { sources, orgs, people };
}

type World = Awaited<ReturnType<typeof world>>;

function signingIn(subject: string): Promise<unknown> {
  const question = { providerKey: "oidc", issuer: ISSUER, clientId: "c", groupsClaim: "groups" } as const;
  const signedIn: SignedIn = {
    identity: { providerKey: "oidc", issuer: ISSUER, subject },
    login: "x",
    displayName: null,
    verifiedLogins: ["guest"],
    question,
    facts: { kind: "oidc", groups: one([[], ["staff"]]) },
  };
  const { service, metrics } = api;
  const deps = { service, metrics, orgDefaults: { maxUsers: 1, runsPerHour: 2 }, entitlementTtlMs: 60_000 };
  return signIn(deps, signedIn, null, createLogger("silent", "test"));
}

/** What one may do, each on something chosen at random. */
function actions({ sources, orgs, people }: World) {
  const { sql } = api.database;
  const source = () => one(sources);
  const path = (rest: string, orgId = one(orgs)) => `/api/v1/orgs/${orgId}${rest}`;
  const user = () => one(people).user;
  const role = (orgId: string) => idOf(sql`select id from roles where org_id = ${orgId} or is_system`);
  const account = (orgId: string) => idOf(sql`select id from service_accounts where org_id = ${orgId}`);
  const post = (at: string, by: Caller, body?: unknown) =>
    api.call("POST", at, { ...by, ...(body === undefined ? {} : { body }) });
  const remove = (at: string, by: Caller) => api.call("DELETE", at, by);
  const named = () => `n${randomInt(6)}`;
  const acts: Record<string, Act> = {
    addMember: (by) => post(path("/members"), by, { user_id: user() }),
    revokeMember: (by) => remove(path(`/members/${encodeURIComponent(user())}`), by),
    createRole: (by) =>
      post(path("/roles"), by, { name: named(), permissions: [{ resource_type: "stack", action: "read" }] }),
    replaceRole: async (by) => {
      const orgId = one(orgs);
      const body = { name: named(), permissions: [{ resource_type: "*", action: "*" }] };
      return api.call("PUT", path(`/roles/${await role(orgId)}`, orgId), { ...by, body });
    },
    deleteRole: async (by) => {
      const orgId = one(orgs);
      return remove(path(`/roles/${await role(orgId)}`, orgId), by);
    },
    assign: async (by) => {
      const orgId = one(orgs);
      const holder = one([{ user_id: user() }, { service_account_id: await account(orgId) }]);
      return post(path("/role-assignments", orgId), by, { role_id: await role(orgId), ...holder });
    },
    unassign: async (by) => {
      const orgId = one(orgs);
      return remove(
        path(`/role-assignments/${await idOf(sql`select id from role_assignments where org_id = ${orgId}`)}`, orgId),
        by,
      );
    },
    bind: async (by) => {
      const { id, orgId } = source();
      return post(path(`/identity-sources/${id}/bindings`, orgId), by, {
        group_key: named(),
        role_ids: [await role(orgId)],
      });
    },
    rebind: async (by) => {
      const { id, orgId } = source();
      const binding = await idOf(sql`select id from group_role_bindings where identity_source_id = ${id}`);
      const body = { group_key: named(), role_ids: [await role(orgId)] };
      return api.call("PUT", path(`/identity-sources/${id}/bindings/${binding}`, orgId), { ...by, body });
    },
    invite: async (by) => {
      const orgId = one(orgs);
      return post(path("/invitations", orgId), by, {
        provider_key: "oidc",
        login: "guest",
        role_ids: [await role(orgId)],
      });
    },
    replaceSource: async (by) => {
      const old = source();
      const answer = await remove(path(`/identity-sources/${old.id}`, old.orgId), by);
      if (answer.status === 204) sources[sources.indexOf(old)] = await newSource(old.orgId);
      return answer;
    },
    unbind: async (by) => {
      const { id, orgId } = source();
      const binding = await idOf(sql`select id from group_role_bindings where identity_source_id = ${id}`);
      return remove(path(`/identity-sources/${id}/bindings/${binding}`, orgId), by);
    },
    addRule: async (by) => {
      const { id, orgId } = source();
      return post(path(`/identity-sources/${id}/access-rules`, orgId), by, { rule_type: "oidc_group", group: named() });
    },
    deleteRule: async (by) => {
      const { id, orgId } = source();
      const rule = await idOf(sql`select id from access_rules where identity_source_id = ${id}`);
      return remove(path(`/identity-sources/${id}/access-rules/${rule}`, orgId), by);
    },
    changeInvitation: async (by) => {
      const orgId = one(orgs);
      const id = await idOf(sql`select id from invitations where org_id = ${orgId}`);
      return api.call("PUT", path(`/invitations/${id}`, orgId), { ...by, body: { role_ids: [await role(orgId)] } });
    },
    withdraw: async (by) => {
      const orgId = one(orgs);
      return remove(
        path(`/invitations/${await idOf(sql`select id from invitations where org_id = ${orgId}`)}`, orgId),
        by,
      );
    },
    createAccount: async (by) => {
      const orgId = one(orgs);
      return post(path("/service-accounts", orgId), by, { name: named(), role_ids: [await role(orgId)] });
    },
    renameAccount: async (by) => {
      const orgId = one(orgs);
      return api.call("PATCH", path(`/service-accounts/${await account(orgId)}`, orgId), {
        ...by,
        body: { name: named() },
      });
    },
    deleteAccount: async (by) => {
      const orgId = one(orgs);
      return remove(path(`/service-accounts/${await account(orgId)}`, orgId), by);
    },
    mint: async (by) => {
      const orgId = one(orgs);
      return post(path(`/service-accounts/${await account(orgId)}/tokens`, orgId), by, { name: "t" });
    },
    switchAccount: async (by) => {
      const orgId = one(orgs);
      return post(path(`/service-accounts/${await account(orgId)}/${one(["disable", "enable"])}`, orgId), by);
    },
    mintOwn: (by) => post("/api/v1/me/tokens", by, { name: "t", org_id: one(orgs) }),
    switchUser: (by) =>
      post(`/api/v1/users/${encodeURIComponent(user())}/${one(["disable", "enable", "enable", "force-logout"])}`, by),
    endSessions: (by) => remove("/api/v1/me/sessions", by),
    unlink: async (by) =>
      remove(
        `/api/v1/me/identities/${await idOf(sql`select id from user_identities where user_id = ${by.user!}`)}`,
        by,
      ),
    signIn: () => signingIn(one([user(), `${user()}-2`, `stranger-${randomInt(5)}`])),
    changeSeats: (by) => api.call("PATCH", path(""), { ...by, body: { max_users: 1 + randomInt(6) } }),
  };
  return acts;
}

test("none of 3,000 calls that meet each other ends in an error", { timeout: 240_000 }, async () => {
  const given = await world();
  await storm(api, given.people, actions(given), 3_000);
});
