/** Rules as data: what most organizations want of a plan, without a language. */
import * as v from "valibot";
import { hasControlCharacters } from "../../http/textFields.ts";
import { isTimeZone } from "../../platform/time/cron.ts";
import { Instant } from "../../platform/time/instant.ts";

const Text = (max: number) =>
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(max),
    v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
  );
const Type = v.pipe(Text(200), v.metadata({ description: "A type of resources; `*` stands for any text" }));
const Types = v.pipe(v.array(Type), v.maxLength(200));
const Count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000));

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const Clock = v.pipe(v.string(), v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/, "expected a time from 00:00 to 24:00"));

const Opening = v.pipe(
  v.strictObject({
    days: v.pipe(v.array(v.picklist(WEEKDAYS)), v.minLength(1), v.maxLength(7)),
    from: Clock,
    to: v.pipe(Clock, v.metadata({ description: "Not before `from`: a night is two openings" })),
  }),
  v.check(({ from, to }) => from < to, "`from` must be before `to`"),
);

const Freeze = v.pipe(
  v.strictObject({
    from: Instant,
    to: Instant,
    reason: Text(300),
  }),
  v.check(({ from, to }) => Date.parse(from) < Date.parse(to), "`from` must be before `to`"),
);

const Windows = v.strictObject({
  time_zone: v.pipe(v.string(), v.maxLength(64), v.check(isTimeZone, "is not a time zone of the IANA database")),
  open: v.pipe(
    v.optional(v.pipe(v.array(Opening), v.maxLength(50)), []),
    v.metadata({ description: "When plans may be applied, by the clocks of the time zone; none: at any hour" }),
  ),
  closed: v.pipe(
    v.optional(v.pipe(v.array(Freeze), v.maxLength(50)), []),
    v.metadata({ description: "From one instant to another nothing is applied, with the reason" }),
  ),
});
export type Windows = v.InferOutput<typeof Windows>;

/** Names of the kinds that approvals know. */
const Approver = v.pipe(
  Text(200),
  v.regex(/^(?:role|group|service_account):/, "expected role:NAME, group:KEY or service_account:NAME"),
);

export const Approval = v.object({ count: v.number(), from: v.array(v.string()), reason: v.string() });
export type Approval = v.InferOutput<typeof Approval>;

const Attention = v.strictObject({
  types: v.pipe(
    v.optional(Types, []),
    v.metadata({ description: "Counted are changes of these types; none: of any type" }),
  ),
  min_changes: v.optional(Count),
  min_destroys: v.optional(Count),
  count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)),
  from: v.optional(v.pipe(v.array(Approver), v.maxLength(20)), []),
  reason: Text(300),
});
export type Attention = v.InferOutput<typeof Attention>;

export const Rules = v.pipe(
  v.strictObject({
    protected_types: v.pipe(
      v.optional(Types, []),
      v.metadata({ description: "May not be destroyed, replaced or forgotten" }),
    ),
    max_destroys: v.pipe(
      v.optional(v.nullable(Count), null),
      v.metadata({ description: "Resources that one plan may destroy, replace or forget" }),
    ),
    windows: v.optional(v.nullable(Windows), null),
    attention: v.pipe(
      v.optional(v.pipe(v.array(Attention), v.maxLength(50)), []),
      v.metadata({ description: "What costs attention: who must look at it before it is applied" }),
    ),
  }),
  v.check(
    ({ protected_types, max_destroys, windows, attention }) =>
      protected_types.length + attention.length > 0 || max_destroys !== null || windows !== null,
    "has no rule",
  ),
  v.metadata({ ref: "PolicyRules" }),
);
export type Rules = v.InferOutput<typeof Rules>;
