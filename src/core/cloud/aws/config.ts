/**
 * The config of a `cloud_a` integration: the roles a stack's runs assume (docs/rules/cloud.md#aws-roles-are-one-set).
 */
import * as v from "valibot";
import { validated } from "../../../http/validated.ts";
import type { AwsConfig, CloudRole } from "../provider.ts";
import { minifiedPolicy } from "./inlinePolicy.ts";

const MAX_ROLES = 50;
/** Long enough for any policy that is short once minified; a longer text is not even parsed. */
const MAX_POLICY_TEXT = 65_536;

const RoleArn = v.pipe(
  v.string(),
  v.maxLength(640, "may have at most 640 characters"),
  v.regex(
    /^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\x21-\x7e]{0,512}[\w+=,.@-]{1,64}$/,
    "must be the ARN of a role, like arn:aws:iam::123456789012:role/deploy",
  ),
);

const InlinePolicy = v.pipe(
  v.string(),
  v.maxLength(MAX_POLICY_TEXT, `may have at most ${MAX_POLICY_TEXT} characters`),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    const read = minifiedPolicy(dataset.value);
    if ("policy" in read) return read.policy;
    addIssue({ message: read.wrong });
    return NEVER;
  }),
);

const CloudAConfigSchema = v.strictObject({
  roles: v.pipe(
    v.array(
      v.strictObject({
        name: v.pipe(
          v.string(),
          v.regex(
            /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/,
            "must be 1 to 64 letters, digits or '_.@-', beginning with a letter or digit",
          ),
        ),
        role_arn: RoleArn,
        inline_policy: v.optional(InlinePolicy),
        use_in_previews: v.optional(v.boolean(), true),
      }),
    ),
    v.minLength(1, "must have at least one role"),
    v.maxLength(MAX_ROLES, `may have at most ${MAX_ROLES} roles`),
    v.check((roles) => new Set(roles.map(({ name }) => name)).size === roles.length, "names must differ"),
  ),
});

/** Roles come sorted by name in code-point order. @throws InvalidValueError */
export function parseAwsConfig(config: unknown): AwsConfig {
  const { roles } = validated(v.strictObject({ config: CloudAConfigSchema }), { config }).config;
  return { roles: roles.map(role).sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** What runs of previews may assume; null when that is nothing. */
export function rolesForPreviews({ roles }: AwsConfig): AwsConfig | null {
  const usable = roles.filter((role) => role.use_in_previews);
  return usable.length === 0 ? null : { roles: usable };
}

function role({
  inline_policy,
  ...rest
}: Omit<CloudRole, "inline_policy"> & { inline_policy?: string | undefined }): CloudRole {
  return inline_policy === undefined ? rest : { ...rest, inline_policy };
}
