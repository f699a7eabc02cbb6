/** What a compiled policy has answered. Pure. */
import * as v from "valibot";
import { isRecord } from "../../../platform/json/isRecord.ts";
import { printable } from "../printable.ts";
import { failed, type Said } from "../result.ts";

const MESSAGES = 100;
const LONGEST = 1_000;
/** Of all messages of a kind, and of all approvals: as much as people read, and as fifty policies may have stored. */
const ROOM = 10_000;

const shown = (text: string) => printable(text, LONGEST);

const Message = v.pipe(
  v.union([
    v.string(),
    v.pipe(
      v.object({ msg: v.string() }),
      v.transform(({ msg }) => msg),
    ),
  ]),
  v.transform(shown),
);
const Messages = v.pipe(
  v.optional(v.array(Message), []),
  v.transform((all) => within(all.slice(0, MESSAGES))),
);
/** At least one of them is there, or it is the answer of something else than a policy. */
const WORDS = ["deny", "warn", "approvals"] as const;
const Document = v.pipe(
  v.custom<object>(isDocument),
  v.object({
    deny: Messages,
    warn: Messages,
    approvals: v.optional(
      v.pipe(
        v.array(
          v.object({
            count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)),
            from: v.optional(
              v.pipe(v.array(v.pipe(v.string(), v.maxLength(300), v.transform(shown))), v.maxLength(20)),
              [],
            ),
            reason: v.pipe(v.optional(v.string(), ""), v.transform(shown)),
          }),
        ),
        v.maxLength(20),
        v.check((all) => all.reduce((sum, { from, reason }) => sum + from.join().length + reason.length, 0) <= ROOM),
      ),
      [],
    ),
  }),
);

/** The first ones that there is room for. */
function within(texts: readonly string[]): string[] {
  let left = ROOM;
  return texts.filter((text) => {
    left -= text.length;
    return left >= 0;
  });
}

function isDocument(value: unknown): boolean {
  return isRecord(value) && WORDS.some((word) => word in value);
}

/** An answer of another form says so: a mandatory policy denies then. */
export function saidOf(result: unknown): Said {
  const parsed = v.safeParse(Document, result);
  if (!parsed.success) return failed("Its answer is not of the form {deny, warn, approvals}.");
  return { ...parsed.output, error: null, until: null };
}
