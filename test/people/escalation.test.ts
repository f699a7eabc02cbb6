/**
 * Escalation prevention as a property: whatever somebody who is no super-admin does with roles, assignments,
 * bindings, invitations, service accounts and tokens, nothing they control ever holds more than they held at the
 * start (docs/access.md#nobody-hands-on-more-than-they-hold).
 */
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Principal, Subject } from "../../src/http/principal.ts";
import { grants, standing } from "../../src/people/authorization/grants.ts";
import { acceptInvitations } from "../../src/people/members/acceptInvitations.ts";
import { changeInvitation, invite } from "../../src/people/members/invitations.ts";
import { assignRole, unassignRole } from "../../src/people/roles/assignments.ts";
import { type StoredPermission, shownPermission } from "../../src/people/roles/permission.ts";
import { createRole, deleteRole, updateRole } from "../../src/people/roles/roles.ts";
import { createAccount } from "../../src/people/serviceAccounts/accounts.ts";
import { disableAccount, enableAccount } from "../../src/people/serviceAccounts/disable.ts";
import { createToken } from "../../src/people/serviceAccounts/tokens.ts";
import { createBinding, deleteBinding, replaceBinding } from "../../src/people/sso/bindings.ts";
import { ProblemError } from "../../src/platform/problems/problem.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());

const permission = (
  resource_type: string,
  action: string,
  target: Partial<StoredPermission> = {},
): StoredPermission => ({ resource_type, action, resource_pattern: null, authz_group: null, ...target });

/** What lets one try. */
const MANAGING = [
  permission("role", "create"),
  permission("role", "update"),
  permission("role", "delete"),
  permission("role", "assign"),
  permission("identity_source", "manage"),
  permission("service_account", "create"),
  permission("service_account", "update"),
  permission("member", "create"),
];
/** What one might like to have. */
const WANTED = [
  permission("stack", "read"),
  permission("stack", "deploy"),
  permission("stack", "*"),
  permission("*", "read"),
  permission("*", "*"),
  permission("stack", "deploy", { resource_pattern: "net-%" }),
  permission("stack", "deploy", { resource_pattern: "%" }),
  permission("stack", "deploy", { authz_group: "prod" }),
  permission("stack", "deploy", { authz_group: "%" }),
  permission("*", "*", { resource_pattern: "%" }),
  permission("org", "update"),
];
const ALL = [...MANAGING, ...WANTED];
const anyOf = (pool: StoredPermission[], maxLength = 3) => fc.subarray(pool, { maxLength });

