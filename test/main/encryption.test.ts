/**
 * Encryption at rest: keys of KMS, what moved does not open, keys at boot (docs/rules/secrets.md#encrypted-at-rest).
 */
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { describe, expect } from "vitest";
import { insertOrg } from "../../bench/harness/rows.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import { checkSealingKeys } from "../../src/main/operator/sealingKeys.ts";
import { startApi } from "../../src/main/service/api.ts";
import { createKeyring, type RotatingKeyring } from "../../src/platform/crypto/keyring.ts";
import { DecryptionError } from "../../src/platform/crypto/wrapping.ts";
import { ConfigError } from "../../src/platform/settings/setting.ts";
import { freshDatabase } from "../support/database.ts";
import { local, NEW, OLD, PLACE, test, text } from "../support/sealingKeysTest.ts";

describe("keys of KMS", () => {
  test("seal and open in another process, with the key's ARN in the envelope; a copy elsewhere does not open", async ({
    world,
  }) => {
    const { arns, kmsRing } = world;
    const sealed = await kmsRing(0).seal(Buffer.from("secret"), PLACE);
    expect(sealed.includes(arns[0] as string)).toBe(true);
    expect(await text(kmsRing(0), sealed)).toBe("secret");
    await expect(kmsRing(0).open(sealed, { ...PLACE, rowId: "2" })).rejects.toThrow(DecryptionError);
    await expect(kmsRing(1).open(sealed, PLACE)).rejects.toThrow(DecryptionError);
    const forged = Buffer.from(sealed);
    Buffer.from(arns[1] as string).copy(forged, 2);
    await expect(kmsRing(1).open(forged, PLACE)).rejects.toThrow();
  });

  test("a thousand values cost one call to seal and one to open", async ({ world }) => {
    const { moto, arns, kmsRing } = world;
    const ring = kmsRing(0);
    const sealed = await Promise.all(Array.from({ length: 1_000 }, (_, i) => ring.seal(Buffer.from(`${i}`), PLACE)));
    const calls = await countCalls(moto.endpoint, async (endpoint) => {
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

  test("both providers are read during a change from one to the other, and back", async ({ world }) => {
    const { moto, arns, kmsRing } = world;
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

  test("an outage is a 503 and heals by itself; a key that KMS refuses stops the boot with one line", async ({
    world,
  }) => {
    const { arns, kmsRing } = world;
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
async function countCalls(moto: string, work: (endpoint: string) => Promise<void>): Promise<Record<string, number>> {
  const { createServer, request } = await import("node:http");
  const calls: Record<string, number> = {};
  const server = createServer((incoming, outgoing) => {
    const target = String(incoming.headers["x-amz-target"]);
    calls[target] = (calls[target] ?? 0) + 1;
    const { method, url, headers } = incoming;
    const onward = request(`${moto}${url}`, { method: method as string, headers }, (answer) => {
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
  test("keys that open nothing of the database stop it; one that opens some, an empty database or one that is away do not", async ({
    world,
  }) => {
    const { kmsRing } = world;
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
