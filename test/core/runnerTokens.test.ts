/**
 * Genuine tokens of groups and runners: what for, how long, and with which key (docs/rules/runner-protocol.md).
 */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { generateGroupKeyPair } from "../../src/core/runnerIdentity/keys.ts";
import { freshDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import {
  coordinator,
  groupToken,
  makeGroup,
  type RunnerApi,
  runner,
  sign,
  startRunnerApi,
} from "../support/runnerApi.ts";
import { RUNNER_ROUTES, test } from "../support/runnerTokensTest.ts";

describe("a genuine token for something else is 403", () => {
  test("the ids of another run or runner in the path", async ({ world }) => {
    const elsewhere = { run_id: randomUUID(), runner_id: randomUUID() };
    for (const [method, path] of RUNNER_ROUTES)
      expect((await world.call(method, path, world.runnerToken, elsewhere)).status).toBe(403);
  });

  test("ids in the path that are no ids", async ({ world }) => {
    const odd = { run_id: "%27", runner_id: "null" };
    for (const [method, path] of RUNNER_ROUTES)
      expect((await world.call(method, path, world.runnerToken, odd)).status).toBe(403);
  });

  test("a run of another organization, signed by our own key", async ({ database, api, world }) => {
    await create(api.service, await makeStack(database, world.other.orgId));
    const theirs = await (await coordinator(api, world.other)).claim();
    const token = await sign(world.org, { token_type: "runner", ...theirs });
    for (const [method, path] of RUNNER_ROUTES)
      expect((await world.call(method, path, token, theirs)).status).toBe(403);
  });

  test("the runner of another run or of another group of the organization", async ({ database, api, world }) => {
    const sibling = await makeGroup(database, world.org.orgId, { labels: { pool: "b" } });
    await create(api.service, await makeStack(database, world.org.orgId));
    const second = await (await coordinator(api, world.org)).claim();
    const mixed = { run_id: world.stub.run_id, runner_id: second.runner_id };
    for (const [method, path] of RUNNER_ROUTES) {
      expect(
        (await world.call(method, path, await sign(world.org, { token_type: "runner", ...mixed }), mixed)).status,
      ).toBe(403);
      expect(
        (await world.call(method, path, await sign(sibling, { token_type: "runner", ...world.stub }))).status,
      ).toBe(403);
    }
  });
});

describe("times", () => {
  test("60 s of clock skew are allowed both ways", async ({ world }) => {
    const now = Math.floor(Date.now() / 1000);
    for (const times of [{ iat: now + 55 }, { nbf: now + 55 }, { iat: now - 3600, exp: now - 55 }]) {
      const token = await sign(world.org, { token_type: "runner", ...world.stub, ...times });
      expect((await world.call("GET", "/runs/:run/status", token)).status).toBe(200);
    }
  });

  test("a run that ended still names its end for 15 minutes, then the token is refused", async () => {
    await using clocked = await freshDatabase();
    const server = await startRunnerApi(clocked);
    try {
      const group = await makeOrg(clocked);
      await create(server.service, await makeStack(clocked, group.orgId));
      const ended = await runner(server, group, await (await coordinator(server, group)).claim());
      await ended.accept();
      await ended.done({ status: "failure" });
      await clocked.advanceClock(14 * 60_000);
      const answer = await ended.status();
      expect([answer.status, await answer.json()]).toEqual([200, { status: "failure" }]);
      expect((await ended.live(0, Buffer.from("late"))).status).toBe(204);
      expect((await ended.seal(0, Buffer.from("late"))).status).toBe(204);
      await clocked.advanceClock(61_000);
      expect((await ended.status()).status).toBe(401);
      expect((await ended.seal(1, Buffer.from("later"))).status).toBe(401);
      expect((await ended.deregister()).status).toBe(401);
    } finally {
      await server.close();
    }
  });
});

describe("rotation", () => {
  test("holds at once in every copy, for tokens of the old and of the new key", async ({ database, api }) => {
    const copy = await startRunnerApi(database);
    try {
      const group = await makeOrg(database);
      const path = `/runner-groups/heartbeat`;
      const beat = async (server: RunnerApi, token: string) =>
        (await server.fetch(path, { method: "POST", headers: { authorization: `Bearer ${token}` } })).status;
      const before = await groupToken(group);
      expect([await beat(api, before), await beat(copy, before)]).toEqual([204, 204]);
      const fresh = generateGroupKeyPair();
      await database.sql`update runner_groups set public_key_pem = ${fresh.publicKeyPem},
        public_key_fingerprint = ${fresh.fingerprint} where id = ${group.id}`;
      const after = await groupToken({ ...group, privateKeyPem: fresh.privateKeyPem });
      expect([await beat(api, before), await beat(copy, before)]).toEqual([401, 401]);
      expect([await beat(api, after), await beat(copy, after)]).toEqual([204, 204]);
    } finally {
      await copy.close();
    }
  });

  test("a stored key of another curve verifies nothing", async ({ database, api }) => {
    const group = await makeOrg(database);
    const wrong = generateKeyPairSync("ec", { namedCurve: "P-384" });
    await database.sql`update runner_groups set public_key_pem = ${wrong.publicKey.export({ type: "spki", format: "pem" }) as string}
      where id = ${group.id}`;
    const answer = await api.fetch("/runner-groups/poll", {
      headers: { authorization: `Bearer ${await groupToken(group)}` },
    });
    expect(answer.status).toBe(401);
  });

  test("the token of a deleted group is 401", async ({ database, api }) => {
    const group = await makeOrg(database);
    const token = await groupToken(group);
    const poll = () => api.fetch("/runner-groups/poll", { headers: { authorization: `Bearer ${token}` } });
    expect((await poll()).status).toBe(204);
    await database.sql`delete from runner_groups where id = ${group.id}`;
    expect((await poll()).status).toBe(401);
  });
});
