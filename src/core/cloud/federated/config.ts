/**
 * Configs of integrations by which a cloud trusts the service as an issuer: for whom a run's token is, and what the
 * run's tools have to know besides (docs/rules/cloud.md#identities).
 */
import * as v from "valibot";
import { validated } from "../../../http/validated.ts";
import type { IdentityType } from "../providerType.ts";

const MAX_ENTRIES = 50;

const useInPreviews = v.optional(v.boolean(), true);
const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid("must be a UUID"));
/** What verifiers compare letter by letter. */
const audience = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,255}$/, "must be 1 to 255 visible ASCII characters"));
const entryName = v.pipe(
  v.string(),
  v.regex(
    /^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$/,
    "must be 1 to 64 letters, digits or '_.@-', beginning with a letter or digit",
  ),
);

function named<S extends v.GenericSchema<unknown, { name: string }>>(entry: S) {
  return v.pipe(
    v.array(entry),
    v.minLength(1, "must have at least one entry"),
    v.maxLength(MAX_ENTRIES, `may have at most ${MAX_ENTRIES} entries`),
    v.check((list) => new Set(list.map(({ name }) => name)).size === list.length, "names must differ"),
  );
}

const Aws = v.strictObject({
  audience: v.optional(audience, "sts.amazonaws.com"),
  roles: named(
    v.strictObject({
      name: entryName,
      role_arn: v.pipe(
        v.string(),
        v.regex(
          /^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/[\x21-\x7e]{0,512}[\w+=,.@-]{1,64}$/,
          "must be the ARN of a role, like arn:aws:iam::123456789012:role/deploy",
        ),
      ),
      use_in_previews: useInPreviews,
    }),
  ),
});

const Google = v.strictObject({
  workload_identity_provider: v.pipe(
    v.string(),
    v.regex(
      /^projects\/\d{1,20}\/locations\/global\/workloadIdentityPools\/[a-z0-9-]{4,32}\/providers\/[a-z0-9-]{4,32}$/,
      "must be like projects/123456789012/locations/global/workloadIdentityPools/POOL/providers/PROVIDER",
    ),
  ),
  service_account_email: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[a-z0-9][a-z0-9-]{0,99}@[a-z0-9][a-z0-9.-]{0,180}\.gserviceaccount\.com$/,
        "must be a service account's e-mail address, like deploy@project.iam.gserviceaccount.com",
      ),
    ),
  ),
  audience: v.optional(audience),
  use_in_previews: useInPreviews,
});

const Azure = v.strictObject({
  tenant_id: uuid,
  client_id: uuid,
  subscription_id: v.optional(uuid),
  audience: v.optional(audience, "api://AzureADTokenExchange"),
  use_in_previews: useInPreviews,
});

const Vault = v.strictObject({
  address: v.pipe(v.string(), v.regex(/^https?:\/\/[^\s/?#@]{1,255}(?:\/[^\s?#]{0,255})?$/, "must be a web address")),
  namespace: v.optional(v.pipe(v.string(), v.regex(/^[\w./-]{1,255}$/, "must be a path"))),
  audience: v.optional(audience, "vault"),
  use_in_previews: useInPreviews,
});

const Files = v.strictObject({
  files: named(
    v.strictObject({
      name: entryName,
      audience,
      variable: v.pipe(
        v.string(),
        v.regex(
          /^[A-Za-z_][A-Za-z0-9_]{0,121}(?:FILE|PATH|file|path)$/,
          "must be a variable's name that ends in FILE or PATH",
        ),
      ),
      use_in_previews: useInPreviews,
    }),
  ),
});

export type FederatedConfigs = {
  aws_identity: v.InferOutput<typeof Aws>;
  google_identity: v.InferOutput<typeof Google>;
  azure_identity: v.InferOutput<typeof Azure>;
  vault_identity: v.InferOutput<typeof Vault>;
  identity_files: v.InferOutput<typeof Files>;
};
export type FederatedConfig = FederatedConfigs[IdentityType];

const SCHEMAS = {
  aws_identity: Aws,
  google_identity: Google,
  azure_identity: Azure,
  vault_identity: Vault,
  identity_files: Files,
};

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** Lists come sorted by name in code-point order. @throws InvalidValueError */
export function parseFederated<T extends IdentityType>(type: T, config: unknown): FederatedConfigs[T] {
  const schema: v.GenericSchema<unknown, FederatedConfig> = SCHEMAS[type];
  const parsed = validated(v.strictObject({ config: schema }), { config }).config;
  if ("roles" in parsed) parsed.roles.sort(byName);
  if ("files" in parsed) parsed.files.sort(byName);
  return parsed as FederatedConfigs[T];
}

type Usable = { use_in_previews: boolean };
const usable = (each: Usable) => each.use_in_previews;

/** What runs of previews may have of it; null when that is nothing. */
export function federatedForPreviews(config: FederatedConfig): FederatedConfig | null {
  if ("roles" in config) return nonEmpty({ ...config, roles: config.roles.filter(usable) }, "roles");
  if ("files" in config) return nonEmpty({ ...config, files: config.files.filter(usable) }, "files");
  return config.use_in_previews ? config : null;
}

function nonEmpty<C extends FederatedConfig, K extends keyof C>(config: C, list: K): C | null {
  return (config[list] as readonly unknown[]).length === 0 ? null : config;
}
