/**
 * What a group comes to serve by new labels. Labels give what names are guarded for: who may change only some groups
 * must not bring another group's runs to them (docs/rules/dispatch.md#who-may-give-labels).
 */
import { type SQL, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { authorize } from "../../people/authorization/authorize.ts";
import { permitted } from "../../people/authorization/grants.ts";
import type { Action } from "../../people/authorization/matrix.ts";
import type { Tx } from "../../platform/db/client.ts";

type Labels = Readonly<Record<string, string>>;
/** `groupId` is null for a group that is about to be made. */
export type Relabelling = { orgId: string; groupId: string | null; before: Labels; after: Labels };

/** How many selectors an audit entry names. */
const NAMED = 50;

/** A selector that a live stack has, or that runs wait with. */
export type GainedSelector = { selector: Labels; served: boolean };

/** Selectors in use that the group comes to serve, and whether another group serves them already. */
export async function gainedSelectors(tx: Tx, change: Relabelling): Promise<GainedSelector[]> {
  const { orgId, before, after } = change;
  if (gainedPairs(before, after).length === 0) return [];
  return tx.execute<GainedSelector>(sql`
    with used as (
      select w.labels from stacks s
      cross join lateral (values (runner_selector_of(s.labels)), (s.preview_runner_labels), (s.fork_runner_labels)) w (labels)
      where s.org_id = ${orgId}::uuid and s.deleted_at is null and w.labels is not null
      union
      select s.labels from runner_selectors s where s.org_id = ${orgId}::uuid
        and exists (select from runs r where r.selector_id = s.id and r.status = 'pending')
    )
    select u.labels as selector, exists (select from ${others(change)} g where g.labels @> u.labels) as served
    from used u where u.labels <> '{}' and ${JSON.stringify(after)}::jsonb @> u.labels and not ${JSON.stringify(before)}::jsonb @> u.labels
    order by u.labels`);
}

/**
 * Whether the subject may give these labels: by a permission that no pattern bounds, or where nothing is gained but
 * what only groups serve that the subject may change anyway. A selector in use that no other group serves counts as
 * somebody else's, since its runs wait for whoever comes.
 */
export async function mayGain(
  tx: Tx,
  subject: Subject,
  action: Action<"runner_group">,
  change: Relabelling,
  gained: readonly GainedSelector[],
): Promise<boolean> {
  const pairs = gainedPairs(change.before, change.after);
  if (pairs.length === 0) return true;
  if ((await authorize(tx, subject, { orgId: change.orgId, type: "runner_group", action })).granted) return true;
  if (gained.some(({ served }) => !served)) return false;
  const own = permitted(subject, change.orgId, { type: "runner_group", action: "update", name: sql`g.name` });
  const foreign = await tx.execute(sql`
    select from ${others(change)} g, jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p (pair jsonb)
    where g.labels @> p.pair and not ${own} limit 1`);
  return foreign.length === 0;
}

/** For the audit trail; nothing when nothing was gained. */
export function gainedDetails(gained: readonly GainedSelector[]): Record<string, unknown> {
  if (gained.length === 0) return {};
  const selectors = gained.slice(0, NAMED).map(({ selector }) => selector);
  const more = gained.length > NAMED ? { selectors_gained_count: gained.length } : {};
  return { selectors_gained: selectors, ...more };
}

function others({ orgId, groupId }: Relabelling): SQL {
  return sql`(select name, labels from runner_groups where org_id = ${orgId}::uuid and id is distinct from ${groupId}::uuid)`;
}

/** A later selector may ask for any part of the labels, so each pair counts by itself. */
function gainedPairs(before: Labels, after: Labels): { pair: Labels }[] {
  const had = (key: string) => (Object.hasOwn(before, key) ? before[key] : undefined);
  return Object.entries(after)
    .filter(([key, value]) => had(key) !== value)
    .map(([key, value]) => ({ pair: { [key]: value } }));
}
