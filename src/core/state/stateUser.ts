/** Who opens a state: a run by the token of its own, or a person or service account. */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { tokenHash } from "../../people/credentials/format.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import type { RunKind } from "../runs/protocol.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { stackStates } from "./schema.ts";

export type StateUser = { orgId: string; stackKey: string } & (
  | { kind: "run"; runId: string; writes: boolean }
  | { kind: "person"; subject: Subject; stackSlug: string }
);

/** Kinds of run that may change a state. A plan only looks, whatever its configuration executes. */
function writesState(kind: RunKind): boolean {
  return kind === "apply_run" || kind === "raw_run";
}

/** The run that this token is of, while it lives; null for any other token. */
export async function runOfToken(db: Queryable, runId: string, token: string): Promise<StateUser | null> {
  const [row] = await db.execute<{ org_id: string; stack_key: string; kind: RunKind }>(sql`
    select r.org_id, d.stack_key, r.kind from runs r join deployments d on d.id = r.deployment_id
    where r.id = ${runId} and r.state_token_hash = ${tokenHash(token)} and ${LIVES}`);
  if (row === undefined) return null;
  return { kind: "run", orgId: row.org_id, stackKey: row.stack_key, runId, writes: writesState(row.kind) };
}

/** Over `runs r`: a runner works on it. */
const LIVES = sql`r.status in ('running', 'requested_cancellation', 'cancelling')`;

/**
 * One row while the user may go on: a run is held until the end of the transaction, so that its end either comes after
 * what is written here or is seen here.
 */
export function held(user: StateUser): SQL {
  if (user.kind === "person") return sql`(select 1 as held)`;
  return sql`(select 1 as held from runs r where r.id = ${user.runId} and ${LIVES} for share)`;
}

/** Somebody who was let in to this stack's state. */
export function personOf(subject: Subject, { orgId, stackKey, slug: stackSlug }: StackRow) {
  return { kind: "person", orgId, stackKey, stackSlug, subject } as const satisfies StateUser;
}

type Holder = Pick<SqlRow<typeof stackStates>, "lock_run_id" | "locked_by" | "locked_by_kind">;

export function holderOf(user: StateUser): Holder {
  if (user.kind === "run") return { lock_run_id: user.runId, locked_by: null, locked_by_kind: null };
  return { lock_run_id: null, locked_by: user.subject.id, locked_by_kind: user.subject.kind };
}
