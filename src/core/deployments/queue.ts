/** A stack's queue as its own read: who holds the lane, whether the stack is held, and who comes next. */

import { sql } from "drizzle-orm";
import * as v from "valibot";
import { ActorAnswer, actorColumn } from "../../people/actors/actor.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import type { StackRow } from "../stacks/schema.ts";
import type { Viewer } from "./dependencyOrigin.ts";
import { takesLane } from "./laneModes.ts";
import { readDeployments } from "./resource.ts";
import { DeploymentResource } from "./resourceSchema.ts";

const SHOWN = 100;

export const StackQueue = v.object({
  holder: v.nullable(DeploymentResource),
  held_at: v.nullable(v.string()),
  held_by: v.nullable(v.string()),
  held_by_actor: v.nullable(ActorAnswer),
  hold_reason: v.nullable(v.string()),
  queued_count: v.number(),
  items: v.pipe(v.array(DeploymentResource), v.metadata({ description: `The first ${SHOWN}, in queue order` })),
});
export type StackQueue = v.InferOutput<typeof StackQueue>;

/** Holder and first entries in one read, whatever the queue's length. */
export async function readQueue(db: Queryable, viewer: Viewer, stack: StackRow): Promise<StackQueue> {
  const deployments = await readDeployments(
    db,
    viewer,
    sql`(select h.id, 0 as ord from deployments h where h.stack_key = ${stack.stackKey} and ${takesLane("h")}
        and h.status in ('pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling'))
      union all
      (select q.id, row_number() over (order by q.prioritized_at nulls last, q.created_at, q.id) as ord from deployments q
        where q.stack_key = ${stack.stackKey} and q.status = 'queued'
        order by q.prioritized_at nulls last, q.created_at, q.id limit ${SHOWN})`,
  );
  const [besides] = await db.execute<{ n: number; actor: ActorAnswer | null }>(
    sql`select (select count(*)::int from deployments where stack_key = s.stack_key and status = 'queued') as n,
      ${actorColumn(sql`s.held_by`)} as actor from stacks s where s.stack_key = ${stack.stackKey}`,
  );
  return {
    holder: deployments.find((deployment) => deployment.status !== "queued") ?? null,
    held_at: rfc3339(stack.heldAt),
    held_by: stack.heldBy,
    held_by_actor: besides?.actor ?? null,
    hold_reason: stack.holdReason,
    queued_count: besides?.n ?? 0,
    items: deployments.filter((deployment) => deployment.status === "queued"),
  };
}
