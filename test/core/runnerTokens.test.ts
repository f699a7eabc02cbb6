/**
 * Only a token signed with the group's present key, in time, for this runner and run, opens a runner route
 * (docs/rules/runner-protocol.md#tokens).
 */
import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign as signBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateGroupKeyPair } from "../../src/core/runnerIdentity/keys.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { create, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import {
  type Claimed,
  coordinator,
  groupToken,
  makeGroup,
  type RunnerApi,
  runner,
  sign,
  startRunnerApi,
} from "../support/runnerApi.ts";

let database: TestDatabase;
let api: RunnerApi;
let org: Group;
let other: Group;
let stub: Claimed;
let runnerToken: string;

beforeAll(async () => {
  database = await freshDatabase();
  api = await startRunnerApi(database);
  org = await makeOrg(database);
  other = await makeOrg(database);
  await create(api.service, await makeStack(database, org.orgId));
  stub = await (await coordinator(api, org)).claim();
  await (await runner(api, org, stub)).accept();
  runnerToken = await sign(org, { token_type: "runner", ...stub });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

const RUNNER_ROUTES = [
  ["POST", "/runners/:runner/ready"],
  ["DELETE", "/runners/:runner/deregister"],
  ["POST", "/runs/:run/accept"],
  ["GET", "/runs/:run/status"],
  ["POST", "/runs/:run/logs/live"],
  ["PUT", "/runs/:run/logs/chunks/0"],
  ["POST", "/runs/:run/done"],
  ["POST", "/runs/:run/acknowledging-cancel"],
  ["PUT", "/runs/:run/artifacts/plan"],
  ["GET", "/runs/:run/artifacts/plan"],
] as const;
const GROUP_ROUTES = [
  ["GET", "/runner-groups/poll"],
  ["POST", "/runner-groups/heartbeat"],
  ["POST", "/runner-groups/dispatch-failed"],
] as const;

function call(method: string, path: string, token: string | null, ids: Claimed = stub): Promise<Response> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const url = path.replace(":runner", ids.runner_id).replace(":run", ids.run_id);
  return api.fetch(url, { method, headers });
}

const base64url = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

function claims(): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000);
  return { token_type: "runner", group_id: org.id, ...stub, iat: now, exp: now + 3600 };
}

/** A token of any header and payload, signed however `signer` likes. */
function forge(header: unknown, payload: unknown, signer: (input: Buffer) => Buffer): string {
  const input = `${base64url(header)}.${base64url(payload)}`;
  return `${input}.${signer(Buffer.from(input)).toString("base64url")}`;
}

function ecdsa(key: KeyObject | string, hash = "sha256") {
  return (input: Buffer) => signBytes(hash, input, { key: key as KeyObject, dsaEncoding: "ieee-p1363" });
}

async function publicPem(): Promise<string> {
  const [row] = await database.sql`select public_key_pem from runner_groups where id = ${org.id}`;
  return row?.public_key_pem;
}

const good = () => ({ alg: "ES256", kid: org.id });
const withKid = (kid: unknown) => forge({ alg: "ES256", kid }, claims(), ecdsa(org.privateKeyPem));

