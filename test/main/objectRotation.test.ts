/**
 * Stored objects under another key: while they are read and removed, after a kill, with ones that nobody can open
 * (docs/operations.md#encryption-at-rest).
 */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { test as base, expect } from "vitest";
import { sourcePlace } from "../../src/core/localSources/source.ts";
import { removeArtifacts } from "../../src/core/retention/storedFiles.ts";
import { artifactPlace, sealedPlace } from "../../src/core/runs/storedPlaces.ts";
import { statePlace } from "../../src/core/state/place.ts";
import { admin } from "../../src/main/admin.ts";
import { rotateObjects, STORED_OBJECTS } from "../../src/main/operator/rotateObjects.ts";
import { createKeyring, type RotatingKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import type { ObjectStore } from "../../src/platform/objects/store.ts";
import { freshDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, testService } from "../support/fixtures.ts";

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const ring = (key: Buffer, ...previousKeys: Buffer[]) => createKeyring({ provider: "aes-256", key, previousKeys });
const before = ring(OLD, NEW);
const after = ring(NEW, OLD);

type Kept = { key: string; place: ReturnType<typeof sourcePlace>; bytes: Buffer };

const test = base
  .extend("database", () => freshDatabase())
  .extend("world", async ({ database }) => {
    const folder = await mkdtemp(join(tmpdir(), "svc-objects-"));
    const store = openObjectStore(`file://${folder}`);
    const { orgId } = await makeOrg(database);
    const stackKey = await makeStack(database, orgId);
    const deploymentId = await create(testService(database), stackKey);
    const [run] = await database.sql`select id from runs where deployment_id = ${deploymentId}`;
    const runId = run?.id;

    /** A plan of more than one frame, `chunks` log chunks and an upload, as the old key left them. */
    async function stored(chunks = 5): Promise<Kept[]> {
      const { sql } = database;
      const kept: Kept[] = [];
      const put = async (key: string, place: Kept["place"], bytes: Buffer) => {
        kept.push({ key, place, bytes });
        return sealedObjects(store, before).putSealed(key, place, bytes);
      };
      const plan = await put(`runs/${runId}/artifacts/plan/1`, artifactPlace(runId, "plan"), randomBytes(2_500_000));
      await sql`insert into artifacts (run_id, kind, object_key, size, sha256)
        values (${runId}, 'plan', ${kept[0]!.key}, ${plan.size}, ${plan.sha256})`;
      for (let i = 0; i < chunks; i++) {
        const key = `runs/${runId}/logs/${i}-1`;
        const { size, sha256 } = await put(key, sealedPlace(runId, i), Buffer.from(`line ${i}\n`));
        await sql`insert into log_chunks (run_id, chunk_index, sealed, size, object_key, sha256)
          values (${runId}, ${i}, true, ${size}, ${key}, ${sha256})`;
      }
      const [source] = await sql`insert into local_sources (org_id, stack_key, object_key, created_by, created_by_kind)
        values (${orgId}, ${stackKey}, 'local-sources/1', 'x', 'user') returning id`;
      const upload = await put("local-sources/1", sourcePlace(source?.id), randomBytes(10_000));
      await sql`update local_sources set size = ${upload.size}, sha256 = ${upload.sha256} where id = ${source?.id}`;
      const version = randomUUID();
      const state = await put(`states/${version}`, statePlace(version), randomBytes(1_500_000));
      await sql`
        insert into state_versions (id, org_id, stack_key, object_key, origin, number, serial, lineage, size, sha256)
        values (${version}, ${orgId}, ${stackKey}, ${`states/${version}`}, 'push', 1, 1, 'l', ${state.size}, ${state.sha256})`;
      return kept;
    }

    async function read(keyring: RotatingKeyring, { key, place, bytes }: Kept): Promise<Buffer> {
      const body = await sealedObjects(store, keyring).getSealed(key, place, bytes.length);
      if (body === null) throw new Error(`${key} is not there`);
      return buffer(body);
    }

    return { stored, read, folder, store, deploymentId, runId };
  });

test.afterEach(async ({ database, world }) => {
  await database.close();
  await rm(world.folder, { recursive: true, force: true });
});

test("covers every column of the schema that names an object", async ({ database }) => {
  const columns = await database.sql`
    select table_name from information_schema.columns where table_schema = 'public' and column_name = 'object_key'`;
  expect(columns.map(({ table_name }) => table_name).sort()).toEqual(STORED_OBJECTS.map(({ table }) => table).sort());
});

test("all are sealed again while they are read; then the old key is not needed, and nothing is read a second time", async ({
  database,
  world,
}) => {
  const kept = await world.stored(30);
  let going = true;
  let reads = 0;
  const reader = async (keyring: RotatingKeyring) => {
    while (going) {
      const one = kept[Math.floor(Math.random() * kept.length)]!;
      expect((await world.read(keyring, one)).equals(one.bytes)).toBe(true);
      reads += 1;
    }
  };
  const readers = Promise.all([reader(before), reader(after)]);
  const { db } = database;
  const result = await rotateObjects({ db, store: world.store, keyring: after });
  going = false;
  await readers;
  expect(result).toEqual({
    rotated: { artifacts: 1, log_chunks: 30, local_sources: 1, state_versions: 1 },
    unreadable: [],
    complete: true,
  });
  expect(reads).toBeGreaterThan(0);
  for (const one of kept) expect((await world.read(ring(NEW), one)).equals(one.bytes)).toBe(true);
  const unused = { ...world.store, get: () => Promise.reject(new Error("it was read again")) };
  expect(await rotateObjects({ db, store: unused, keyring: ring(NEW) })).toMatchObject({ complete: true });
});

test("goes on where it was killed; what a newer process stored is only looked at", async ({ database, world }) => {
  const kept = await world.stored(20);
  const { db, sql } = database;
  let puts = 0;
  const dying: ObjectStore = {
    ...world.store,
    put: async (key, source) => {
      if (++puts > 9) throw new Error("the process was killed");
      return world.store.put(key, source);
    },
  };
  await expect(rotateObjects({ db, store: dying, keyring: after })).rejects.toThrow("killed");
  const newer = kept.at(-2)!;
  await sealedObjects(world.store, after).putSealed(newer.key, newer.place, newer.bytes);
  const { rotated, complete } = await rotateObjects({ db, store: world.store, keyring: after });
  expect([
    complete,
    rotated.artifacts! + rotated.log_chunks! + rotated.local_sources! + rotated.state_versions!,
  ]).toEqual([true, 13]);
  for (const one of kept) expect((await world.read(ring(NEW), one)).equals(one.bytes)).toBe(true);
  expect(
    await sql`select 1 from log_chunks where key_id is distinct from ${after.sealingKeyId.toString("hex")}`,
  ).toEqual([]);
});

test("what no key opens, was changed or lies in another's place is named and left; the rest is done; the command says so", async ({
  database,
  world,
}) => {
  const kept = await world.stored(3);
  const { db, sql } = database;
  const [plan, first, second] = kept as [Kept, Kept, Kept];
  const foreign = ring(randomBytes(32));
  await sealedObjects(world.store, foreign).putSealed(first.key, first.place, first.bytes);
  const bytes = await buffer((await world.store.get(plan.key))!.body);
  await world.store.put(plan.key, Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1)! ^ 1])]));
  const changed = await buffer((await world.store.get(plan.key))!.body);
  await world.store.put(second.key, await buffer((await world.store.get(kept[3]!.key))!.body));
  const expected = [`artifacts ${world.runId}/plan`, `log_chunks ${world.runId}/0`, `log_chunks ${world.runId}/1`];
  const result = await rotateObjects({ db, store: world.store, keyring: after });
  expect(result).toMatchObject({ rotated: { artifacts: 0, log_chunks: 1, local_sources: 1 }, complete: false });
  expect(result.unreadable.sort()).toEqual(expected);
  expect((await buffer((await world.store.get(plan.key))!.body)).equals(changed)).toBe(true);

  const settings = {
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: NEW.toString("base64"),
    SVC_DATA_ENCRYPTION_PREVIOUS_KEYS: OLD.toString("base64"),
  };
  await expect(admin(["rotate-encryption", "--objects"], settings)).rejects.toThrow("SVC_OBJECTS_URL is not set");
  expect(await admin(["rotate-encryption"], settings)).toMatchObject({ objects: expect.stringContaining("--objects") });
  const withStore = { ...settings, SVC_OBJECTS_URL: `file://${world.folder}` };
  await expect(admin(["rotate-encryption", "--objects"], withStore)).rejects.toThrow(
    `no listed key opens these rows: artifacts ${world.runId}/plan`,
  );
  await sql`delete from artifacts`;
  await sql`delete from log_chunks where chunk_index < 2`;
  expect(await admin(["rotate-encryption", "--objects"], withStore)).toMatchObject({ objects: { complete: true } });
});

