/** The cycle that a stack lies on, for the warning on its page. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { StackRow, stacks } from "../../core/stacks/schema.ts";
import type { Subject } from "../../http/principal.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { SqlRow } from "../../platform/db/sqlRow.ts";
import { BUDGET_NAMES, type Budgets } from "../analysis/budgets.ts";
import { graphOf } from "./graph.ts";
import { cycleMembers, cycleSize, cycleThrough, inCycle } from "./graphCycles.ts";
import { readable, withGrants } from "./neighborhood.ts";

const about = <S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.metadata({ description }));

const Member = v.object({
  id: v.nullable(v.string()),
  name: v.nullable(v.string()),
  restricted: about(v.boolean(), "Not for you to read"),
});

export const DependencyCycles = v.pipe(
  v.object({
    in_cycle: about(v.nullable(v.boolean()), "null: unknown, since a budget is exceeded"),
    exceeded_budget: v.nullable(v.picklist(Object.values(BUDGET_NAMES))),
    cycle: about(
      v.nullable(v.array(Member)),
      "A shortest cycle through this stack, which comes first: an apply of each one triggers the next, of the last one the first. Null when there is none or it is longer than 200",
    ),
    members: about(v.array(Member), "Stacks from which this one can be reached and that it reaches, itself included"),
    total_members: v.number(),
    truncated: about(v.boolean(), "More than 200 members: the rest is left out"),
  }),
  v.metadata({ ref: "DependencyCycles" }),
);
type Answer = v.InferInput<typeof DependencyCycles>;

/** More names than anybody reads in a warning. */
const SHOWN = 200;

/** @param stack one that the caller may read: `authorizeStack` gave it */
export async function readCycles(db: Queryable, subject: Subject, stack: StackRow, budgets: Budgets): Promise<Answer> {
  const graph = await graphOf(db, stack.orgId, budgets);
  const inOne = inCycle(graph, stack.stackKey);
  const nothing = { cycle: null, members: [], total_members: 0, truncated: false };
  if (inOne !== true) return { in_cycle: inOne, exceeded_budget: graph.exceeded, ...nothing };
  const cycle = await cycleThrough(graph, stack.stackKey);
  const members = cycleMembers(graph, stack.stackKey, SHOWN);
  const shown = cycle !== null && cycle.length <= SHOWN ? cycle : null;
  const names = await namesOf(db, subject, stack.orgId, [...new Set([...(shown ?? []), ...members])]);
  const member = (key: string) => names.get(key) ?? { id: null, name: null, restricted: true };
  const total = cycleSize(graph, stack.stackKey);
  return {
    in_cycle: true,
    exceeded_budget: null,
    cycle: shown?.map(member) ?? null,
    // By id, those that are hidden last: the order of keys would tell when each was made.
    members: members.map(member).sort((a, b) => (a.id === null ? 1 : b.id === null ? -1 : a.id < b.id ? -1 : 1)),
    total_members: total,
    truncated: members.length < total,
  };
}

/** Only of those that the caller may read. */
async function namesOf(
  db: Queryable,
  subject: Subject,
  orgId: string,
  keys: string[],
): Promise<Map<string, Answer["members"][number]>> {
  const rows = await db.execute<SqlRow<typeof stacks, "stack_key" | "slug" | "name">>(sql`
    with ${withGrants(subject, orgId)}
    select s.stack_key, s.slug, s.name from stacks s
    where s.stack_key = any(${sql.param(keys)}::uuid[]) and s.org_id = ${orgId}::uuid and s.deleted_at is null
      and ${readable}`);
  return new Map(rows.map((row) => [row.stack_key, { id: row.slug, name: row.name, restricted: false }]));
}
