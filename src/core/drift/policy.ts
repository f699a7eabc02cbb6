/** How often a stack is checked for drift, what of it is ignored and what follows from a finding. */
import * as v from "valibot";
import { hasControlCharacters } from "../../http/textFields.ts";
import { cronProblem, isTimeZone } from "../../platform/time/cron.ts";
import { durationToMs, msToDuration } from "../../platform/time/durations.ts";

const MINUTE = 60_000;
/** More often than that is monitoring, which a refresh of all resources is too heavy for. */
const SHORTEST_MS = 15 * MINUTE;
const LONGEST_MS = 31 * 24 * 60 * MINUTE;

const Interval = v.pipe(
  v.string(),
  v.maxLength(64),
  v.check(
    (text) => {
      const ms = durationToMs(text);
      return ms !== null && ms >= SHORTEST_MS && ms <= LONGEST_MS;
    },
    `expected an ISO 8601 duration from ${msToDuration(SHORTEST_MS)} to ${msToDuration(LONGEST_MS)}, e.g. P1D`,
  ),
  v.metadata({ description: "Checks are spread over it by a hash of the stack, so that they do not come together" }),
);

const TimeZone = v.pipe(v.string(), v.maxLength(64), v.check(isTimeZone, "is not a time zone of the IANA database"));

const Cron = v.pipe(
  v.string(),
  v.maxLength(100),
  v.rawCheck<string>(({ dataset, addIssue }) => {
    const problem = dataset.typed ? cronProblem(dataset.value, SHORTEST_MS) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
  v.metadata({ description: "Five fields, in `time_zone`; stacks follow it within an hour, spread by a hash" }),
);

const Pattern = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(1_024),
  v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
);

const RECONCILE = ["off", "plan", "auto"] as const;

export const DriftPolicy = v.pipe(
  v.strictObject({
    enabled: v.optional(v.boolean(), true),
    interval: v.optional(v.nullable(Interval), null),
    cron: v.optional(v.nullable(Cron), null),
    time_zone: v.optional(TimeZone, "UTC"),
    reconcile: v.optional(
      v.pipe(
        v.picklist(RECONCILE),
        v.metadata({
          description:
            "What follows from drift: nothing, a plan that a person confirms, or one that the stack's own approval mode applies",
        }),
      ),
      "off",
    ),
    ignore: v.optional(
      v.pipe(
        v.array(Pattern),
        v.maxLength(100),
        v.metadata({ description: "Addresses that are no drift; `*` stands for any text" }),
      ),
      [],
    ),
  }),
  v.check(({ interval, cron }) => (interval === null) !== (cron === null), "takes either interval or cron"),
  v.metadata({ ref: "DriftPolicy" }),
);
export type DriftPolicy = v.InferOutput<typeof DriftPolicy>;

export const POLICY_FIELDS = ["enabled", "interval", "cron", "time_zone", "reconcile", "ignore"];

/** What (stack, update) alone does not let somebody have done. */
export function needsOf({
  enabled,
  reconcile,
}: Pick<DriftPolicy, "enabled" | "reconcile">): "deploy" | "confirm" | null {
  if (!enabled || reconcile === "off") return null;
  return reconcile === "plan" ? "deploy" : "confirm";
}
