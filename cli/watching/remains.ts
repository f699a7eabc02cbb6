/** What a command that ends before its deployment leaves behind, and what to do about it. Pure. */
import type { DeploymentPath } from "./watch.ts";

export type Left = {
  begun: DeploymentPath | null;
  /** The stack of which one may have begun. */
  creatingOf: string | null;
  status: string;
  /** Its plan, once made, waits for a person. */
  wouldWait: boolean;
};

export function remains({ begun, creatingOf, status, wouldWait }: Left): [what: string, hint: string] {
  if (begun === null) {
    if (creatingOf === null) return ["", "Nothing was begun; it can be called again"];
    return ["Nobody knows whether it began.", `See: deploy queue ${creatingOf}`];
  }
  const named = `${begun.stackId}/${begun.id}`;
  if (status === "waiting") {
    return [
      `Deployment ${begun.id} waits for a person, and holds up what is queued behind it.`,
      `Confirm or skip it: deploy confirm ${named}`,
    ];
  }
  const later = wouldWait ? `; its plan will wait for you: deploy confirm ${named}` : "";
  return [`Deployment ${begun.id} goes on.`, `Watch it: deploy watch ${named}${later}`];
}
