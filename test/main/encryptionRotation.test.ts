/** A rotation of the keys at rest, while everything goes on (docs/rules/secrets.md#encrypted-at-rest). */
import { describe, expect } from "vitest";
import { openVariable, sealVariables } from "../../src/core/contexts/variables.ts";
import { admin } from "../../src/main/admin.ts";
import { rotateEncryption } from "../../src/main/operator/rotateEncryption.ts";
import { SEALED_COLUMNS } from "../../src/main/operator/sealedColumns.ts";
import { createKeyring, type RotatingKeyring } from "../../src/platform/crypto/keyring.ts";
import { DecryptionError } from "../../src/platform/crypto/wrapping.ts";
import { local, NEW, OLD, type PLACE, test } from "../support/sealingKeysTest.ts";

describe("a rotation", () => {
  test("covers every column of the schema that is written through the keyring", async ({ world }) => {
    const { database } = world;
    const columns = await database.sql`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea' and column_name not like '%sha256%' and column_name not like '%\\_hash'`;
    // What a sign-in in progress keeps lasts ten minutes.
    const brief = ["auth_states.secrets", "sign_in_confirmations.answer"];
    // Rules, not secrets: whoever may read a policy may read its source.
    const open = ["policy_versions.wasm"];
    const expected = [...SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`), ...brief, ...open];
    expect(columns.map(({ name }) => name).sort()).toEqual(expected.sort());
  });

  test("moves 2,000 values while they are read and written: no call fails, and the old key is then not needed", async ({
    world,
  }) => {
    const { database, moto, arns, kmsRing, context } = world;
    const before = local(OLD, NEW);
    const after = kmsRing(0, [], [OLD, NEW]);
    const ids = [await context(before, 1_000), await context(before, 1_000)];
    const { sql } = database;
    let going = true;
    const calls = { reads: 0, writes: 0 };
    const failures: unknown[] = [];
    const pick = () => ({ id: ids[Math.floor(Math.random() * 2)] as string, n: Math.floor(Math.random() * 1_000) });
    // Half of the processes still have the settings from before, as during a rolling restart.
    const reader = async (ring: RotatingKeyring) => {
      while (going) {
        const { id, n } = pick();
        const [row] =
          await sql`select name, secret, value, sealed from context_variables where context_id = ${id} and name = ${`V${n}`}`;
        const value = await openVariable(ring, id, { ...row, sealed: row?.sealed } as never).catch((error: unknown) => {
          failures.push(error);
          return "";
        });
        if (!value.startsWith(`value-${n}`)) failures.push(new Error(`V${n} was ${value}`));
        calls.reads += 1;
      }
    };
    const writer = async () => {
      while (going) {
        const { id, n } = pick();
        const [sealed] = await sealVariables(after, id, [
          { name: `V${n}`, secret: true, value: `value-${n}-${calls.writes}` },
        ]);
        await sql`update context_variables set sealed = ${sealed?.sealed as Buffer} where context_id = ${id} and name = ${`V${n}`}`.catch(
          (error: unknown) => failures.push(error),
        );
        calls.writes += 1;
      }
    };
    const bridging = createKeyring({
      provider: "aes-256",
      key: OLD,
      previousKeys: [NEW],
      previousKmsKeys: [arns[0] as string],
      kmsEndpoint: moto.endpoint,
    });
    const load = [reader(bridging), reader(after), reader(after), writer(), writer()];
    const result = await rotateEncryption(database.db, after);
    going = false;
    await Promise.all(load);
    expect(failures).toEqual([]);
    expect(result).toMatchObject({ complete: true, unreadable: [] });
    expect(result.rotated["context_variables.sealed"]).toBeGreaterThan(1_000);
    expect([calls.reads > 100, calls.writes > 50]).toEqual([true, true]);
    console.log(`rotation under load: ${JSON.stringify({ ...result.rotated, ...calls, failures: failures.length })}`);
    const only = kmsRing(0);
    for (const id of ids) {
      for (const row of await sql`select name, secret, value, sealed from context_variables where context_id = ${id}`) {
        expect(await openVariable(only, id, row as never)).toMatch(/^value-/);
      }
    }
    expect((await rotateEncryption(database.db, only)).rotated["context_variables.sealed"]).toBe(0);
  }, 120_000);

  test("goes on where it was interrupted", async ({ world }) => {
    const { database, context } = world;
    const id = await context(local(OLD), 600);
    const after = local(NEW, OLD);
    let seals = 0;
    const dying = {
      sealingKeyId: after.sealingKeyId,
      open: after.open,
      seal: (plain: Buffer, place: typeof PLACE) => {
        seals += 1;
        if (seals > 250) throw new Error("the process was killed");
        return after.seal(plain, place);
      },
    };
    await database.sql`delete from context_variables where context_id <> ${id}`;
    await expect(rotateEncryption(database.db, dying)).rejects.toThrow("killed");
    const { rotated, complete } = await rotateEncryption(database.db, after);
    expect([complete, rotated["context_variables.sealed"]! < 600, rotated["context_variables.sealed"]! >= 350]).toEqual(
      [true, true, true],
    );
  });

  test("names the rows that no key opens, leaves them, and does the rest; ciphertext copied between rows is one of them", async ({
    world,
  }) => {
    const { database, context } = world;
    const { sql } = database;
    await sql`delete from context_variables`;
    const id = await context(local(OLD), 3);
    await sql`update context_variables set sealed = (select sealed from context_variables where context_id = ${id} and name = 'V0')
      where context_id = ${id} and name = 'V1'`;
    const rows =
      await sql`select name, secret, value, sealed from context_variables where context_id = ${id} and name = 'V1'`;
    await expect(openVariable(local(OLD), id, rows[0] as never)).rejects.toThrow(DecryptionError);
    const settings = {
      SVC_DATABASE_URL: database.url,
      SVC_EXPLORE_DATABASE_URL: database.url,
      SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
      SVC_DATA_ENCRYPTION_KEY: NEW.toString("base64"),
      SVC_DATA_ENCRYPTION_PREVIOUS_KEYS: OLD.toString("base64"),
    };
    const failed = await admin(["rotate-encryption"], settings).catch((error: Error) => error);
    expect((failed as Error).message).toContain(`no listed key opens these rows: context_variables.sealed ${id}/V1`);
    await sql`delete from context_variables where name = 'V1'`;
    expect(await admin(["rotate-encryption"], settings)).toMatchObject({ complete: true });
    expect(await rotateEncryption(database.db, local(NEW))).toMatchObject({ complete: true });
  });
});
