import { createKeyring } from "../../platform/crypto/keyring.ts";
import type { Db } from "../../platform/db/client.ts";
import { openObjectStore } from "../../platform/objects/openStore.ts";
import { ConfigError } from "../../platform/settings/setting.ts";
import type { AdminConfig } from "../config/settings.ts";
import { parse, UsageError } from "./commandLine.ts";
import { type Rotation, rotateEncryption } from "./rotateEncryption.ts";
import { rotateObjects } from "./rotateObjects.ts";

/** Some values are not under the current key. Rows by their ids, which are no secrets. */
class IncompleteRotationError extends UsageError {
  constructor({ rotated, unreadable }: Rotation) {
    const why =
      unreadable.length === 0
        ? "some process still writes with another key; restart it with the current settings and run this again"
        : `no listed key opens these rows: ${unreadable.slice(0, 20).join(", ")}${unreadable.length > 20 ? ", ..." : ""}`;
    super(`the rotation is incomplete: ${why}; sealed again: ${JSON.stringify(rotated)}`);
  }
}

/** Plans, logs and uploads only when asked: all of them travel through this process. */
export async function runRotation(args: string[], config: AdminConfig, db: Db): Promise<unknown> {
  const { values } = parse(args, { objects: { type: "boolean" } }, 0);
  if (config.encryption === undefined)
    throw new ConfigError("SVC_DATA_ENCRYPTION_PROVIDER is not set, for example aes-256");
  if (values.objects === true && config.objects === undefined)
    throw new ConfigError("SVC_OBJECTS_URL is not set, for example file:///var/lib/svc/objects");
  const keyring = createKeyring(config.encryption);
  const rotation = await rotateEncryption(db, keyring);
  if (!rotation.complete) throw new IncompleteRotationError(rotation);
  if (values.objects !== true || config.objects === undefined) return { ...rotation, objects: OBJECTS_LEFT };
  const objects = await rotateObjects({ db, keyring, store: openObjectStore(config.objects.url) });
  if (!objects.complete) throw new IncompleteRotationError(objects);
  return { ...rotation, objects };
}

const OBJECTS_LEFT = "plans, logs and uploads stay under their keys: run this with --objects before removing one";