test("an object that is removed while it is sealed again does not come back", async ({ database, world }) => {
  const kept = await world.stored(0);
  const { db, sql } = database;
  const [plan, upload] = kept as [Kept, Kept];
  // Retention has read the row and deletes its object while the rotation holds it open; then the rotation puts it back.
  const deleted = Promise.withResolvers<void>();
  const marked = Promise.withResolvers<void>();
  let removing: Promise<number> | undefined;
  let deletes = 0;
  const slow = {
    delete: async (key: string) => {
      await world.store.delete(key);
      if (deletes++ > 0) return;
      deleted.resolve();
      await marked.promise;
    },
  };
  const racing: ObjectStore = {
    ...world.store,
    put: async (key, source) => {
      if (key === plan.key) {
        removing = removeArtifacts(db, slow, [world.deploymentId]);
        await deleted.promise;
      } else {
        // The upload's row goes before its object is back.
        await sql`delete from local_sources`;
      }
      return world.store.put(key, source);
    },
  };
  await rotateObjects({ db, store: racing, keyring: after });
  marked.resolve();
  await removing;
  expect(await sql`select 1 from artifacts`).toEqual([]);
  expect([deletes, await world.store.get(plan.key), await world.store.get(upload.key)]).toEqual([2, null, null]);
});
