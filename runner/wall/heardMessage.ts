/** What a line from the process of a run says. Its run may have taken the process over and write whatever it likes. */
import * as v from "valibot";
import { type FromEphemeral, MARK } from "./messages.ts";

/** Never 0 or 1: to signal those groups is to signal one's own, and everybody. */
const GROUP = v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(2)));

const MESSAGE = v.variant("type", [
  v.object({ type: v.literal("begun") }),
  v.object({ type: v.literal("accepted") }),
  v.object({ type: v.literal("group"), group: GROUP }),
  v.object({ type: v.literal("finished") }),
  v.object({ type: v.literal("copy_of"), folder: v.string() }),
  v.object({ type: v.literal("probed"), reached: v.array(v.string()), enters: v.boolean() }),
]) satisfies v.GenericSchema<unknown, FromEphemeral>;

/** Null: it is marked as a message and is none. `text`: not even that. */
export function heardMessage(line: string): FromEphemeral | null | "text" {
  if (!line.startsWith(`{"${MARK}":`)) return "text";
  try {
    const { output, success } = v.safeParse(MESSAGE, (JSON.parse(line) as Record<string, unknown>)[MARK]);
    return success ? output : null;
  } catch {
    return null;
  }
}
