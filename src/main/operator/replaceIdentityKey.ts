/** An operator does not trust the key that signs identities any more, or wants another at once. */
import { replaceKeys } from "../../core/identity/rotateKeys.ts";
import { recordAudit } from "../../people/audit/record.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import { ConfigError } from "../../platform/settings/setting.ts";
import type { AdminConfig } from "../config/settings.ts";
import { operator } from "./actor.ts";
import { parse } from "./commandLine.ts";

export async function runReplaceIdentityKey(args: string[], config: AdminConfig, db: Db): Promise<unknown> {
  const { values } = parse(args, { revoke: { type: "boolean" } }, 0);
  if (config.encryption === undefined)
    throw new ConfigError("SVC_DATA_ENCRYPTION_PROVIDER is not set, for example aes-256");
  const keyring = createKeyring(config.encryption);
  return replaceKeys({ db, keyring }, values.revoke === true, async (tx, { created, removed }) => {
    const details = { removed, revoke: values.revoke === true };
    const [resourceId = ""] = created;
    await recordAudit(tx, { orgId: null, actor: operator(), action: "identity_key.replace", resourceId, details });
  });
}
