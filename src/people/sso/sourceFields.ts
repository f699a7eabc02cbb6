/** An identity source as admins send and see it. */
import * as v from "valibot";
import { Id, pageOf, Time } from "../../http/answerFields.ts";
import { displayName, hasControlCharacters } from "../../http/textFields.ts";
import { PROVIDER_KEYS } from "../members/schema.ts";

const plain = (max: number) =>
  v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(max),
    v.check((text) => !hasControlCharacters(text), "must not hold control characters"),
  );

/** What both providers with a setting of their own and those without one have. */
const COMMON = { display_name: displayName(100), enabled: v.optional(v.boolean(), true) };
const OIDC = {
  oidc_issuer: v.optional(plain(500)),
  oidc_client_id: v.optional(plain(500)),
  oidc_groups_claim: v.optional(plain(200)),
  /** Further scopes that make the provider send groups, separated by blanks. */
  groups_scope: v.optional(
    v.nullable(v.pipe(plain(200), v.regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/, "must be scope names"))),
  ),
  /** Write-only. */
  client_secret: v.optional(plain(2_000)),
};

export const CreateSourceBody = v.strictObject({
  provider_key: v.picklist(PROVIDER_KEYS),
  source_slug: v.pipe(
    v.string(),
    v.regex(/^[a-z0-9][a-z0-9-]{0,62}$/, "must be 1 to 63 of a-z, 0-9 and -, not beginning with -"),
  ),
  ...COMMON,
  ...OIDC,
});
/** PUT replaces what it names; absent means default, save the secret, which stays. */
export const ReplaceSourceBody = v.strictObject({ ...COMMON, ...OIDC });

export type SourceSettings = v.InferOutput<typeof ReplaceSourceBody>;
export type NewSource = v.InferOutput<typeof CreateSourceBody>;

export const Source = v.pipe(
  v.object({
    id: Id,
    org_id: Id,
    provider_key: v.string(),
    source_slug: v.string(),
    display_name: v.string(),
    oidc_issuer: v.nullable(v.string()),
    oidc_client_id: v.nullable(v.string()),
    oidc_groups_claim: v.nullable(v.string()),
    groups_scope: v.nullable(v.string()),
    has_client_secret: v.boolean(),
    enabled: v.boolean(),
    created_at: Time,
    updated_at: Time,
  }),
  v.metadata({ ref: "IdentitySource" }),
);
export const SourcePage = pageOf(Source);
export type SourceAnswer = v.InferInput<typeof Source>;
