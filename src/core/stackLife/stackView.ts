/**
 * What an answer says of a stack besides its settings: who holds it, and what the caller may do with it now
 * (docs/rules/deployments.md#what-an-answer-offers).
 */
import { sql } from "drizzle-orm";
import type { Subject } from "../../http/principal.ts";
import { type ActorAnswer, actorColumn } from "../../people/actors/actor.ts";
import type { Action } from "../../people/authorization/matrix.ts";
import { grantsAllow, type StackGrants, stackGrantsColumn } from "../../people/authorization/stackGrants.ts";
import type { Queryable } from "../../platform/db/client.ts";
import { CREATE_ACTION } from "../deployments/authorizeDeployment.ts";
import { STACK_ACTIONS, type StackAction, type StackView, stackAnswer } from "../stacks/answer.ts";
import type { StackRow } from "../stacks/schema.ts";

const NEEDS: Record<StackAction, Action<"stack">> = {
  ...CREATE_ACTION,
  local: "local_deploy",
  update: "update",
  hold: "confirm",
  release: "confirm",
  delete: "delete",
};

/** Pure. A stack is held or released, whichever it is not. */
function allowedOnStack(
  held: StackGrants | null,
  { name, authzGroups, heldAt }: Pick<StackRow, "name" | "authzGroups" | "heldAt">,
): StackAction[] {
  if (held === null) return [];
  return STACK_ACTIONS.filter(
    (action) =>
      action !== (heldAt === null ? "release" : "hold") &&
      grantsAllow(held, NEEDS[action], { name, groups: authzGroups }),
  );
}

/** The answer for one stack, in one statement more. */
export async function viewStack(db: Queryable, subject: Subject, stack: StackRow): Promise<Input> {
  const [row] = await db.execute<{ held: StackGrants | null; actor: ActorAnswer | null }>(sql`
    select ${stackGrantsColumn(subject, stack.orgId)} as held, ${actorColumn(sql`h.id`)} as actor
    from (select ${stack.heldBy}::text as id) h`);
  return stackAnswer(stack, viewOf(row?.held ?? null, stack, row?.actor ?? null));
}

export function viewOf(held: StackGrants | null, stack: StackRow, holder: ActorAnswer | null): StackView {
  return { held_by_actor: holder, allowed_actions: allowedOnStack(held, stack) };
}

type Input = ReturnType<typeof stackAnswer>;
