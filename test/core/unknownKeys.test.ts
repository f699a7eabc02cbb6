/**
 * Runners' tokens that come to nothing are looked up so often and no more
 * (docs/rules/limits.md#credentials-that-come-to-nothing).
 */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { generateGroupKeyPair } from "../../src/core/runnerIdentity/keys.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { makeOrg } from "../support/fixtures.ts";
import { groupToken } from "../support/runnerApi.ts";
import { runnerTest } from "../support/test.ts";

const LIMIT = 20;
const FLOOD = 300;
const ATTACKER = "198.51.100.7";

const test = runnerTest({
  env: { SVC_BAD_CREDENTIALS_PER_MINUTE: String(LIMIT), SVC_TRUSTED_PROXIES: "1" },
}).extend("world", { scope: "file" }, async ({ database, api }) => {
  const { privateKeyPem } = generateGroupKeyPair();
  const poll = async (token: string, address: string) =>
    (
      await api.fetch("/runner-groups/heartbeat", {
        method: "POST",
        headers: {
          authorization: `Bearer ${token}`,
          "x-forwarded-for": address,
          "content-type": "application/json",
        },
        body: "{}",
      })
    ).status;
  const forged = (id: string) => groupToken({ id, orgId: "", privateKeyPem });
  const flood = async (ids: string[], address: string) => {
    const answers: number[] = [];
    const { statements } = await countStatements(async () => {
      for (const id of ids) answers.push(await poll(await forged(id), address));
    });
    return { reads: statements.length, answers: [...new Set(answers)].sort() };
  };
  return { poll, flood, org: await makeOrg(database), other: await makeOrg(database) };
});

test.afterEach(({ api }) => expect(api.unexpected).toEqual([]));

test("of groups that there are not: each is read once, and of one address so many a minute", async ({ world }) => {
  const one = randomUUID();
  expect(await world.flood(Array(FLOOD).fill(one), "198.51.100.1")).toEqual({ reads: 1, answers: [401] });
  const many = await world.flood(Array.from({ length: FLOOD }, randomUUID), ATTACKER);
  expect(many).toEqual({ reads: LIMIT, answers: [401, 429] });
});

test("a group that is known is served behind the same address, and another's groups from any other", async ({
  world,
}) => {
  const { poll, flood, org, other } = world;
  expect(await poll(await groupToken(org), "192.0.2.1")).toBe(204);
  await flood(Array.from({ length: FLOOD }, randomUUID), ATTACKER);
  expect(await poll(await groupToken(org), ATTACKER)).toBe(204);
  expect(await poll(await groupToken(other), "192.0.2.1")).toBe(204);
});

test("with wrong signatures for a group: so many reads a minute, and its own coordinators go on, also with a new key", async ({
  api,
  database,
  world,
}) => {
  const { poll, flood, org } = world;
  await poll(await groupToken(org), "192.0.2.1");
  const { reads, answers } = await flood(Array(FLOOD).fill(org.id), ATTACKER);
  expect([reads, answers]).toEqual([LIMIT, [401, 429]]);
  expect(await poll(await groupToken(org), ATTACKER)).toBe(204);
  const { publicKeyPem, privateKeyPem, fingerprint } = generateGroupKeyPair();
  await database.sql`
    update runner_groups set public_key_pem = ${publicKeyPem}, public_key_fingerprint = ${fingerprint} where id = ${org.id}`;
  expect(await poll(await groupToken({ ...org, privateKeyPem }), "192.0.2.1")).toBe(204);
  expect(api.unexpected).toEqual([]);
});
