/** The script of a scheduled command: sealed in its schedule's row, and sealed anew for each deployment. */
import type { Place } from "../../platform/crypto/envelope.ts";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import { type SealedCommand, sealCommand } from "../deployments/rawCommands/rawCommand.ts";

export type SealedScript = { script: Buffer; commandBytes: number };

/** @param id of the schedule */
export async function sealScript(keyring: Keyring, id: string, text: string): Promise<SealedScript> {
  const plain = Buffer.from(text, "utf8");
  return { script: await keyring.seal(plain, place(id)), commandBytes: plain.length };
}

/** For a deployment. @throws DecryptionError when the key that sealed it is no longer listed */
export async function commandOf(
  keyring: Keyring,
  { id, script }: { id: string; script: Buffer },
): Promise<SealedCommand> {
  return sealCommand(keyring, (await keyring.open(script, place(id))).toString("utf8"));
}

function place(rowId: string): Place {
  return { table: "schedules", column: "script", rowId };
}