/** What an attacker or a broken client may send. */
const FORGED: [string, () => string | Promise<string>][] = [
  ["no algorithm", () => forge({ alg: "none", kid: org.id }, claims(), () => Buffer.alloc(0))],
  ["no algorithm, with bytes", () => forge({ alg: "none", kid: org.id }, claims(), () => Buffer.alloc(64))],
  [
    "HMAC keyed with the public key",
    async () => {
      const pem = await publicPem();
      return forge({ alg: "HS256", kid: org.id }, claims(), (input) =>
        createHmac("sha256", pem).update(input).digest(),
      );
    },
  ],
  ["ES384 in the header", () => forge({ alg: "ES384", kid: org.id }, claims(), ecdsa(org.privateKeyPem))],
  ["a P-384 key", () => forge(good(), claims(), ecdsa(generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey))],
  ["a P-384 digest", () => forge(good(), claims(), ecdsa(org.privateKeyPem, "sha384"))],
  ["a DER signature", () => forge(good(), claims(), (input) => signBytes("sha256", input, org.privateKeyPem))],
  ["a signature one byte short", () => forge(good(), claims(), (i) => ecdsa(org.privateKeyPem)(i).subarray(0, 63))],
  [
    "a signature one byte long",
    () => forge(good(), claims(), (i) => Buffer.concat([ecdsa(org.privateKeyPem)(i), Buffer.alloc(1)])),
  ],
  ["a signature of zeros", () => forge(good(), claims(), () => Buffer.alloc(64))],
  ["no signature", () => forge(good(), claims(), () => Buffer.alloc(0))],
  ["the key of another group", () => forge(good(), claims(), ecdsa(other.privateKeyPem))],
  [
    "another group's kid with our key",
    () => forge({ alg: "ES256", kid: other.id }, claims(), ecdsa(org.privateKeyPem)),
  ],
  ["a kid that is no group", () => withKid(randomUUID())],
  ["a kid with a quote", () => withKid(`${org.id}'`)],
  ["a kid with a slash", () => withKid(`../${org.id}`)],
  ["a kid in capitals", () => withKid(org.id.toUpperCase())],
  ["a kid that is a number", () => withKid(1)],
  ["a kid that is a list", () => withKid([org.id])],
  ["no kid", () => withKid(undefined)],
  ["a kid of 1 MiB", () => withKid("a".repeat(1_048_576))],
  ["an unknown critical header", () => forge({ ...good(), crit: ["x"], x: 1 }, claims(), ecdsa(org.privateKeyPem))],
  ["a group claim unlike the kid", () => forge(good(), { ...claims(), group_id: other.id }, ecdsa(org.privateKeyPem))],
  ["no runner id", () => forge(good(), { ...claims(), runner_id: undefined }, ecdsa(org.privateKeyPem))],
  ["a run id that is no id", () => forge(good(), { ...claims(), run_id: "x' or '1'='1" }, ecdsa(org.privateKeyPem))],
  ["an unknown kind", () => forge(good(), { ...claims(), token_type: "admin" }, ecdsa(org.privateKeyPem))],
  ["no expiry", () => forge(good(), { ...claims(), exp: undefined }, ecdsa(org.privateKeyPem))],
  ["an expiry as text", () => forge(good(), { ...claims(), exp: "9999999999" }, ecdsa(org.privateKeyPem))],
  ["an expiry beyond time", () => forge(good(), { ...claims(), exp: 1e300 }, ecdsa(org.privateKeyPem))],
  ["expired", () => forge(good(), { ...claims(), exp: Date.now() / 1000 - 61 }, ecdsa(org.privateKeyPem))],
  ["issued in the future", () => forge(good(), { ...claims(), iat: Date.now() / 1000 + 65 }, ecdsa(org.privateKeyPem))],
  ["a payload that is no object", () => forge(good(), "[]", ecdsa(org.privateKeyPem))],
  ["a payload that is no JSON", () => forge(good(), "{", ecdsa(org.privateKeyPem))],
  ["a header that is no JSON", () => forge("{", claims(), ecdsa(org.privateKeyPem))],
  ["two parts", () => "a.b"],
  ["five parts", () => "a.b.c.d.e"],
  ["a service account token", () => `svc_sa_${"a".repeat(30)}`],
  ["a group token", () => groupToken(org)],
];

