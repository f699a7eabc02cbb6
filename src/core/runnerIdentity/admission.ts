/**
 * Who calls, decided in the route's own first statement: the token's signature is checked with a cached key, and the
 * statement compares that key with the group's row, the token's times with the database's clock, and the signed ids
 * with the stored runner and run (docs/rules/runner-protocol.md#the-first-statement-decides-who-calls). So rotation,
 * expiry and grace hold at once in every process, at no extra statement.
 */
import { type SQL, sql } from "drizzle-orm";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { RunStatus } from "../runs/lifecycle.ts";
import type { RunKind } from "../runs/protocol.ts";
import type { RunnerStatus } from "../runs/runnerLifecycle.ts";
import type { runs } from "../runs/schema.ts";
import { ForeignRunError, NotAuthenticatedError } from "./errors.ts";
import { type Claims, verifyToken } from "./jwt.ts";
import type { GroupKey, GroupKeys } from "./keys.ts";

type GroupClaims = Extract<Claims, { token_type: "runner_group" }>;
type RunnerClaims = Extract<Claims, { token_type: "runner" }>;
type Kind = Claims["token_type"];
type ClaimsOf<K extends Kind> = Extract<Claims, { token_type: K }>;

/** A verified token with the key that verified it. */
export type Signed<C extends Claims> = { claims: C; fingerprint: string };

/** What a request brings: its token, and who it comes from. */
export type Bearer = { token: string | null; address: string };

/** Columns of `groupCaller` and `runnerCaller` that say whether the token holds. */
type Held = { key_current: boolean; in_time: boolean };
export type GroupRow = Held & { group_id: string; org_id: string };

/**
 * How the signed runner stands to the signed run: its present runner; a stub of another claim of it; a removed row
 * while the run names no runner; a removed row otherwise; or a runner of another group or run.
 */
export type Relation = "own" | "stale" | "removed" | "unknown" | "foreign";

export type RunnerRow = GroupRow &
  SqlRow<typeof runs, "plan_run_id" | "selector_id"> & {
    /** Null when there is no such run in the group's organization. */
    run_id: string | null;
    run_status: RunStatus;
    run_kind: RunKind;
    /** Of a check for drift. */
    run_background: boolean;
    /** Whether the run ended longer ago than the grace. */
    past_grace: boolean;
    relation: Relation;
    runner_status: RunnerStatus | null;
  };

/** `CALLER` for a group's token: a relation of at most one row, for a `with` list. */
export function groupCaller({ claims, fingerprint }: Signed<GroupClaims>): SQL {
  return sql`select g.id as group_id, g.org_id, ${keyAccepts(claims, fingerprint)}
    from runner_groups g cross join lateral (select svc_now() as now) t
    where g.id = ${claims.group_id}`;
}

/**
 * The same for a runner's token. Column `valid` is true when all but the relation holds; a statement with an effect
 * asks for it and for the relations it serves.
 */
export function runnerCaller({ claims, fingerprint }: Signed<RunnerClaims>, graceMs: number): SQL {
  return sql`select c.*, c.key_current and c.in_time and c.run_id is not null and not c.past_grace as valid
    from (
      select g.id as group_id, g.org_id, ${keyAccepts(claims, fingerprint)},
        r.id as run_id, r.status as run_status, r.kind as run_kind, r.background as run_background, r.plan_run_id, r.selector_id,
        coalesce(r.completed_at + ${graceMs}::float8 * interval '1 millisecond' < t.now, false) as past_grace,
        s.status as runner_status,
        case when s.id is null then
            case when r.assigned_runner_id is null and r.assigned_group_id = g.id then 'removed' else 'unknown' end
          when s.group_id <> g.id or s.run_id <> r.id then 'foreign'
          when r.assigned_runner_id = s.id then 'own'
          else 'stale' end as relation
      from runner_groups g cross join lateral (select svc_now() as now) t
      left join runs r on r.id = ${claims.run_id} and r.org_id = g.org_id
      left join runners s on s.id = ${claims.runner_id}
      where g.id = ${claims.group_id}
    ) c`;
}

/** 60 s of skew both ways between the signer's clock and ours. */
function keyAccepts({ iat, exp, nbf = iat }: Claims, fingerprint: string): SQL {
  return sql`g.public_key_fingerprint = ${fingerprint} as key_current,
    (to_timestamp(${Math.max(iat, nbf)}::float8) <= t.now + interval '60 seconds'
      and to_timestamp(${exp}::float8) > t.now - interval '60 seconds') as in_time`;
}

/**
 * Verify `token` and run `statement`, whose row begins with the caller's columns and which must do nothing unless they
 * hold. When the cached key turns out to be old, it is loaded again and both are done once more.
 * @throws NotAuthenticatedError, TooManyRequestsError
 */
export async function admit<K extends Kind, R extends Held>(
  keys: GroupKeys,
  kind: K,
  { token, address }: Bearer,
  statement: (signed: Signed<ClaimsOf<K>>) => Promise<R | undefined>,
): Promise<{ signed: Signed<ClaimsOf<K>>; row: R }> {
  if (token === null) throw new NotAuthenticatedError();
  for (const source of ["cached", "load"] as const) {
    const used: { groupId?: string; key?: GroupKey } = {};
    let loaded = source === "load";
    const claims = await verifyToken(token, async (groupId) => {
      const cached = loaded ? null : keys.cached(groupId);
      loaded ||= cached === null;
      const key = cached ?? (await keys.load(groupId, address));
      if (key !== null) Object.assign(used, { groupId, key });
      return key;
    });
    if (used.key === undefined) throw new NotAuthenticatedError();
    if (claims !== null) {
      if (claims.token_type !== kind) throw new NotAuthenticatedError();
      const signed = { claims: claims as ClaimsOf<K>, fingerprint: used.key.fingerprint };
      const row = await statement(signed);
      if (row?.key_current && row.in_time) return { signed, row };
      if (row === undefined || row.key_current) throw new NotAuthenticatedError();
    }
    // A bad signature proves nothing against an old key: the token may be signed with the one that replaced it.
    if (loaded && claims === null) {
      keys.inVain(used.groupId ?? "", address);
      throw new NotAuthenticatedError();
    }
  }
  throw new NotAuthenticatedError();
}

/**
 * What every runner route asks before its own rules.
 * @throws ForeignRunError, NotAuthenticatedError (past the grace)
 */
export function assertOfRun(row: RunnerRow): void {
  if (row.run_id === null) throw new ForeignRunError();
  if (row.past_grace) throw new NotAuthenticatedError();
  if (row.relation === "foreign") throw new ForeignRunError();
}
