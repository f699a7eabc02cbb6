/** Keys that sign identities change under runs, and no verifier refuses one (docs/rules/identity.md#keys-overlap). */
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { describe, expect } from "vitest";
import { OVERLAP_MS } from "../../src/core/identity/keySchedule.ts";
import { rotateKeys } from "../../src/core/identity/rotateKeys.ts";
import { SigningKeys } from "../../src/core/identity/signingKeys.ts";
import { admin } from "../../src/main/admin.ts";
import { rotateEncryption } from "../../src/main/operator/rotateEncryption.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { AUDIENCE, test, type World } from "../support/identitiesTest.ts";

const DAY = OVERLAP_MS;
const ROTATION = 2 * DAY;

/** As much time has passed for the keys. */
async function passed({ database }: World, ms: number): Promise<void> {
  await database.sql`update identity_keys set signs_from = signs_from - ${ms} * interval '1 millisecond'`;
}

const published = async ({ app }: World) =>
  ({ keys: await new SigningKeys({ db: app.service.db, keyring: app.keyring }).published() }) as JSONWebKeySet;

const takes = async (keys: JSONWebKeySet, token: string) =>
  jwtVerify(token, createLocalJWKSet(keys), { audience: AUDIENCE }).then(
    () => true,
    () => false,
  );

describe("while runs go on", () => {
  test("forty half-day steps: every token is taken by whoever read the keys up to a day before or after", async ({
    world,
  }) => {
    const { run, context } = await world.running(await world.stackWith());
    const { app } = world;
    const seen: { keys: JSONWebKeySet; token: string; kid: unknown }[] = [];
    const note = async (token = "") =>
      void seen.push({ keys: await published(world), token, kid: decodeProtectedHeader(token).kid });
    await note(context.identities?.[0]?.token);
    for (let step = 0; step < 40; step++) {
      await passed(world, DAY / 2);
      // Every process of the service looks at once.
      await Promise.all(
        Array.from({ length: 3 }, () => rotateKeys({ db: app.service.db, keyring: app.keyring }, ROTATION)),
      );
      const { status, items } = await world.renew(run);
      expect(status).toBe(200);
      await note(items[0]?.token);
    }
    const refused: string[] = [];
    for (const [at, { token }] of seen.entries())
      for (const reader of [at - 1, at, at + 1])
        if (seen[reader] !== undefined && !(await takes(seen[reader].keys, token))) refused.push(`${at} by ${reader}`);
    expect(refused).toEqual([]);
    expect(new Set(seen.map(({ kid }) => kid)).size).toBeGreaterThanOrEqual(9);
    for (const { keys } of seen) expect(keys.keys.length).toBeLessThanOrEqual(3);
  });

  test("processes that find no key at once make one", async ({ world }) => {
    const { app, database } = world;
    await database.sql`delete from identity_keys`;
    expect((await published(world)).keys).toEqual([]);
    // Who only reads the keys makes none.
    expect(await database.sql`select from identity_keys`).toEqual([]);
    const processes = Array.from({ length: 6 }, () => new SigningKeys({ db: app.service.db, keyring: app.keyring }));
    const kids = await Promise.all(processes.map(async (keys) => (await keys.signer()).kid));
    expect(new Set(kids).size).toBe(1);
    expect(await database.sql`select from identity_keys`).toHaveLength(1);
  });
});

describe("an operator's replacement", () => {
  const settings = ({ database }: World) => ({
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString("base64"),
  });

  test("signs at once, and with --revoke what others signed is refused; it is in the trail", async ({ world }) => {
    const { database } = world;
    const { run, context } = await world.running(await world.stackWith());
    const old = context.identities?.[0]?.token as string;
    const first = (await admin(["replace-identity-key"], settings(world))) as { created: string[]; removed: string[] };
    const kept = await published(world);
    expect([first.removed, await takes(kept, old)]).toEqual([[], true]);
    const second = (await admin(["replace-identity-key", "--revoke"], settings(world))) as typeof first;
    expect(second.removed).toContain(first.created[0]);
    expect(await takes(await published(world), old)).toBe(false);
    const trail = await database.sql`
      select actor_kind, resource_id, details from audit_log where action = 'identity_key.replace' order by occurred_at, id`;
    expect(trail.map(({ actor_kind, resource_id, details }) => [actor_kind, resource_id, details.revoke])).toEqual([
      ["operator", first.created[0], false],
      ["operator", second.created[0], true],
    ]);
    // Sealed by another process with another key than this one has: nothing is signed with it by mistake.
    expect(await world.renew(run)).toMatchObject({ status: 503, code: "decryption_failed" });
    await database.sql`delete from identity_keys`;
    expect((await world.renew(run)).status).toBe(200);
  });
});

test("a rotation of the keys at rest keeps the keys, and the old one is then not needed", async ({ world }) => {
  const { database, app } = world;
  await database.sql`delete from identity_keys`;
  const [before, after] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const old = createKeyring({ provider: "aes-256", key: before, previousKeys: [] });
  const { kid } = await new SigningKeys({ db: app.service.db, keyring: old }).signer();
  const both = createKeyring({ provider: "aes-256", key: after, previousKeys: [before] });
  const { rotated } = await rotateEncryption(database.db, both);
  expect(rotated["identity_keys.private_key"]).toBe(1);
  const alone = createKeyring({ provider: "aes-256", key: after, previousKeys: [] });
  expect((await new SigningKeys({ db: app.service.db, keyring: alone }).signer()).kid).toBe(kid);
  await database.sql`delete from identity_keys`;
});

test("after a restore the keys of the backup sign and are published, whatever came after them", async ({ world }) => {
  const { database, app } = world;
  const { run } = await world.running(await world.stackWith());
  const backup = await database.sql`select * from identity_keys`;
  await database.sql`delete from identity_keys`;
  await world.renew(run);
  await database.sql`delete from identity_keys`;
  for (const row of backup)
    await database.sql`insert into identity_keys ${database.sql({ ...row, public_jwk: database.sql.json(row.public_jwk) } as never)}`;
  const { items } = await world.renew(run);
  expect(await takes(await published(world), items[0]?.token ?? "")).toBe(true);
  expect(decodeProtectedHeader(items[0]?.token ?? "").kid).toBe(backup[0]?.id);
  expect(app.logged.some((line) => JSON.stringify(line).includes(items[0]?.token ?? "none"))).toBe(false);
});
