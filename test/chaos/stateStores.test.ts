/**
 * States that the service keeps over a store that is full, or answers late, and a version that is brought back while a
 * run is at work: what was answered is there, once and whole, and nothing else is (docs/state.md).
 */
import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import { type ObjectStore, StorageUnavailableError } from "../../src/platform/objects/store.ts";
import { startApp } from "../support/app.ts";
import { makeOrg, makeStack } from "../support/fixtures.ts";
import { stateAccount } from "../support/stateAccount.ts";
import { StateEngine } from "../support/stateEngine.ts";
import { state } from "../support/stateTest.ts";
import { databaseTest } from "../support/test.ts";
import { writingRun } from "../support/writingRun.ts";

/** What becomes of a store's puts. */
type Weather = { full: boolean; late: Promise<void> | null; begun: number };

function weathered(store: ObjectStore, weather: Weather): ObjectStore {
  return {
    ...store,
    get: (key) => store.get(key),
    delete: (key) => store.delete(key),
    check: () => store.check(),
    async put(key, source) {
      weather.begun += 1;
      await weather.late;
      if (!weather.full) return store.put(key, source);
      const half = async function* () {
        for await (const chunk of Buffer.isBuffer(source) ? [source] : source) {
          yield chunk.subarray(0, chunk.length / 2);
          break;
        }
        throw new StorageUnavailableError(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
      };
      return store.put(key, half());
    },
  };
}

const test = databaseTest().extend("world", async ({ database, folder }, { onCleanup }) => {
  const weather: Weather = { full: false, late: null, begun: 0 };
  const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
  const objects = sealedObjects(weathered(openObjectStore(`file://${folder}/objects`), weather), keyring);
  const app = await startApp(database, { hints: true, keyring, objects, env: { SVC_DISPATCH_RATE_LIMIT: "off" } });
  onCleanup(() => app.close());
  const org = await makeOrg(database);
  const stackKey = await makeStack(database, org.orgId, { slug: "stores", name: "stores" });
  const token = await stateAccount(database, org.orgId);
  const address = `${app.baseUrl}/api/v1/orgs/${org.orgId}/stacks/stores/state`;
  const run = async (name: string) => {
    const begun = await writingRun({ database, org, stackKey, baseUrl: app.baseUrl });
    return { ...begun, engine: new StateEngine(name, begun.address, begun.token) };
  };
  const versions = () => database.sql`select * from state_versions where stack_key = ${stackKey} order by number`;
  const lock = async () =>
    (await database.sql`select lock_run_id from stack_states where stack_key = ${stackKey}`)[0]?.lock_run_id ?? null;
  return { weather, app, org, stackKey, token, address, run, versions, lock };
});

test("a full store refuses, keeps the lock, and leaves nothing half there; with room again the same bytes go on", async ({
  world,
}) => {
  const { weather, run, versions, lock } = world;
  const { engine, runner, runId } = await run("full");
  await engine.lock();
  expect(await engine.write(1, JSON.stringify(state(1)))).toBe(200);
  weather.full = true;
  const writing = engine.write(2, JSON.stringify(state(2)));
  await expect.poll(() => weather.begun).toBeGreaterThan(2);
  expect(await lock()).toBe(runId);
  weather.full = false;
  expect(await writing).toBe(200);
  await engine.unlock();
  expect((await versions()).map(({ number, serial }) => [number, serial])).toEqual([
    ["1", "1"],
    ["2", "2"],
  ]);
  expect(await engine.read()).toMatchObject({ serial: 2 });
  await runner.done({ status: "success" });
});

test("a store that answers late: what the engine sends again meanwhile is one version", async ({ world }) => {
  const { weather, run, versions } = world;
  const { engine, runner } = await run("late");
  await engine.lock();
  const before = weather.begun;
  const gate = Promise.withResolvers<void>();
  weather.late = gate.promise;
  const body = JSON.stringify(state(7));
  const again = [engine.write(7, body), engine.write(7, body), engine.write(7, body)];
  await expect.poll(() => weather.begun).toBe(before + 3);
  gate.resolve();
  expect(await Promise.all(again)).toEqual([200, 200, 200]);
  const rows = await versions();
  expect(rows.map(({ number, serial }) => [number, serial])).toEqual([["1", "7"]]);
  await engine.unlock();
  await runner.done({ status: "success" });
});

test("a store that answers after the run has ended: nothing of it counts, and the lock went with the run", async ({
  world,
}) => {
  const { weather, run, versions, lock } = world;
  const { engine, runner } = await run("later");
  await engine.lock();
  const gate = Promise.withResolvers<void>();
  weather.late = gate.promise;
  const before = weather.begun;
  const writing = engine.write(1, JSON.stringify(state(1)));
  await expect.poll(() => weather.begun).toBe(before + 1);
  expect((await runner.done({ status: "failure" })).status).toBe(204);
  expect(await lock()).toBeNull();
  gate.resolve();
  expect(await writing).toBe(403);
  expect(await versions()).toEqual([]);
});

test("a version that is brought back while runs begin, write and end stands before or after each, never within", {
  timeout: 120_000,
}, async ({ world }) => {
  const { run, versions, address, token, lock } = world;
  const outcomes = { restored: 0, refused: 0 };
  const restore = async () => {
    const [oldest] = await versions();
    const answer = await fetch(`${address}/versions/${oldest?.id}/restore`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ reason: "a race" }),
    });
    expect([201, 409], await answer.clone().text()).toContain(answer.status);
    outcomes[answer.status === 201 ? "restored" : "refused"] += 1;
  };
  const apply = async (n: number) => {
    const { engine, runner } = await run(`race-${n}`);
    await engine.lock();
    const serial = (await engine.read())?.serial ?? 0;
    for (const next of [1, 2]) {
      const status = await engine.write(serial + next, JSON.stringify(state(serial + next, { outputs: {} })));
      expect(status).toBe(200);
    }
    await engine.unlock();
    expect((await runner.done({ status: "success" })).status).toBe(204);
  };
  await apply(0);
  for (let n = 1; n <= 12; n++) {
    let going = true;
    const restoring = (async () => {
      while (going) await restore();
    })();
    await apply(n);
    going = false;
    await restoring;
    await restore();
  }
  const rows = (await versions()).filter(({ number }) => number !== null);
  rows.sort((a, b) => Number(a.number) - Number(b.number));
  expect(rows.map(({ number }) => Number(number))).toEqual(rows.map((_, i) => i + 1));
  for (const [runId, own] of Map.groupBy(
    rows.filter(({ run_id }) => run_id !== null),
    ({ run_id }) => run_id,
  )) {
    const [first, second] = own.map(({ number }) => Number(number));
    expect([own.length, second], `run ${runId}`).toEqual([2, (first as number) + 1]);
  }
  expect(await lock()).toBeNull();
  expect(outcomes.restored).toBeGreaterThan(0);
  expect(outcomes.refused).toBeGreaterThan(0);
});
