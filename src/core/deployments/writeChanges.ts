/**
 * Stores what one person decided about many deployments of a stack: what ends without a runner in one statement, the
 * rest one by one.
 */
import { sql } from "drizzle-orm";
import type { Actor } from "../../work/domainEvent.ts";
import { tellSubscribers } from "../../work/publish.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { auditLines } from "./auditLines.ts";
import type { Change } from "./change.ts";
import { type End, endTogether, isEnd } from "./endTogether.ts";
import type { Lane } from "./lane.ts";
import { isTerminal, usesLane } from "./lifecycle.ts";
import { promoteNext } from "./promoteNext.ts";
import { forSleepers } from "./sleepers.ts";
import { writeChange } from "./writeChange.ts";
import { previewOf } from "./writeLog.ts";

export type LaneChange = { lane: Lane; change: Change };

/**
 * Write each change to its locked lane, all of one stack and by `actor`, as `writeChange` would. Freeing the lane comes
 * last, so that it promotes nothing that ends with it. Most changes are an `end`.
 */
export async function writeChanges(work: Work, changes: LaneChange[], end: End, actor: Actor): Promise<void> {
  const ends = changes.filter(({ lane, change }) => isEnd(lane, change, end));
  const others = changes.filter((one) => !ends.includes(one));
  if (ends.length > 0) await writeEnds(work, ends, end, actor);
  for (const { lane, change } of others.sort(holderLast)) await writeChange(work, lane, change);
  const holder = ends.find(({ lane }) => holdsLane(lane));
  if (holder) await promoteNext(work, holder.lane.stack.stack_key);
}

async function writeEnds(work: Work, ends: LaneChange[], end: End, actor: Actor): Promise<void> {
  const byId = new Map(ends.map((one) => [one.lane.deployment.id, one]));
  const which = sql`d.id = any(${`{${[...byId.keys()].join(",")}}`}::uuid[])`;
  const stackKey = ends[0]?.lane.stack.stack_key as string;
  const ended = await endTogether(work, { stackKey, which, end, actor });
  if (ended.length !== ends.length) throw new Error(`a deployment of stack ${stackKey} changed under its lock`);
  for (const { woken_at, ...event } of ended) {
    const { lane, change } = byId.get(event.deployment_id) as LaneChange;
    await tellSubscribers(work, event, previewOf(lane.deployment));
    work.messages.push(...forSleepers(lane, change));
    work.audit.push(...auditLines(lane.deployment, change.activity ?? []));
  }
}

function holderLast(a: LaneChange, b: LaneChange): number {
  return Number(holdsLane(a.lane)) - Number(holdsLane(b.lane));
}

function holdsLane({ deployment: { status, mode } }: Lane): boolean {
  return usesLane(mode) && status !== "queued" && !isTerminal(status);
}
