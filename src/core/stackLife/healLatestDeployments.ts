/**
 * A stack's newest deployment is stored with it, so that lists are fast. It is compared with the deployments, a part at
 * each pass, and corrected where it differs (docs/rules/deployments.md#what-the-stack-list-shows). Only a fault of
 * ours, or a hand in the database, makes it differ.
 */

import { sql } from "drizzle-orm";
import type { Db } from "../../platform/db/client.ts";
import { takesLane } from "../deployments/laneModes.ts";

/** Compared at each pass; ten thousand stacks are once round in twenty minutes. */
const AT_ONCE = 500;
/** Before any stack's key. */
const BEGINNING = "00000000-0000-0000-0000-000000000000";

/** Each call is a pass: it compares the next part, and returns how many stacks it corrected. */
export function latestDeploymentHealer(db: Db): () => Promise<number> {
  /** Where the next pass begins; each process goes round by itself, and twice is no more than once. */
  let after = BEGINNING;
  return async () => {
    const [page] = await db.execute<{ next: string | null; differing: string[] }>(sql`
      with page as materialized (
        select * from stacks s where s.deleted_at is null and s.stack_key > ${after}::uuid
        order by s.stack_key limit ${AT_ONCE}::int
      )
      select (select stack_key from page order by stack_key offset ${AT_ONCE - 1}::int) as next,
        coalesce((select jsonb_agg(s.stack_key) from page s left join lateral (${NEWEST}) d on true where ${DIFFERS}), '[]') as differing`);
    after = page?.next ?? BEGINNING;
    let rows = 0;
    for (const key of page?.differing ?? []) rows += await healStack(key);
    return rows;
  };

  /** Under the lock that every transition takes first: what differed for a moment only is left alone. */
  function healStack(stackKey: string): Promise<number> {
    return db.transaction(async (tx) => {
      await tx.execute(sql`select from stacks where stack_key = ${stackKey} for no key update`);
      const rows = await tx.execute(sql`
        update stacks t set latest_deployment_id = d.id, latest_deployment_status = d.status, latest_deployment_mode = d.mode,
          latest_deployment_commit_sha = d.commit_sha, latest_deployment_created_at = d.created_at,
          latest_deployment_completed_at = d.completed_at
        from stacks s left join lateral (${NEWEST}) d on true
        where s.stack_key = ${stackKey} and t.stack_key = s.stack_key and ${DIFFERS} returning 1`);
      return rows.length;
    });
  }
}

/** Of `stacks s`: its newest deployment that uses the lane. */
const NEWEST = sql`select id, status, mode, commit_sha, created_at, completed_at from deployments n
  where n.stack_key = s.stack_key and ${takesLane("n")} order by n.created_at desc, n.id desc limit 1`;

const DIFFERS = sql`(s.latest_deployment_id, s.latest_deployment_status, s.latest_deployment_mode, s.latest_deployment_commit_sha,
    s.latest_deployment_created_at, s.latest_deployment_completed_at)
  is distinct from (d.id, d.status, d.mode, d.commit_sha, d.created_at, d.completed_at)`;
