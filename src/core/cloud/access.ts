/** What of its stack's access a run may have (docs/rules/cloud.md#who-gets-none). Pure. */
import type { ContextSubject } from "../runnerProtocol/contextSubject.ts";

export type Access = "none" | "previews" | "all";

/**
 * Code that nobody merged gets what is meant for it, foreign code nothing. What a person has promoted counts as merged.
 */
export function accessOf(subject: Pick<ContextSubject, "isForeign" | "mode" | "originType" | "provenance">): Access {
  const { isForeign, mode, originType, provenance } = subject;
  if (isForeign) return "none";
  if (mode === "plan_unlocked" || originType === "pull_request") return "previews";
  return provenance === "pull_request" && originType !== "promoted_pull_request" ? "previews" : "all";
}
