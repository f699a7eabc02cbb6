/** An access rule as admins send and see it: `rule_type` and the fields of that type. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { hasControlCharacters } from "../../http/textFields.ts";
import type { RuleType } from "./schema.ts";

/** Compared exactly with what the provider says. */
export const RuleName = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(500),
  v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
);
export const DomainName = v.pipe(
  v.string(),
  v.maxLength(253),
  v.toLowerCase(),
  v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, "must be a domain name"),
);

const FIELDS = {
  codehost_org: { org: RuleName },
  codehost_team: { org: RuleName, team: RuleName },
  workspace_hd: {
    domains: v.pipe(
      v.array(DomainName),
      v.minLength(1),
      v.maxLength(50),
      // One spelling of one set, so that the same rule is not stored twice.
      v.transform((domains) => [...new Set(domains)].sort()),
    ),
  },
  oidc_group: { group: RuleName },
} as const satisfies Record<RuleType, v.ObjectEntries>;

/** The provider whose answers each type looks at; on a source of another one it would match nobody. */
export const PROVIDER_OF_RULE = {
  codehost_org: "codehost",
  codehost_team: "codehost",
  workspace_hd: "workspace",
  oidc_group: "oidc",
} as const satisfies Record<RuleType, string>;

export const AccessRuleBody = v.variant("rule_type", [
  v.strictObject({ rule_type: v.literal("codehost_org"), ...FIELDS.codehost_org }),
  v.strictObject({ rule_type: v.literal("codehost_team"), ...FIELDS.codehost_team }),
  v.strictObject({ rule_type: v.literal("workspace_hd"), ...FIELDS.workspace_hd }),
  v.strictObject({ rule_type: v.literal("oidc_group"), ...FIELDS.oidc_group }),
]);
export type AccessRuleInput = v.InferOutput<typeof AccessRuleBody>;

const stored = { id: Id, created_at: Time };
const text = v.string();
export const AccessRuleAnswer = v.pipe(
  v.variant("rule_type", [
    v.object({ ...stored, rule_type: v.literal("codehost_org"), org: text }),
    v.object({ ...stored, rule_type: v.literal("codehost_team"), org: text, team: text }),
    v.object({ ...stored, rule_type: v.literal("workspace_hd"), domains: v.array(text) }),
    v.object({ ...stored, rule_type: v.literal("oidc_group"), group: text }),
  ]),
  v.metadata({ ref: "AccessRule" }),
);
export const AccessRulePage = v.pipe(pageOf(AccessRuleAnswer), v.metadata({ ref: "AccessRulePage" }));
export type AccessRuleAnswer = v.InferInput<typeof AccessRuleAnswer>;
