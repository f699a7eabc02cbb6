/** What people may write of a schedule. */
import * as v from "valibot";
import { displayName } from "../../http/textFields.ts";
import { cronProblem, isTimeZone } from "../../platform/time/cron.ts";
import { Instant } from "../../platform/time/instant.ts";
import { RunCommandBody } from "../deployments/fields.ts";
import { labelsField } from "../stacks/fields.ts";
import { SCHEDULED_MODES } from "./schema.ts";

/** As of checks for drift: more often than that a queue only grows. */
const SHORTEST_MS = 15 * 60_000;

const Cron = v.pipe(
  v.string(),
  v.maxLength(100),
  v.rawCheck<string>(({ dataset, addIssue }) => {
    const problem = dataset.typed ? cronProblem(dataset.value, SHORTEST_MS) : null;
    if (problem !== null) addIssue({ message: problem });
  }),
  v.metadata({ description: "Five fields, in `time_zone`" }),
);

const TimeZone = v.pipe(v.string(), v.maxLength(64), v.check(isTimeZone, "is not a time zone of the IANA database"));

const once = v.pipe(Instant, v.metadata({ description: "Once, then" }));
const { script } = RunCommandBody.entries;
const name = displayName(100);

const created = {
  name,
  mode: v.pipe(v.picklist(SCHEDULED_MODES), v.metadata({ description: "`raw` runs `script`" })),
  script: v.optional(script),
  at: v.optional(v.nullable(once), null),
  cron: v.optional(v.nullable(Cron), null),
  time_zone: v.optional(TimeZone, "UTC"),
  paused: v.optional(v.boolean(), false),
};

type Created = { mode: string; script?: string | undefined; at: string | null; cron: string | null };

/** Of what a body says as a whole. */
const complete = <T extends Created>() =>
  [
    v.check<T, string>(({ at, cron }) => (at === null) !== (cron === null), "takes either at or cron"),
    v.check<T, string>(
      ({ mode, script: text }) => (mode === "raw") === (text !== undefined),
      "mode raw takes a script, and no other does",
    ),
  ] as const;

const Own = v.strictObject(created);
const Selected = v.strictObject({ ...created, selector: labelsField({ systemKeys: true }) });
export const StackScheduleBody = v.pipe(Own, ...complete<v.InferOutput<typeof Own>>());
/** The selector is required: one left out by mistake would be every stack. */
export const SelectorScheduleBody = v.pipe(Selected, ...complete<v.InferOutput<typeof Selected>>());
export type ScheduleInput = v.InferOutput<typeof Own> & { selector?: Record<string, string> };

/** Only what is sent changes; either of `at` and `cron` takes the place of the other. */
export const ScheduleChanges = v.pipe(
  v.strictObject({
    name: v.optional(name),
    script: v.optional(script),
    at: v.optional(once),
    cron: v.optional(Cron),
    time_zone: v.optional(TimeZone),
    paused: v.optional(v.boolean()),
  }),
  v.check(({ at, cron }) => at === undefined || cron === undefined, "takes either at or cron"),
);
export type ScheduleChanges = v.InferOutput<typeof ScheduleChanges>;
