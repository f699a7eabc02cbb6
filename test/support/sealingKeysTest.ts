/** Keys of a KMS (moto) and of one's own, and a database sealed by them: what those tests begin with. */
import { randomBytes } from "node:crypto";
import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { vi } from "vitest";
import { insertOrg } from "../../bench/harness/rows.ts";
import { sealVariables } from "../../src/core/contexts/variables.ts";
import { createKeyring, type RotatingKeyring } from "../../src/platform/crypto/keyring.ts";
import { startMoto } from "./moto.ts";
import { databaseTest } from "./test.ts";

export const PLACE = { table: "contexts", column: "sealed", rowId: "1" };
export const OLD = randomBytes(32);
export const NEW = randomBytes(32);
export const local = (key: Buffer, ...previousKeys: Buffer[]) =>
  createKeyring({ provider: "aes-256", key, previousKeys });
export const text = async (ring: RotatingKeyring, sealed: Buffer, place = PLACE) =>
  (await ring.open(sealed, place)).toString();

// Moto is fetched where it never ran.
vi.setConfig({ testTimeout: 180_000 });

export const test = databaseTest()
  .extend("moto", { scope: "file" }, async ({}, { onCleanup }) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
    const moto = await startMoto();
    onCleanup(() => moto.stop());
    return moto;
  })
  .extend("kms", { scope: "file" }, ({ moto }, { onCleanup }) => {
    const kms = new KMSClient({ endpoint: moto.endpoint, region: "eu-west-1" });
    onCleanup(() => kms.destroy());
    return kms;
  })
  .extend("world", { scope: "file" }, async ({ database, moto, kms }) => {
    const make = async () => (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.Arn as string;
    const arns = [await make(), await make()];
    const kmsRing = (n: number, previous: number[] = [], previousKeys: Buffer[] = []) =>
      createKeyring({
        provider: "aws-kms-aes-256",
        kmsKey: arns[n],
        previousKmsKeys: previous.map((i) => arns[i] as string),
        previousKeys,
        kmsEndpoint: moto.endpoint,
      });
    const org = await insertOrg(database.sql);

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

    return { database, moto, arns, kmsRing, org, context };
  });
