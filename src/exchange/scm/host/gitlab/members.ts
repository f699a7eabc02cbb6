/** Who may write to a project: members of it, of its groups, and of groups that were invited. */
import type { RepositoryCalls } from "../client.ts";
import { isNotFound } from "../errors.ts";
import type { Reviewer } from "../reviews.ts";

/** A developer's; below it nobody can push. */
const WRITING = 30;

/** @throws HostError where the host does not say */
export async function mayWrite(calls: RepositoryCalls, { id }: Reviewer): Promise<boolean> {
  try {
    const { data } = await calls.call("GET", "/members/all/{id}", { id });
    const { access_level, state, id: whose } = (data ?? {}) as Record<string, unknown>;
    const isActive = state === undefined || state === "active";
    return whose === id && isActive && typeof access_level === "number" && access_level >= WRITING;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  await calls.assertVisible();
  return false;
}
