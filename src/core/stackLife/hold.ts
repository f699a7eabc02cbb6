/**
 * Hold a stack: nothing new is promoted until it is released (docs/rules/stacks.md#hold). What holds the lane goes
 * on.
 */
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { requireRow } from "../../platform/problems/requireRow.ts";
import type { Service } from "../../work/service.ts";
import { unitOfWork } from "../../work/unitOfWork.ts";
import { promoteNext } from "../deployments/promoteNext.ts";
import { type StackRow, stacks } from "../stacks/schema.ts";
import { recordStackEvent } from "../stacks/stackEvent.ts";

const live = (stackKey: string) => and(eq(stacks.stackKey, stackKey), isNull(stacks.deletedAt));

/** Repeating it keeps the first holder and time, and updates the reason. */
export async function holdStack(
  service: Service,
  subject: Subject,
  stackKey: string,
  reason: string,
): Promise<StackRow> {
  return unitOfWork(service, async (work) => {
    const before = requireRow(await work.tx.select().from(stacks).where(live(stackKey)).for("no key update"));
    const [row] = await work.tx
      .update(stacks)
      .set({ heldAt: sql`coalesce(held_at, svc_now())`, heldBy: before.heldBy ?? subject.id, holdReason: reason })
      .where(live(stackKey))
      .returning();
    if (before.heldAt === null) await recordStackEvent(work, row!, "stack_held", subject);
    return row!;
  });
}

/**
 * Release runs the promotion in its own transaction, so the next deployment has the lane at once. Repeating it is fine.
 */
export async function releaseStack(service: Service, subject: Subject, stackKey: string): Promise<StackRow> {
  return unitOfWork(service, async (work) => {
    const before = requireRow(await work.tx.select().from(stacks).where(live(stackKey)).for("no key update"));
    if (before.heldAt === null) return before;
    await work.tx.update(stacks).set({ heldAt: null, heldBy: null, holdReason: null }).where(live(stackKey));
    await recordStackEvent(work, before, "stack_released", subject);
    await promoteNext(work, stackKey);
    // Read after the promotion, which may have moved the projection.
    const [row] = await work.tx.select().from(stacks).where(live(stackKey));
    return row!;
  });
}