describe("forged tokens", () => {
  test.each(FORGED)("%s is 401 on every runner route", async (_name, make) => {
    const token = await make();
    for (const [method, path] of RUNNER_ROUTES) expect((await call(method, path, token)).status).toBe(401);
  });

  test("none at all is 401", async () => {
    for (const [method, path] of [...RUNNER_ROUTES, ...GROUP_ROUTES]) {
      const answer = await call(method, path, null);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("a runner's token is 401 on the group's routes", async () => {
    for (const [method, path] of GROUP_ROUTES) expect((await call(method, path, runnerToken)).status).toBe(401);
  });

  test("a malformed kid costs no query", async () => {
    for (const kid of [`${org.id}'`, `../${org.id}`, 1, undefined, org.id.toUpperCase()]) {
      const { statements } = await countStatements(() => call("GET", "/runs/:run/status", withKid(kid)));
      expect(statements).toEqual([]);
    }
  });

  test("nothing any of them did had an effect", async () => {
    expect((await call("GET", "/runs/:run/status", runnerToken)).status).toBe(200);
    const [runs] = await database.sql`select status from runs where id = ${stub.run_id}`;
    expect(runs?.status).toBe("running");
    expect(await database.sql`select 1 from log_chunks union all select 1 from artifacts`).toHaveLength(0);
  });

  test("no mutation of a genuine token is accepted, and none is an error of ours", { timeout: 300_000 }, async () => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ";
    const seen: Record<number, number> = {};
    const refused = async (method: string, path: string, token: string) => {
      const { status } = await call(method, path, token);
      seen[status] = (seen[status] ?? 0) + 1;
      return status === 401;
    };
    for (const [genuine, method, path] of [
      [runnerToken, "GET", "/runs/:run/status"],
      [await groupToken(org), "GET", "/runner-groups/poll?wait_seconds=0"],
    ] as const) {
      const mutation = fc.record({
        at: fc.nat(genuine.length),
        length: fc.nat(3),
        put: fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 3 }),
      });
      await fc.assert(
        fc.asyncProperty(mutation, async ({ at, length, put }) => {
          const mutated = genuine.slice(0, at) + put + genuine.slice(at + length);
          fc.pre(mutated.trim() !== genuine);
          expect(await refused(method, path, mutated)).toBe(true);
        }),
        { numRuns: 10_000 },
      );
      // The last character holds four bits that decode to nothing: another spelling of the same signature is another token.
      for (const last of alphabet.trim()) {
        if (last !== genuine.at(-1))
          expect([last, await refused(method, path, genuine.slice(0, -1) + last)]).toEqual([last, true]);
      }
    }
    expect(Object.keys(seen)).toEqual(["401"]);
  });
});

describe("a genuine token for something else is 403", () => {
  test("the ids of another run or runner in the path", async () => {
    const elsewhere = { run_id: randomUUID(), runner_id: randomUUID() };
    for (const [method, path] of RUNNER_ROUTES)
      expect((await call(method, path, runnerToken, elsewhere)).status).toBe(403);
  });

  test("ids in the path that are no ids", async () => {
    const odd = { run_id: "%27", runner_id: "null" };
    for (const [method, path] of RUNNER_ROUTES) expect((await call(method, path, runnerToken, odd)).status).toBe(403);
  });

  test("a run of another organization, signed by our own key", async () => {
    await create(api.service, await makeStack(database, other.orgId));
    const theirs = await (await coordinator(api, other)).claim();
    const token = await sign(org, { token_type: "runner", ...theirs });
    for (const [method, path] of RUNNER_ROUTES) expect((await call(method, path, token, theirs)).status).toBe(403);
  });

  test("the runner of another run or of another group of the organization", async () => {
    const sibling = await makeGroup(database, org.orgId, { labels: { pool: "b" } });
    await create(api.service, await makeStack(database, org.orgId));
    const second = await (await coordinator(api, org)).claim();
    const mixed = { run_id: stub.run_id, runner_id: second.runner_id };
    for (const [method, path] of RUNNER_ROUTES) {
      expect((await call(method, path, await sign(org, { token_type: "runner", ...mixed }), mixed)).status).toBe(403);
      expect((await call(method, path, await sign(sibling, { token_type: "runner", ...stub }))).status).toBe(403);
    }
  });
});

describe("times", () => {
  test("60 s of clock skew are allowed both ways", async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const times of [{ iat: now + 55 }, { iat: now - 3600, exp: now - 55 }]) {
      const token = await sign(org, { token_type: "runner", ...stub, ...times });
      expect((await call("GET", "/runs/:run/status", token)).status).toBe(200);
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
  test("holds at once in every copy, for tokens of the old and of the new key", async () => {
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

  test("a stored key of another curve verifies nothing", async () => {
    const group = await makeOrg(database);
    const wrong = generateKeyPairSync("ec", { namedCurve: "P-384" });
    await database.sql`update runner_groups set public_key_pem = ${wrong.publicKey.export({ type: "spki", format: "pem" }) as string}
      where id = ${group.id}`;
    const answer = await api.fetch("/runner-groups/poll", {
      headers: { authorization: `Bearer ${await groupToken(group)}` },
    });
    expect(answer.status).toBe(401);
  });

  test("the token of a deleted group is 401", async () => {
    const group = await makeOrg(database);
    const token = await groupToken(group);
    const poll = () => api.fetch("/runner-groups/poll", { headers: { authorization: `Bearer ${token}` } });
    expect((await poll()).status).toBe(204);
    await database.sql`delete from runner_groups where id = ${group.id}`;
    expect((await poll()).status).toBe(401);
  });
});
