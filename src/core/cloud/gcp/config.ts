/** The config of a `cloud_b` integration: the one service account that a stack's runs act as. */
import * as v from "valibot";
import { validated } from "../../../http/validated.ts";
import type { GoogleConfig } from "../provider.ts";

const CloudBConfigSchema = v.strictObject({
  service_account_email: v.pipe(
    v.string(),
    v.maxLength(320, "may have at most 320 characters"),
    v.regex(
      /^[a-z0-9][a-z0-9-]{0,99}@[a-z0-9][a-z0-9.-]{0,180}\.gserviceaccount\.com$/,
      "must be a service account's e-mail address, like deploy@project.iam.gserviceaccount.com",
    ),
  ),
  use_in_previews: v.optional(v.boolean(), true),
});

/** @throws InvalidValueError */
export function parseGoogleConfig(config: unknown): GoogleConfig {
  return validated(v.strictObject({ config: CloudBConfigSchema }), { config }).config;
}

/** What runs of previews may act as; null when that is nobody. */
export function accountForPreviews(config: GoogleConfig): GoogleConfig | null {
  return config.use_in_previews ? config : null;
}
