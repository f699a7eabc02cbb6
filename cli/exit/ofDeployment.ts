/** What a deployment's state ends the program with. Pure. */
import { EXIT, type ExitCode } from "./exitCodes.ts";

export type Ended = {
  status: string;
  /** Whether its newest plan would change something; null where it has none. */
  hasChanges: boolean | null;
};

export const TERMINAL: ReadonlySet<string> = new Set(["finished", "failed", "cancelled", "skipped"]);

export function exitOfDeployment(
  { status, hasChanges }: Ended,
  { detailed, applied }: { detailed: boolean; applied: boolean },
): ExitCode {
  if (status === "failed") return EXIT.failed;
  if (status === "cancelled" || status === "skipped") return EXIT.ended;
  if (!detailed) return EXIT.done;
  if (status === "waiting") return EXIT.changes;
  return !applied && hasChanges === true ? EXIT.changes : EXIT.done;
}
