/**
 * An authorization check against `select 1` over the same pool, with 1,000 and with 100,000 people. Each person asked
 * about holds a direct role and, by two sign-in groups, the roles of two bindings; what is checked is conferred by a
 * binding. Beside it: the scope of a list, and a stack looked up and checked in its one statement.
 */
import { sql } from "drizzle-orm";
import type postgres from "postgres";
import { authorizeStack } from "../src/core/stacks/authorizeStack.ts";
import type { Subject } from "../src/http/principal.ts";
import { authorize } from "../src/people/authorization/authorize.ts";
import { listScope } from "../src/people/authorization/listScope.ts";
import { countStatements } from "../src/platform/db/statements.ts";
import { atMost, type Bench, type BenchContext, type BenchResult, exactly, rounded } from "./harness/bench.ts";
import { interleave, ratio, timed } from "./harness/rounds.ts";
import { insertStacks } from "./harness/rows.ts";
import { seedOrg, settle, WIDE_LIMITS } from "./harness/seed.ts";
import { type BenchPostgres, benchPostgres } from "./harness/servers.ts";
import { summary } from "./harness/statistics.ts";

const FEW = 1_000;
const MANY = 100_000;
const ROUNDS = 15;
const CHECKS = 200;
const GROUPS = 200;

export const bench: Bench = {
  what: "an authorization check with 1,000 and 100,000 people, against `select 1` over the same pool",
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const server = await benchPostgres(context);
  const few = await people(server, "few", FEW);
  const many = await people(server, "many", MANY);
  context.say(`${FEW} and ${MANY} people; ${ROUNDS} rounds of ${CHECKS} checks, each of another person`);
  const taken = await interleave(
    {
      selectOne: () => timed(CHECKS, () => many.db.execute(sql`select 1`)),
      checkFew: () => timed(CHECKS, few.check),
      checkMany: () => timed(CHECKS, many.check),
      scopeMany: () => timed(CHECKS, many.scope),
      stackMany: () => timed(CHECKS, many.stack),
    },
    { rounds: ROUNDS, warmUp: 2 },
  );
  const figures = Object.fromEntries(Object.entries(taken).map(([name, rounds]) => [name, summary(rounds.flat())]));
  for (const [name, { p50, p99 }] of Object.entries(figures))
    context.say(`${name.padEnd(9)} p50 ${p50} ms, p99 ${p99} ms`);
  return {
    figures: {
      milliseconds: figures,
      scope_p50_to_select_1: rounded(ratio(taken.scopeMany, taken.selectOne, 0.5)),
      stack_p50_to_select_1: rounded(ratio(taken.stackMany, taken.selectOne, 0.5)),
    },
    bars: {
      statements_per_check: exactly(await statements(many.check), 1),
      statements_per_scope: exactly(await statements(many.scope), 1),
      statements_per_stack_read: exactly(await statements(many.stack), 1),
      check_p50_to_select_1: atMost(ratio(taken.checkMany, taken.selectOne, 0.5), 6),
      check_p50_100k_to_1k: atMost(ratio(taken.checkMany, taken.checkFew, 0.5), 1.5),
    },
  };
}

async function statements(work: () => Promise<unknown>): Promise<number> {
  return (await countStatements(work)).statements.length;
}

/** One organization of `size` members. */
async function people(server: BenchPostgres, name: string, size: number) {
  const { db, sql: support } = await server.database(name);
  const { orgId } = await seedOrg(support, WIDE_LIMITS);
  const [stack] = await insertStacks(support, orgId, 100);
  await seedPeople(support, orgId, size);
  let next = 0;
  const someone = (): Subject => {
    // A stride that visits everybody in no order that a cache could guess.
    next = (next + 7_919) % size;
    return { kind: "user", id: `bench:${next + 1}` };
  };
  const on = { orgId, type: "stack", action: "deploy", resourceId: stack!.slug } as const;
  return {
    db,
    check: async () => {
      if (!(await authorize(db, someone(), on)).granted) throw new Error("a check was denied");
    },
    scope: async () => {
      const { HasUnscoped, Patterns } = await listScope(db, someone(), orgId, "stack");
      if (!HasUnscoped || Patterns.length !== 1) throw new Error("a scope is not what was seeded");
    },
    stack: () => authorizeStack(db, someone(), orgId, stack!.slug, "deploy"),
  };
}

async function seedPeople(support: postgres.Sql, orgId: string, size: number): Promise<void> {
  await support`insert into users (id, provider_key, issuer, subject, login)
    select 'bench:' || i, 'codehost', '', i::text, 'bench' || i from generate_series(1, ${size}::int) i`;
  await support`insert into memberships (org_id, user_id) select ${orgId}, id from users`;
  await support`insert into roles (org_id, name) select ${orgId}, 'role ' || i from generate_series(0, 9) i`;
  await support`insert into role_permissions (role_id, resource_type, action, resource_pattern)
    select r.id, p.t, p.a, p.pattern from roles r, (values ('org', 'read', null), ('runner', 'read', null), ('stack', 'read', 's%')) p (t, a, pattern)
    where r.org_id = ${orgId}`;
  await support`insert into role_assignments (org_id, role_id, user_id)
    select ${orgId}, r.id, u.id from users u join roles r on r.org_id = ${orgId} and r.name = 'role ' || (u.subject::int % 10)`;
  const [source] = await support`insert into identity_sources
    (org_id, provider_key, source_slug, display_name, oidc_issuer, oidc_client_id, oidc_groups_claim)
    values (${orgId}, 'oidc', 'idp', 'IdP', 'https://idp.example', 'app', 'groups') returning id`;
  await support`insert into group_role_bindings (identity_source_id, group_key)
    select ${source?.id}, 'group ' || i from generate_series(0, ${GROUPS - 1}::int) i`;
  await support`insert into group_role_binding_roles (binding_id, role_id)
    select b.id, r.id from group_role_bindings b, roles r where r.is_system and r.name in ('deployer', 'viewer')`;
  await support`insert into external_entitlements (user_id, provider_key, issuer, client_id, groups_claim, group_key, expires_at)
    select u.id, 'oidc', 'https://idp.example', 'app', 'groups', 'group ' || ((u.subject::int + k) % ${GROUPS}::int), svc_now() + interval '7 days'
    from users u, generate_series(0, 1) k`;
  await settle(
    support,
    "users",
    "memberships",
    "roles",
    "role_permissions",
    "role_assignments",
    "group_role_bindings",
    "group_role_binding_roles",
    "external_entitlements",
  );
}
