/**
 * The script of a raw deployment: sealed before its transaction begins, opened when a runner accepts its run, and in
 * no other column, message, event or answer (docs/rules/deployments.md#raw-commands). People see its length.
 */
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import type { Place } from "../../../platform/crypto/envelope.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { Queryable, Tx } from "../../../platform/db/client.ts";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import type { rawCommands } from "./schema.ts";

/** Longest script in bytes of UTF-8. */
export const MAX_SCRIPT_BYTES = 65_536;

type StoredCommand = SqlRow<typeof rawCommands, "id" | "script">;
export type SealedCommand = StoredCommand & { bytes: number };

/** Encrypt a script for a row that does not exist yet. */
export async function sealCommand(keyring: Keyring, script: string): Promise<SealedCommand> {
  const id = uuidv7();
  const plain = Buffer.from(script, "utf8");
  return { id, script: await keyring.seal(plain, place(id)), bytes: plain.length };
}

/** @throws DecryptionError */
export async function openCommand(keyring: Keyring, command: { id: string; script: Buffer }): Promise<string> {
  return (await keyring.open(command.script, place(command.id))).toString("utf8");
}

/** Give a raw deployment its script, in the transaction that creates it. */
export async function storeCommand(tx: Tx, deploymentId: string, { id, script, bytes }: SealedCommand): Promise<void> {
  await tx.execute(sql`
    with command as (
      insert into raw_commands (id, deployment_id, script) values (${id}, ${deploymentId}, ${script})
    )
    update deployments set command_bytes = ${bytes}::int where id = ${deploymentId}`);
}

/**
 * The script of a raw deployment that is retried, encrypted anew for a row of its own; null for one without a script.
 * @throws DecryptionError when the key that sealed it is no longer listed
 */
export async function copiedCommand(tx: Tx, keyring: Keyring, deploymentId: string): Promise<SealedCommand | null> {
  const command = await readCommand(tx, deploymentId);
  return command && (await sealCommand(keyring, await openCommand(keyring, command)));
}

async function readCommand(db: Queryable, deploymentId: string): Promise<StoredCommand | null> {
  const [row] = await db.execute<StoredCommand>(
    sql`select id, script from raw_commands where deployment_id = ${deploymentId}`,
  );
  return row ?? null;
}

function place(id: string): Place {
  return { table: "raw_commands", column: "script", rowId: id };
}