const KINDS = [
  "createRole",
  "updateRole",
  "deleteRole",
  "assign",
  "unassign",
  "bind",
  "rebind",
  "unbind",
  "createAccount",
  "disableAccount",
  "enableAccount",
  "mint",
  "invite",
  "reinvite",
  "arrive",
] as const;
/** Which one of what there is then: taken modulo its number. */
const pick = fc.nat(50);
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  actor: pick,
  target: pick,
  roles: fc.array(pick, { minLength: 1, maxLength: 3 }),
  permissions: anyOf(ALL),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const scenario = fc.record({
  // Mostly able to do something: who manages nothing is refused everywhere, which proves little.
  managing: fc.subarray(MANAGING, { minLength: 4 }),
  wanted: anyOf(WANTED, 2),
  bound: fc.array(anyOf(ALL), { minLength: 6, maxLength: 7 }),
  others: fc.array(anyOf(ALL), { minLength: 2, maxLength: 4 }),
  steps: fc.array(step, { minLength: 5, maxLength: 25 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

/** The reference: coverage by its definition, apart from the SQL. */
function covers(held: StoredPermission, conferred: StoredPermission): boolean {
  const same = (a: string, b: string) => a === "*" || a === b;
  if (!same(held.resource_type, conferred.resource_type) || !same(held.action, conferred.action)) return false;
  const untargeted = held.resource_pattern === null && held.authz_group === null;
  return (
    untargeted || (held.resource_pattern === conferred.resource_pattern && held.authz_group === conferred.authz_group)
  );
}

class World {
  readonly org: string;
  /** Everything the person has under control: themselves, accounts they have a token of, people they let in. */
  readonly actors: Principal[] = [];
  readonly roles: string[] = [];
  readonly accounts: string[] = [];
  readonly members: string[] = [];
  readonly bindings: string[] = [];
  readonly assignments: string[] = [];
  readonly invitations: string[] = [];
  readonly waiting: string[] = [];
  /** What each token's account might do when it was minted. */
  readonly minted = new Map<string, StoredPermission[]>();
  source = "";
  start: StoredPermission[] = [];

  constructor(org: string) {
    this.org = org;
  }

  async held(subject: Subject): Promise<StoredPermission[]> {
    const rows = await api.database.db.execute(sql`
      select p.resource_type, p.action, p.resource_pattern, p.authz_group from ${grants(subject, this.org)} p
      where exists (select from ${standing(subject, this.org)} s where s.member)`);
    return rows as unknown as StoredPermission[];
  }

  async addRole(permissions: StoredPermission[]): Promise<string> {
    const { sql: bare } = api.database;
    const [role] = await bare`insert into roles (org_id, name) values (${this.org}, uuidv7()::text) returning id`;
    for (const p of permissions) await bare`insert into role_permissions ${bare({ role_id: role?.id, ...p })}`;
    this.roles.push(role?.id);
    return role?.id;
  }
}

/** With a session of their own: whoever mints a token must still hold theirs. */
async function person(id: string): Promise<Principal> {
  const [session] = await api.database.sql`insert into sessions (user_id, token_sha256, csrf_sha256, expires_at)
    values (${id}, sha256(uuidv7()::text::bytea), sha256('-'), svc_now() + interval '1 hour') returning id`;
  return { kind: "user", id, credential: { kind: "session", sessionId: session?.id } };
}

/** What an Admin left behind: roles, an account with rights, and a group binding, longer than the write path allows. */
async function build({ managing, wanted, bound, others }: Scenario): Promise<World> {
  const { sql: bare } = api.database;
  const world = new World(await api.makeOrg());
  await bare`update organizations set max_users = 100 where id = ${world.org}`;
  const { user } = await api.makeUser();
  const { user: bystander } = await api.makeUser();
  for (const id of [user, bystander])
    await bare`insert into memberships (org_id, user_id) values (${world.org}, ${id})`;
  world.members.push(user, bystander);
  const own = await world.addRole([...managing, ...wanted]);
  await bare`insert into role_assignments (org_id, role_id, user_id) values (${world.org}, ${own}, ${user})`;
  world.actors.push(await person(user));
  for (const permissions of others) {
    const role = await world.addRole(permissions);
    const { id } = await api.makeAccount(world.org, []);
    await bare`insert into role_assignments (org_id, role_id, service_account_id) values (${world.org}, ${role}, ${id})`;
    world.accounts.push(id);
  }
  const [source] = await bare`insert into identity_sources (org_id, provider_key, source_slug, display_name)
    values (${world.org}, 'codehost', 's', 'S') returning id`;
  world.source = source?.id;
  const [binding] =
    await bare`insert into group_role_bindings (identity_source_id, group_key) values (${world.source}, 'g0') returning id`;
  world.bindings.push(binding?.id);
  for (const permissions of bound) {
    await bare`insert into group_role_binding_roles values (${binding?.id}, ${await world.addRole(permissions)})`;
  }
  for (const group of ["g0", "g1", "g2"]) {
    await bare`insert into external_entitlements (user_id, provider_key, group_key, expires_at)
      values (${user}, 'codehost', ${group}, svc_now() + interval '1 hour')`;
  }
  world.start = await world.held(world.actors[0]!);
  return world;
}

/** @returns whether there was anything to try it on */
async function take(world: World, { kind, actor, target, roles, permissions }: Step): Promise<boolean> {
  const { service } = api;
  const { db } = api.database;
  const of = <T>(all: readonly T[], at = target): T | undefined => all[at % Math.max(1, all.length)];
  const who = of(world.actors, actor)!;
  const role_ids = [...new Set(roles.map((at) => of(world.roles, at)!))];
  const role = role_ids[0]!;
  const shown = permissions.map(shownPermission);
  const name = crypto.randomUUID();
  const group_key = `g${target % 3}`;
  const [binding, invitation, account] = [of(world.bindings), of(world.invitations), of(world.accounts)];
  switch (kind) {
    case "createRole":
      world.roles.push((await createRole(service, who, world.org, { name, permissions: shown })).id);
      return true;
    case "updateRole":
      await updateRole(service, who, world.org, role, { name, permissions: shown });
      return true;
    case "deleteRole":
      await deleteRole(service, who, world.org, role);
      world.roles.splice(world.roles.indexOf(role), 1);
      return true;
    case "assign": {
      const holder = target % 2 === 0 ? { user_id: of(world.members)! } : { service_account_id: account! };
      world.assignments.push((await assignRole(service, who, world.org, { role_id: role, ...holder })).id);
      return true;
    }
    case "unassign":
      if (of(world.assignments) === undefined) return false;
      await unassignRole(service, who, world.org, of(world.assignments)!);
      return true;
    case "bind":
      world.bindings.push((await createBinding(service, who, world.org, world.source, { group_key, role_ids })).id);
      return true;
    case "rebind":
      if (binding === undefined) return false;
      await replaceBinding(service, who, world.org, world.source, binding, { group_key, role_ids });
      return true;
    case "unbind":
      if (binding === undefined) return false;
      await deleteBinding(service, who, world.org, world.source, binding);
      world.bindings.splice(world.bindings.indexOf(binding), 1);
      return true;
    case "createAccount": {
      const given = target % 2 === 0 ? role_ids : [];
      world.accounts.push((await createAccount(db, who, world.org, { name, role_ids: given })).id);
      return true;
    }
    case "disableAccount":
      await disableAccount(db, who, world.org, account!);
      return true;
    case "enableAccount":
      await enableAccount(db, who, world.org, account!);
      return true;
    case "mint": {
      const { id } = await createToken(db, who, world.org, account!, { name, lifetime: 3_600_000 });
      const whole = { kind: "service_account", id: account!, orgId: world.org, tokenId: null } as const;
      world.minted.set(id, await world.held(whole));
      const credential = { kind: "service_account_token", tokenId: id, tokenName: name } as const;
      world.actors.push({ kind: "service_account", id: account!, orgId: world.org, tokenId: id, credential });
      return true;
    }
    case "invite": {
      const given = { provider_key: "codehost", login: name, role_ids, lifetime: 3_600_000 };
      world.invitations.push((await invite(service, who, world.org, given)).id);
      world.waiting.push(name);
      return true;
    }
    case "reinvite":
      if (invitation === undefined) return false;
      await changeInvitation(service, who, world.org, invitation, { role_ids, lifetime: 3_600_000 });
      return true;
    case "arrive": {
      const login = of(world.waiting);
      if (login === undefined) return false;
      const { user } = await api.makeUser();
      const arrival = { userId: user, providerKey: "codehost", issuer: "", logins: [login] };
      await db.transaction((tx) => acceptInvitations(tx, arrival));
      world.actors.push(await person(user));
      world.members.push(user);
      return true;
    }
  }
}

/** A token does no more than its account might when it was minted, and no more than the account may now. */
async function assertBounded(world: World, actor: Principal): Promise<void> {
  if (actor.kind !== "service_account" || actor.tokenId === null) return;
  const [now, then] = [await world.held({ ...actor, tokenId: null }), world.minted.get(actor.tokenId) ?? []];
  const more = (await world.held(actor)).filter(
    (p) => ![now, then].every((all) => all.some((held) => covers(held, p))),
  );
  expect({ of: "a token", more }).toEqual({ of: "a token", more: [] });
}

test("no sequence of calls enlarges what its caller controls", { timeout: 300_000 }, async () => {
  const [accepted, refused] = [new Map<string, number>(), new Map<string, number>()];
  const count = (into: Map<string, number>, kind: string) => into.set(kind, (into.get(kind) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const world = await build(given);
      for (const each of given.steps) {
        try {
          if (!(await take(world, each))) continue;
          count(accepted, each.kind);
        } catch (error) {
          if (!(error instanceof ProblemError) || error.status >= 500) throw error;
          if (error.status === 403 && error.message.includes("hand on")) count(refused, each.kind);
          continue;
        }
        for (const actor of world.actors) {
          const more = (await world.held(actor)).filter((p) => !world.start.some((held) => covers(held, p)));
          expect({ after: each, by: actor.kind, more }).toEqual({ after: each, by: actor.kind, more: [] });
        }
        for (const actor of world.actors) await assertBounded(world, actor);
      }
    }),
    { numRuns: 120 },
  );
  // The walk went everywhere, and met the rule that it is about wherever something is handed on.
  expect([...accepted.keys()].sort()).toEqual([...KINDS].sort());
  for (const kind of ["createRole", "updateRole", "assign", "bind", "createAccount", "mint", "invite"]) {
    expect([kind, (refused.get(kind) ?? 0) > 0]).toEqual([kind, true]);
  }
});
