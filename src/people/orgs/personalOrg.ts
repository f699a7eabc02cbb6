/** The organization that each person gets at first sign-in (docs/rules/organizations.md#personal-organizations). */
import { eq } from "drizzle-orm";
import type { Tx } from "../../platform/db/client.ts";
import { memberships } from "../members/schema.ts";
import { roleAssignments } from "../roles/schema.ts";
import { type OrgDefaults, systemRoleId } from "./orgs.ts";
import { organizations } from "./schema.ts";

/**
 * The id of the user's personal organization, made when there is none: the user is its owner, its member and its
 * Admin. It is exempt from the seat cap. Safe to call at every sign-in, also twice at once.
 */
export async function ensurePersonalOrg(
  tx: Tx,
  user: { id: string; login: string },
  { maxUsers, runsPerHour }: OrgDefaults,
): Promise<string> {
  const [made] = await tx
    .insert(organizations)
    .values({
      name: user.login.slice(0, 100),
      isPersonal: true,
      ownerUserId: user.id,
      maxUsers,
      runsPerHourLimit: runsPerHour,
    })
    .onConflictDoNothing({ target: organizations.ownerUserId })
    .returning({ id: organizations.id });
  if (made === undefined) return existing(tx, user.id);
  await tx.insert(memberships).values({ orgId: made.id, userId: user.id });
  const roleId = await systemRoleId(tx, "admin");
  await tx.insert(roleAssignments).values({ orgId: made.id, roleId, userId: user.id });
  return made.id;
}

async function existing(tx: Tx, userId: string): Promise<string> {
  const [org] = await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.ownerUserId, userId));
  return org!.id;
}
