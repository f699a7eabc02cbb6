/** Duplicates: one real thing that more than one stack manages, so that their applies undo each other. */
import { sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import { type Finding, findingKey, MAX_STACKS } from "./findingRows.ts";

const PAGE = 500;

type Row = {
  hash: string;
  stacks: string[];
  count: number;
  realm: string;
  identity: string;
};

/** @param after the identity that the page before ended with, in hex */
export async function duplicatesAfter(
  explore: Queryable,
  orgId: string,
  after: string | null,
): Promise<{ duplicates: Finding[]; next: string | null }> {
  // The first pass reads only the index; the few that are managed twice are then looked at.
  const rows = await explore.execute<Row>(sql`
    select encode(d.identity_hash, 'hex') as hash, d.count::int, x.stacks, f.realm, f.identity
    from (
      select r.identity_hash, count(distinct r.stack_key) as count from explore.resources r
      where r.org_id = ${orgId} and r.mode = 'managed' and r.identity_hash is not null
        and r.identity_hash > decode(${after ?? ""}, 'hex')
      group by r.identity_hash having count(distinct r.stack_key) > 1
      order by r.identity_hash limit ${PAGE}
    ) d
    cross join lateral (
      select array_agg(s.stack_key) as stacks from (
        select distinct r.stack_key from explore.resources r
        where r.org_id = ${orgId} and r.mode = 'managed' and r.identity_hash = d.identity_hash
        order by r.stack_key limit ${MAX_STACKS}) s
    ) x
    cross join lateral (
      select r.realm, r.identity from explore.resources r
      where r.org_id = ${orgId} and r.mode = 'managed' and r.identity_hash = d.identity_hash
      order by r.stack_key, r.address limit 1
    ) f
    order by d.identity_hash`);
  const duplicates = rows.map(
    ({ hash, stacks, count, realm, identity }): Finding => ({
      kind: "duplicate",
      key: findingKey("duplicate", hash),
      stackKeys: stacks,
      stackCount: count,
      details: { realm, identity },
    }),
  );
  return { duplicates, next: rows.length < PAGE ? null : rows.at(-1)!.hash };
}
