/** Integrations with code hosts: what is asked and answered. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { displayName } from "../../http/textFields.ts";
import { withoutEndSlash } from "../../platform/settings/endSlash.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { AuthConfigBody } from "./authConfig.ts";
import { HOST_KINDS, HOST_LIMITS } from "./hostKind.ts";
import type { IntegrationRow } from "./schema.ts";
import { compilePattern } from "./urlPattern.ts";

const UrlPattern = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(500),
  v.check(
    (text) => compilePattern(text) !== null,
    "is not a regular expression of RE2, or too large a one: no look-around, no back-references, few repetitions",
  ),
);
const ApiBaseUrl = v.pipe(
  v.string(),
  v.maxLength(500),
  v.check(isBase, "expected an https address without user name, query and fragment"),
  v.transform(withoutEndSlash),
);

/**
 * Nothing that reads differently as an address and as a template of calls. An empty query is one too: what is called
 * would be written behind it.
 */
function isBase(text: string): boolean {
  const isPlain = /^https?:\/\/[^\s/\\{}?#@]+[A-Za-z0-9._~/-]*$/.test(text) && !/\/\.{1,2}(\/|$)/.test(text);
  return isPlain && URL.canParse(text);
}

const HostName = v.pipe(
  v.string(),
  v.maxLength(253),
  v.regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, "expected a host's name in lower case"),
);

/** Body of POST and PUT. */
export const IntegrationBody = v.strictObject({
  name: displayName(100),
  host_kind: v.pipe(
    v.optional(v.picklist(HOST_KINDS), "github"),
    v.metadata({ description: "What kind of code host it leads to; Forgejo is gitea. The test call checks it" }),
  ),
  url_pattern: UrlPattern,
  priority: v.optional(v.pipe(v.number(), v.integer(), v.minValue(-1_000_000), v.maxValue(1_000_000)), 100),
  api_base_url: v.optional(v.nullable(ApiBaseUrl), null),
  host_names: v.pipe(
    v.optional(v.pipe(v.array(HostName), v.maxLength(10)), []),
    v.metadata({ description: "Other names of the code host, as its own for SSH" }),
  ),
  auth_config: v.optional(AuthConfigBody),
});

const Summary = v.object({
  kind: v.picklist(["app", "token", "none"]),
  app_id: v.optional(v.string()),
  installation_id: v.optional(v.string()),
  has_private_key: v.boolean(),
  has_token: v.boolean(),
  has_webhook_secret: v.boolean(),
});
const WebhookFinding = v.object({
  state: v.pipe(
    v.picklist(["complete", "incomplete", "absent", "unknown"]),
    v.metadata({ description: "absent: none that leads here; unknown: the host does not show it, or was not asked" }),
  ),
  missing: v.pipe(
    v.array(v.string()),
    v.metadata({ description: "What has to be set on the webhook, in the host's own words" }),
  ),
  reason: v.nullable(v.string()),
});
export const Integration = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    name: v.string(),
    host_kind: v.picklist(HOST_KINDS),
    url_pattern: v.string(),
    priority: v.number(),
    limitations: v.pipe(
      v.array(v.string()),
      v.metadata({ description: "What this kind of host cannot do or say, for people" }),
    ),
    api_base_url: v.nullable(v.string()),
    host_names: v.array(v.string()),
    auth_config_summary: Summary,
    webhook_url: v.optional(v.string()),
    last_success_at: v.pipe(
      v.nullable(Time),
      v.metadata({ description: "When its host answered last; to the minute" }),
    ),
    last_failure: v.pipe(
      v.nullable(v.object({ at: Time, reason: v.string() })),
      v.metadata({ description: "When and why its host did not; an older one than last_success_at is over" }),
    ),
    webhook_check: v.pipe(
      v.nullable(v.object({ at: Time, repository: v.string(), ...WebhookFinding.entries })),
      v.metadata({ description: "What the last test call found of the host's webhook; null before the first" }),
    ),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "ScmIntegration" }),
);
export const IntegrationPage = v.pipe(pageOf(Integration), v.metadata({ ref: "ScmIntegrationPage" }));

export const TestBody = v.strictObject({
  repository_url: v.pipe(
    v.optional(v.pipe(v.string(), v.maxLength(1_000))),
    v.metadata({ description: "A repository that the integration serves; one of a stack when left out" }),
  ),
});
export const TestAnswer = v.object({
  ok: v.boolean(),
  repository: v.string(),
  reason: v.nullable(v.string()),
  webhook: v.pipe(
    v.nullable(WebhookFinding),
    v.metadata({ description: "What was found of the host's webhook; null where the host did not answer" }),
  ),
});

export function integrationAnswer(row: IntegrationRow, base: string | undefined): v.InferInput<typeof Integration> {
  const url = `${base}/api/v1/orgs/${row.orgId}/scm-integrations/${row.id}/webhook`;
  return {
    id: row.id,
    org_id: row.orgId,
    name: row.name,
    host_kind: row.hostKind,
    limitations: [...HOST_LIMITS[row.hostKind]],
    url_pattern: row.urlPattern,
    priority: row.priority,
    api_base_url: row.apiBaseUrl,
    host_names: row.hostNames,
    auth_config_summary: row.authConfigSummary,
    ...(base !== undefined && { webhook_url: url }),
    last_success_at: row.lastSuccessAt && rfc3339(row.lastSuccessAt),
    webhook_check: row.webhookCheck,
    last_failure: row.lastFailureAt === null ? null : { at: rfc3339(row.lastFailureAt), reason: row.lastFailure ?? "" },
    created_at: rfc3339(row.createdAt),
    updated_at: rfc3339(row.updatedAt),
  };
}
