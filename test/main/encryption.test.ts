/**
 * Encryption at rest: keys of KMS (moto), what moved does not open, and a rotation while everything goes on
 * (docs/rules/secrets.md#encrypted-at-rest).
 */
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { insertOrg } from "../../bench/harness/rows.ts";
import { openVariable, sealVariables } from "../../src/core/contexts/variables.ts";
import { admin } from "../../src/main/admin.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import { rotateEncryption } from "../../src/main/operator/rotateEncryption.ts";
import { SEALED_COLUMNS } from "../../src/main/operator/sealedColumns.ts";
import { checkSealingKeys } from "../../src/main/operator/sealingKeys.ts";
import { startApi } from "../../src/main/service/api.ts";
import { createKeyring, type RotatingKeyring } from "../../src/platform/crypto/keyring.ts";
import { DecryptionError } from "../../src/platform/crypto/wrapping.ts";
import { ConfigError } from "../../src/platform/settings/setting.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { type Moto, startMoto } from "../support/moto.ts";

const PLACE = { table: "contexts", column: "sealed", rowId: "1" };
let database: TestDatabase;
let moto: Moto;
let kms: KMSClient;
let arns: string[];
let org: string;

beforeAll(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  [database, moto] = await Promise.all([freshDatabase(), startMoto()]);
  kms = new KMSClient({ endpoint: moto.endpoint, region: "eu-west-1" });
  const make = async () => (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.Arn as string;
  arns = [await make(), await make()];
  org = await insertOrg(database.sql);
}, 180_000);
afterAll(async () => {
  kms?.destroy();
  await moto?.stop();
  await database?.close();
});

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const local = (key: Buffer, ...previousKeys: Buffer[]) => createKeyring({ provider: "aes-256", key, previousKeys });
const kmsRing = (n: number, previous: number[] = [], previousKeys: Buffer[] = []) =>
  createKeyring({
    provider: "aws-kms-aes-256",
    kmsKey: arns[n],
    previousKmsKeys: previous.map((i) => arns[i] as string),
    previousKeys,
    kmsEndpoint: moto.endpoint,
  });
const text = async (ring: RotatingKeyring, sealed: Buffer, place = PLACE) =>
  (await ring.open(sealed, place)).toString();

