/**
 * What a change makes of the secrets, and what the audit trail says about it: settings in clear, of secrets only which
 * ones changed.
 */
import { changedFields } from "../../people/audit/changedFields.ts";
import { ifReadable } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { CommonRow, CommonSettings, IntegrationKind } from "./kind.ts";

/** The columns of new secrets. */
export async function sealedColumns<Row extends CommonRow, Settings extends CommonSettings, Auth extends object>(
  kind: IntegrationKind<Row, Settings, Auth>,
  keyring: Keyring,
  id: string,
  auth: Auth,
) {
  return { authConfig: await kind.seal(keyring, id, auth), authConfigSummary: kind.summary(auth) };
}

/** Those of changed ones, and which are others. Without `auth_config` all of them stay. @throws InvalidValueError */
export async function changedColumns<Row extends CommonRow, Settings extends CommonSettings, Auth extends object>(
  kind: IntegrationKind<Row, Settings, Auth>,
  keyring: Keyring,
  stored: Row,
  settings: Settings,
) {
  if (settings.auth_config === undefined) {
    await kind.checkSecrets?.(stored, settings, () => kind.open(keyring, stored));
    return { secrets: [] };
  }
  // What no key opens any more is repaired by sending all of it again.
  const before = await ifReadable(kind.open(keyring, stored));
  const auth = kind.merge(before, settings.auth_config, settings);
  await kind.checkSecrets?.(stored, settings, async () => auth);
  const columns = await sealedColumns(kind, keyring, stored.id, auth);
  return { secrets: kind.changedSecrets(before, auth), columns };
}

/** What it is now, its settings before and after where they differ, and which secrets are others. */
export function auditedChanges(had: object, has: object, secrets: readonly string[]): object {
  const changed = changedFields(had, has, Object.keys(has));
  return { ...has, ...changed, ...(secrets.length > 0 && { auth_changed: secrets }) };
}
