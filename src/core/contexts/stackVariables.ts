/** The variables that the runs of a stack get from contexts, each with where it comes from; no secret's value. */
import { sql } from "drizzle-orm";
import * as v from "valibot";
import type { Queryable } from "../../platform/db/client.ts";
import type { StackRow } from "../stacks/schema.ts";

export const StackVariables = v.pipe(
  v.object({
    items: v.array(
      v.object({
        name: v.string(),
        secret: v.boolean(),
        value: v.pipe(v.nullable(v.string()), v.metadata({ description: "null for a secret" })),
        context: v.object({ id: v.string(), name: v.string() }),
        overridden: v.pipe(
          v.array(v.string()),
          v.metadata({ description: "Names of the contexts that have it too and lose, the last that lost first" }),
        ),
      }),
    ),
  }),
  v.metadata({ ref: "StackVariables" }),
);
type Variable = v.InferOutput<typeof StackVariables>["items"][number];

/** By the rule of `contextEnvironment`: the later name wins. Code of a fork gets no secret of these. */
export async function readStackVariables(
  db: Queryable,
  { orgId, labels }: Pick<StackRow, "orgId" | "labels">,
): Promise<Variable[]> {
  type Row = Pick<Variable, "name" | "secret" | "value"> & { context_id: string; context_name: string };
  const rows = await db.execute<Row>(sql`
    select v.name, v.secret, v.value, c.id as context_id, c.name as context_name
    from contexts c join context_variables v on v.context_id = c.id
    where c.org_id = ${orgId} and ${JSON.stringify(labels)}::jsonb @> c.selector
    order by v.name collate "C", c.name collate "C" desc`);
  const byName = Map.groupBy(rows, (row) => row.name);
  return [...byName.values()].map(([first, ...lost]) => {
    const { context_id, context_name, ...variable } = first!;
    return {
      ...variable,
      context: { id: context_id, name: context_name },
      overridden: lost.map((row) => row.context_name),
    };
  });
}
