/** What a change of an organization's default runner group means to its runs. */
import { and, eq } from "drizzle-orm";
import type { DefaultGroup } from "../../people/orgs/orgs.ts";
import type { Tx } from "../../platform/db/client.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { runnerGroups } from "./schema.ts";
import { lockSelectors, rematch } from "./selectors.ts";

/** Runs without a selector are matched anew, and wake the new group's pollers. */
export const defaultGroup: DefaultGroup = { lock: lockSelectors, assertOwn: assertGroupOf, changed: rematch };

async function assertGroupOf(tx: Tx, orgId: string, groupId: string): Promise<void> {
  const mine = and(eq(runnerGroups.id, groupId), eq(runnerGroups.orgId, orgId));
  const rows = await tx.select({ id: runnerGroups.id }).from(runnerGroups).where(mine);
  if (rows.length > 0) return;
  throw new InvalidValueError([
    { field: "default_runner_group_id", message: "is no runner group of this organization" },
  ]);
}
