/**
 * What an integration proves itself with: one envelope in its row, write-only, encrypted at rest
 * (docs/rules/secrets.md).
 */
import type { Keyring } from "../../platform/crypto/keyring.ts";

/** The settings of rows of `table`, each of which opens only in its own row. */
export function sealedAuth<Auth extends object>(table: string) {
  const placeOf = (id: string) => ({ table, column: "auth_config", rowId: id });
  return {
    seal: (keyring: Pick<Keyring, "seal">, id: string, auth: Auth): Promise<Buffer> =>
      keyring.seal(Buffer.from(JSON.stringify(auth)), placeOf(id)),
    /** @throws DecryptionError */
    open: async (keyring: Pick<Keyring, "open">, id: string, sealed: Buffer): Promise<Auth> =>
      JSON.parse((await keyring.open(sealed, placeOf(id))).toString("utf8")) as Auth,
  };
}

/** A secret that is left out stays what is stored; `null` removes it. */
export function keptSecret<T>(sent: T | null | undefined, stored: T | undefined): T | undefined {
  return sent === undefined ? stored : (sent ?? undefined);
}

/** Without the members that are undefined. */
export function present<T extends Record<string, unknown>>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
