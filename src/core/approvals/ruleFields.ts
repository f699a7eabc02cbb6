/** A rule as people write and read it. */
import * as v from "valibot";
import { Duration, duration, Id, Labels, pageOf, Time } from "../../http/answerFields.ts";
import { displayName } from "../../http/textFields.ts";
import { durationToMs, msToDuration } from "../../platform/time/durations.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { labelsField } from "../stacks/fields.ts";
import { APPLIED_MODES, type ApprovalRuleRow } from "./schema.ts";

const MINUTE = 60_000;
const SHORTEST_MS = MINUTE;
const LONGEST_MS = 31 * 24 * 60 * MINUTE;

const Limit = v.nullable(
  v.pipe(
    v.string(),
    v.maxLength(64),
    v.check(
      (text) => {
        const ms = durationToMs(text);
        return ms !== null && ms >= SHORTEST_MS && ms <= LONGEST_MS;
      },
      `expected an ISO 8601 duration from ${msToDuration(SHORTEST_MS)} to ${msToDuration(LONGEST_MS)}, e.g. P1D`,
    ),
    v.transform((text) => durationToMs(text) ?? 0),
  ),
);

const ids = () => v.optional(v.pipe(v.array(v.pipe(v.string(), v.uuid())), v.maxLength(20)), []);

const ApproversField = v.strictObject({
  roles: ids(),
  groups: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          identity_source_id: v.pipe(v.string(), v.uuid()),
          group_key: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
        }),
      ),
      v.maxLength(20),
    ),
    [],
  ),
  service_accounts: ids(),
});

/** The selector is required: one left out by mistake would keep every stack waiting. */
export const RuleBody = v.pipe(
  v.strictObject({
    name: displayName(100),
    selector: labelsField({ systemKeys: true }),
    modes: v.optional(
      v.pipe(
        v.array(v.picklist(APPLIED_MODES)),
        v.maxLength(10),
        v.transform((modes) => APPLIED_MODES.filter((mode) => modes.includes(mode))),
      ),
      [...APPLIED_MODES],
    ),
    previews: v.optional(
      v.pipe(v.boolean(), v.metadata({ description: "Also the start of a preview that waits for a person" })),
      false,
    ),
    destructive: v.optional(
      v.pipe(
        v.boolean(),
        v.metadata({ description: "Only plans that destroy, replace or forget something, or are not known not to" }),
      ),
      false,
    ),
    count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10)),
    approvers: v.pipe(
      ApproversField,
      v.metadata({
        description:
          "Whose approvals count; all lists empty: whoever may review the stack. Accounts count only by name.",
      }),
    ),
    deadline: v.optional(
      v.pipe(Limit, v.metadata({ description: "How long a plan waits for its approvals before it is skipped" })),
      null,
    ),
    remind_every: v.optional(
      v.pipe(Limit, v.metadata({ description: "How often `approvals_awaited` is sent while approvals are missing" })),
      null,
    ),
  }),
  v.check(({ modes, previews }) => modes.length > 0 || previews, "must select a mode or previews"),
);
export type RuleBody = v.InferOutput<typeof RuleBody>;

export const ApprovalRule = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    selector: Labels,
    modes: v.array(v.picklist(APPLIED_MODES)),
    previews: v.boolean(),
    destructive: v.boolean(),
    count: v.number(),
    approvers: v.object({
      roles: v.array(v.string()),
      groups: v.array(v.object({ identity_source_id: v.string(), group_key: v.string() })),
      service_accounts: v.array(v.string()),
    }),
    deadline: v.nullable(Duration),
    remind_every: v.nullable(Duration),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "ApprovalRule" }),
);
export type ApprovalRule = v.InferInput<typeof ApprovalRule>;
export const ApprovalRulePage = v.pipe(pageOf(ApprovalRule), v.metadata({ ref: "ApprovalRulePage" }));

export const RULE_FIELDS = [
  "name",
  "selector",
  "modes",
  "previews",
  "destructive",
  "count",
  "approvers",
  "deadline",
  "remind_every",
];

export function ruleAnswer(row: ApprovalRuleRow): ApprovalRule {
  const { id, orgId, name, selector, modes, previews, destructive, count, approvers } = row;
  const { roles, groups, service_accounts } = approvers;
  return {
    ...{ id, org_id: orgId, name, selector, modes, previews, destructive, count },
    approvers: { roles, groups, service_accounts },
    deadline: duration(row.deadlineMs),
    remind_every: duration(row.remindMs),
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
  };
}

export function columnsOf({ deadline, remind_every, ...columns }: RuleBody) {
  return { ...columns, deadlineMs: deadline, remindMs: remind_every };
}
