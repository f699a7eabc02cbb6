/** Forged tokens of runners: each is refused on every route (docs/rules/runner-protocol.md). */
import { createHmac, generateKeyPairSync, randomUUID, sign as signBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { countStatements } from "../../src/platform/db/statements.ts";
import type { Group } from "../support/fixtures.ts";
import { groupToken } from "../support/runnerApi.ts";
import { ecdsa, forge, RUNNER_ROUTES, test } from "../support/runnerTokensTest.ts";

const GROUP_ROUTES = [
  ["GET", "/runner-groups/poll"],
  ["POST", "/runner-groups/heartbeat"],
  ["POST", "/runner-groups/dispatch-failed"],
] as const;

/** Who sign, and what a genuine token of theirs says. */
type Signers = {
  org: Group;
  other: Group;
  claims(): Record<string, unknown>;
  good(): { alg: string; kid: string };
  withKid(kid: unknown): string;
  publicPem(): Promise<string>;
};

/** What an attacker or a broken client may send. */
const FORGED: [string, (signers: Signers) => string | Promise<string>][] = [
  ["no algorithm", (of) => forge({ alg: "none", kid: of.org.id }, of.claims(), () => Buffer.alloc(0))],
  ["no algorithm, with bytes", (of) => forge({ alg: "none", kid: of.org.id }, of.claims(), () => Buffer.alloc(64))],
  [
    "HMAC keyed with the public key",
    async (of) => {
      const pem = await of.publicPem();
      return forge({ alg: "HS256", kid: of.org.id }, of.claims(), (input) =>
        createHmac("sha256", pem).update(input).digest(),
      );
    },
  ],
  ["ES384 in the header", (of) => forge({ alg: "ES384", kid: of.org.id }, of.claims(), ecdsa(of.org.privateKeyPem))],
  [
    "a P-384 key",
    (of) => forge(of.good(), of.claims(), ecdsa(generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey)),
  ],
  ["a P-384 digest", (of) => forge(of.good(), of.claims(), ecdsa(of.org.privateKeyPem, "sha384"))],
  [
    "a DER signature",
    (of) => forge(of.good(), of.claims(), (input) => signBytes("sha256", input, of.org.privateKeyPem)),
  ],
  [
    "a signature one byte short",
    (of) => forge(of.good(), of.claims(), (i) => ecdsa(of.org.privateKeyPem)(i).subarray(0, 63)),
  ],
  [
    "a signature one byte long",
    (of) => forge(of.good(), of.claims(), (i) => Buffer.concat([ecdsa(of.org.privateKeyPem)(i), Buffer.alloc(1)])),
  ],
  ["a signature of zeros", (of) => forge(of.good(), of.claims(), () => Buffer.alloc(64))],
  ["no signature", (of) => forge(of.good(), of.claims(), () => Buffer.alloc(0))],
  ["the key of another group", (of) => forge(of.good(), of.claims(), ecdsa(of.other.privateKeyPem))],
  [
    "another group's kid with our key",
    (of) => forge({ alg: "ES256", kid: of.other.id }, of.claims(), ecdsa(of.org.privateKeyPem)),
  ],
  ["a kid that is no group", (of) => of.withKid(randomUUID())],
  ["a kid with a quote", (of) => of.withKid(`${of.org.id}'`)],
  ["a kid with a slash", (of) => of.withKid(`../${of.org.id}`)],
  ["a kid in capitals", (of) => of.withKid(of.org.id.toUpperCase())],
  ["a kid that is a number", (of) => of.withKid(1)],
  ["a kid that is a list", (of) => of.withKid([of.org.id])],
  ["no kid", (of) => of.withKid(undefined)],
  ["a kid of 1 MiB", (of) => of.withKid("a".repeat(1_048_576))],
  [
    "an unknown critical header",
    (of) => forge({ ...of.good(), crit: ["x"], x: 1 }, of.claims(), ecdsa(of.org.privateKeyPem)),
  ],
  [
    "a group claim unlike the kid",
    (of) => forge(of.good(), { ...of.claims(), group_id: of.other.id }, ecdsa(of.org.privateKeyPem)),
  ],
  ["no runner id", (of) => forge(of.good(), { ...of.claims(), runner_id: undefined }, ecdsa(of.org.privateKeyPem))],
  [
    "a run id that is no id",
    (of) => forge(of.good(), { ...of.claims(), run_id: "x' or '1'='1" }, ecdsa(of.org.privateKeyPem)),
  ],
  ["an unknown kind", (of) => forge(of.good(), { ...of.claims(), token_type: "admin" }, ecdsa(of.org.privateKeyPem))],
  ["no expiry", (of) => forge(of.good(), { ...of.claims(), exp: undefined }, ecdsa(of.org.privateKeyPem))],
  ["an expiry as text", (of) => forge(of.good(), { ...of.claims(), exp: "9999999999" }, ecdsa(of.org.privateKeyPem))],
  ["an expiry beyond time", (of) => forge(of.good(), { ...of.claims(), exp: 1e300 }, ecdsa(of.org.privateKeyPem))],
  ["expired", (of) => forge(of.good(), { ...of.claims(), exp: Date.now() / 1000 - 61 }, ecdsa(of.org.privateKeyPem))],
  [
    "not yet valid",
    (of) => forge(of.good(), { ...of.claims(), nbf: Date.now() / 1000 + 65 }, ecdsa(of.org.privateKeyPem)),
  ],
  [
    "valid from a time that is none",
    (of) => forge(of.good(), { ...of.claims(), nbf: "soon" }, ecdsa(of.org.privateKeyPem)),
  ],
  [
    "issued in the future",
    (of) => forge(of.good(), { ...of.claims(), iat: Date.now() / 1000 + 65 }, ecdsa(of.org.privateKeyPem)),
  ],
  ["a payload that is no object", (of) => forge(of.good(), "[]", ecdsa(of.org.privateKeyPem))],
  ["a payload that is no JSON", (of) => forge(of.good(), "{", ecdsa(of.org.privateKeyPem))],
  ["a header that is no JSON", (of) => forge("{", of.claims(), ecdsa(of.org.privateKeyPem))],
  ["two parts", () => "a.b"],
  ["five parts", () => "a.b.c.d.e"],
  ["a service account token", () => `svc_sa_${"a".repeat(30)}`],
  ["a group token", (of) => groupToken(of.org)],
];

describe("forged tokens", () => {
  test.for(FORGED)("%s is 401 on every runner route", async ([_name, make], { world }) => {
    const token = await make(world);
    for (const [method, path] of RUNNER_ROUTES) expect((await world.call(method, path, token)).status).toBe(401);
  });

  test("none at all is 401", async ({ world }) => {
    for (const [method, path] of [...RUNNER_ROUTES, ...GROUP_ROUTES]) {
      const answer = await world.call(method, path, null);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("a runner's token is 401 on the group's routes", async ({ world }) => {
    for (const [method, path] of GROUP_ROUTES)
      expect((await world.call(method, path, world.runnerToken)).status).toBe(401);
  });

  test("a malformed kid costs no query", async ({ world }) => {
    for (const kid of [`${world.org.id}'`, `../${world.org.id}`, 1, undefined, world.org.id.toUpperCase()]) {
      const { statements } = await countStatements(() => world.call("GET", "/runs/:run/status", world.withKid(kid)));
      expect(statements).toEqual([]);
    }
  });

  test("nothing any of them did had an effect", async ({ database, world }) => {
    expect((await world.call("GET", "/runs/:run/status", world.runnerToken)).status).toBe(200);
    const [runs] = await database.sql`select status from runs where id = ${world.stub.run_id}`;
    expect(runs?.status).toBe("running");
    expect(await database.sql`select 1 from log_chunks union all select 1 from artifacts`).toHaveLength(0);
  });

  test("no mutation of a genuine token is accepted, and none is an error of ours", { timeout: 300_000 }, async ({
    world,
  }) => {
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ";
    const seen: Record<number, number> = {};
    const refused = async (method: string, path: string, token: string) => {
      const { status } = await world.call(method, path, token);
      seen[status] = (seen[status] ?? 0) + 1;
      return status === 401;
    };
    for (const [genuine, method, path] of [
      [world.runnerToken, "GET", "/runs/:run/status"],
      [await groupToken(world.org), "GET", "/runner-groups/poll?wait_seconds=0"],
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
      // The last character holds four bits that decode to nothing: another spelling of the same signature is another
      // token.
      for (const last of alphabet.trim()) {
        if (last !== genuine.at(-1))
          expect([last, await refused(method, path, genuine.slice(0, -1) + last)]).toEqual([last, true]);
      }
    }
    expect(Object.keys(seen)).toEqual(["401"]);
  });
});
