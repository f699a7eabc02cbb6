/** What no single setting can be checked for. */

import { ConfigError } from "../../platform/settings/setting.ts";
import type { AdminConfig, Config } from "./settings.ts";
import { STORES } from "./stores.ts";

/** Settings that only make sense together. */
export function checkTogether<C extends Config | AdminConfig>(config: C): C {
  checkEncryption(config.encryption);
  const { tlsCertFile, tlsKeyFile } = config.temporal ?? {};
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined)) {
    throw new ConfigError(
      "SVC_TEMPORAL_TLS_CERT_FILE and SVC_TEMPORAL_TLS_KEY_FILE go together; for example /etc/svc/temporal.pem and /etc/svc/temporal-key.pem",
    );
  }
  if (config.temporal?.tls === false && config.temporal.apiKey !== undefined) {
    throw new ConfigError("SVC_TEMPORAL_API_KEY is sent with TLS alone, and SVC_TEMPORAL_TLS is off; for example on");
  }
  const { signIn, mail } = config;
  if ((mail.server === undefined) !== (mail.from === undefined)) {
    throw new ConfigError("SVC_SMTP_URL and SVC_SMTP_FROM go together; for example deploy@example.com");
  }
  for (const [name, id, secret] of [
    ["SVC_SSO_CODEHOST", signIn.codehostClientId, signIn.codehostClientSecret],
    ["SVC_SSO_WORKSPACE", signIn.workspaceClientId, signIn.workspaceClientSecret],
  ] as const) {
    if ((id === undefined) !== (secret === undefined)) {
      throw new ConfigError(
        `${name}_CLIENT_ID and ${name}_CLIENT_SECRET go together; for example what the provider shows`,
      );
    }
    if (id !== undefined && config.publicBaseUrl === undefined) {
      throw new ConfigError(
        `SVC_BACKEND_PUBLIC_BASE_URL is not set, and ${name}_CLIENT_ID needs it: providers send people back to it; for example https://deploy.example.com`,
      );
    }
  }
  const kept = Math.min(config.retention.logsMs, config.retention.artifactsMs);
  if (kept < config.runnerTokenGraceMs + 600_000) {
    // A runner may store the end of its log for as long as its token works.
    throw new ConfigError(
      "SVC_RETENTION_LOGS and SVC_RETENTION_ARTIFACTS must exceed SVC_RUNNER_JWT_GRACE by ten minutes; for example P90D",
    );
  }
  return config;
}

/** Each provider needs its own key. */
function checkEncryption(encryption: Config["encryption"] | undefined): void {
  if (encryption === undefined) return;
  const { key, kmsKey } = STORES.encryption;
  const setting = encryption.provider === "aes-256" ? key : kmsKey;
  const value = encryption.provider === "aes-256" ? encryption.key : encryption.kmsKey;
  if (value === undefined) {
    throw new ConfigError(`${setting.name} is not set: ${setting.what}; for example ${setting.example}`);
  }
}
