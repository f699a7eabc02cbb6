/** How a code host does, from when it answered last and when it did not. Pure. */
import type { ScmIntegration } from "../../data/types.ts";
import type { Tone } from "../../ui/status.ts";

export function healthOf({ last_success_at, last_failure }: Pick<ScmIntegration, "last_success_at" | "last_failure">): {
  word: string;
  tone: Tone;
} {
  if (last_failure !== null && (last_success_at === null || last_failure.at > last_success_at))
    return { word: "Does not answer", tone: "bad" };
  return last_success_at === null ? { word: "Not asked yet", tone: "still" } : { word: "Answers", tone: "ok" };
}