describe("keys of KMS", () => {
  test("seal and open in another process, with the key's ARN in the envelope; a copy elsewhere does not open", async () => {
    const sealed = await kmsRing(0).seal(Buffer.from("secret"), PLACE);
    expect(sealed.includes(arns[0] as string)).toBe(true);
    expect(await text(kmsRing(0), sealed)).toBe("secret");
    await expect(kmsRing(0).open(sealed, { ...PLACE, rowId: "2" })).rejects.toThrow(DecryptionError);
    await expect(kmsRing(1).open(sealed, PLACE)).rejects.toThrow(DecryptionError);
    const forged = Buffer.from(sealed);
    Buffer.from(arns[1] as string).copy(forged, 2);
    await expect(kmsRing(1).open(forged, PLACE)).rejects.toThrow();
  });

  test("a thousand values cost one call to seal and one to open", async () => {
    const ring = kmsRing(0);
    const sealed = await Promise.all(Array.from({ length: 1_000 }, (_, i) => ring.seal(Buffer.from(`${i}`), PLACE)));
    const calls = await countCalls(async (endpoint) => {
      const other = createKeyring({
        provider: "aws-kms-aes-256",
        kmsKey: arns[0],
        previousKeys: [],
        kmsEndpoint: endpoint,
      });
      const opened = await Promise.all(sealed.map((value) => text(other, value)));
      expect(opened).toEqual(sealed.map((_, i) => `${i}`));
      await Promise.all(sealed.map(() => other.seal(Buffer.from("x"), PLACE)));
    });
    expect(calls).toEqual({ "TrentService.Decrypt": 1, "TrentService.GenerateDataKey": 1 });
  });

  test("both providers are read during a change from one to the other, and back", async () => {
    const before = await local(OLD).seal(Buffer.from("kept"), PLACE);
    expect(await text(kmsRing(0, [1], [OLD]), before)).toBe("kept");
    const after = await kmsRing(0).seal(Buffer.from("kept"), PLACE);
    const back = createKeyring({
      provider: "aes-256",
      key: NEW,
      previousKeys: [OLD],
      previousKmsKeys: [arns[0] as string],
      kmsEndpoint: moto.endpoint,
    });
    expect([await text(back, before), await text(back, after)]).toEqual(["kept", "kept"]);
  });

  test("an outage is a 503 and heals by itself; a key that KMS refuses stops the boot with one line", async () => {
    const ring = createKeyring({
      provider: "aws-kms-aes-256",
      kmsKey: arns[0],
      previousKeys: [],
      kmsEndpoint: "http://127.0.0.1:9",
    });
    await expect(ring.seal(Buffer.from("x"), PLACE)).rejects.toMatchObject({
      status: 503,
      code: "key_service_unavailable",
    });
    await expect(ring.check()).resolves.toBeUndefined();
    arns[2] = `${arns[0]?.split("/")[0]}/00000000-0000-0000-0000-000000000000`;
    const refused = await kmsRing(2)
      .check()
      .catch((error: Error) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect((refused as Error).message).toMatch(
      /^SVC_DATA_ENCRYPTION_KMS_KEY is refused by KMS \(NotFoundException\)[^\n]+$/,
    );
  });
});

/** Calls by their target, through a proxy in front of moto. */
async function countCalls(work: (endpoint: string) => Promise<void>): Promise<Record<string, number>> {
  const { createServer, request } = await import("node:http");
  const calls: Record<string, number> = {};
  const server = createServer((incoming, outgoing) => {
    const target = String(incoming.headers["x-amz-target"]);
    calls[target] = (calls[target] ?? 0) + 1;
    const { method, url, headers } = incoming;
    const onward = request(`${moto.endpoint}${url}`, { method: method as string, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await work(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return calls;
}

describe("at boot", () => {
  test("keys that open nothing of the database stop it; one that opens some, an empty database or one that is away do not", async () => {
    await using own = await freshDatabase();
    const foreign = local(randomBytes(32));
    await checkSealingKeys(own.url, foreign);
    const orgId = await insertOrg(own.sql);
    const add = async (ring: RotatingKeyring) =>
      own.sql`insert into notification_integrations (org_id, name, provider_type, events, auth_config)
        values (${orgId}, ${randomBytes(4).toString("hex")}, 'webhook', '{}', ${await ring.seal(Buffer.from("x"), PLACE)})`;
    await add(local(OLD));
    await expect(checkSealingKeys(own.url, foreign)).rejects.toThrow(ConfigError);
    await expect(checkSealingKeys(own.url, kmsRing(0))).rejects.toThrow(/^SVC_DATA_ENCRYPTION_KEY[^\n]+for example/);
    await checkSealingKeys(own.url, local(NEW, OLD));
    await checkSealingKeys(own.url, kmsRing(0, [], [OLD]));
    await add(kmsRing(0));
    await checkSealingKeys(own.url, kmsRing(0));
    await checkSealingKeys(own.url, local(OLD));
    const settings = {
      SVC_DATABASE_URL: own.url,
      SVC_EXPLORE_DATABASE_URL: own.url,
      SVC_TEMPORAL_ADDRESS: "127.0.0.1:9",
      SVC_OBJECTS_URL: `file://${tmpdir()}/never-written`,
      SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
      SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
      SVC_LISTEN: "127.0.0.1:0",
    };
    await expect(startApi(loadConfig(settings))).rejects.toThrow("opens none of the secrets");
    const away = await freshDatabase();
    await away.close();
    await checkSealingKeys(away.url, foreign);
  });
});

describe("a rotation", () => {
  /** A context with so many secrets, sealed by `ring`. */
  async function context(ring: RotatingKeyring, count: number): Promise<string> {
    const { sql } = database;
    const [row] =
      await sql`insert into contexts (org_id, name) values (${org}, ${randomBytes(6).toString("hex")}) returning id`;
    const secrets = Array.from({ length: count }, (_, i) => ({ name: `V${i}`, secret: true, value: `value-${i}` }));
    const sealed = await sealVariables(ring, row?.id, secrets);
    await sql`insert into context_variables ${sql(sealed.map((one) => ({ ...one, context_id: row?.id })) as never, "context_id", "name", "secret", "value", "sealed")}`;
    return row?.id;
  }

  test("covers every column of the schema that is written through the keyring", async () => {
    const columns = await database.sql`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and data_type = 'bytea' and column_name not like '%sha256%' and column_name not like '%\\_hash'`;
    // What a sign-in in progress keeps lasts ten minutes.
    const expected = [...SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`), "auth_states.secrets"];
    expect(columns.map(({ name }) => name).sort()).toEqual(expected.sort());
  });

  test("moves 2,000 values while they are read and written: no call fails, and the old key is then not needed", async () => {
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

  test("goes on where it was interrupted", async () => {
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

  test("names the rows that no key opens, leaves them, and does the rest; ciphertext copied between rows is one of them", async () => {
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
