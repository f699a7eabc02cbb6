/**
 * The check of a runner's token as the routes do it (key from the cache, header, signature, claims) against the bare
 * ES256 signature check of the same bytes with a cached key, one after the other. The product's check hands the
 * signature to a second thread, so both are held to the bar: the rate by the clock, which includes the handing over,
 * and the rate by processor time of all threads, which a busy machine cannot flatter.
 */
import { createPublicKey, verify } from "node:crypto";
import { importPKCS8, importSPKI, SignJWT } from "jose";
import { verifyToken } from "../src/core/runnerIdentity/jwt.ts";
import { type GroupKey, generateGroupKeyPair } from "../src/core/runnerIdentity/keys.ts";
import { atLeast, type Bench, type BenchContext, type BenchResult } from "./harness/bench.ts";
import { interleave } from "./harness/rounds.ts";
import { median } from "./harness/statistics.ts";

const ROUNDS = 15;
const CHECKS = 2_000;
const TOKENS = 50;
const BY_CLOCK = 0;
const BY_PROCESSOR = 1;
type Clock = typeof BY_CLOCK | typeof BY_PROCESSOR;

export const bench: Bench = {
  what: "checks of a runner's token per second, against bare signature checks with a cached key",
  run,
};

async function run({ say }: BenchContext): Promise<BenchResult> {
  const pair = generateGroupKeyPair();
  const groupId = "01890000-0000-7000-8000-000000000000";
  const cached: GroupKey = { key: await importSPKI(pair.publicKeyPem, "ES256"), fingerprint: pair.fingerprint };
  const tokens = await makeTokens(pair.privateKeyPem, groupId);
  const product = () =>
    perSecond(async () => {
      for (let i = 0; i < CHECKS; i++) {
        const claims = await verifyToken(tokens[i % TOKENS] as string, async () => cached);
        if (claims === null) throw new Error("a good token was refused");
      }
    });
  const publicKey = createPublicKey(pair.publicKeyPem);
  const signed = tokens.map((token) => {
    const dot = token.lastIndexOf(".");
    return { data: Buffer.from(token.slice(0, dot)), signature: Buffer.from(token.slice(dot + 1), "base64url") };
  });
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" as const };
  const bare = () =>
    perSecond(async () => {
      for (let i = 0; i < CHECKS; i++) {
        const { data, signature } = signed[i % TOKENS] as (typeof signed)[number];
        if (!verify("sha256", data, key, signature)) throw new Error("a good signature was refused");
      }
    });
  const taken = await interleave({ product, bare }, { rounds: ROUNDS, warmUp: 2 });
  const rate = (of: keyof typeof taken, by: Clock) => Math.round(median(taken[of].map((round) => round[by] as number)));
  const share = (by: Clock) =>
    median(taken.product.map((round, i) => (round[by] as number) / (taken.bare[i]?.[by] as number)));
  const figures = {
    product_per_second: { by_clock: rate("product", BY_CLOCK), by_processor: rate("product", BY_PROCESSOR) },
    bare_per_second: { by_clock: rate("bare", BY_CLOCK), by_processor: rate("bare", BY_PROCESSOR) },
  };
  say(`${figures.product_per_second.by_clock} tokens a second, ${figures.bare_per_second.by_clock} bare signatures`);
  return {
    figures,
    bars: {
      share_of_bare_by_clock: atLeast(share(BY_CLOCK), 0.45),
      share_of_bare_by_processor: atLeast(share(BY_PROCESSOR), 0.45),
    },
  };
}

async function makeTokens(privateKeyPem: string, groupId: string): Promise<string[]> {
  const key = await importPKCS8(privateKeyPem, "ES256");
  const now = Math.floor(Date.now() / 1000);
  const one = (i: number) =>
    new SignJWT({ token_type: "runner", group_id: groupId, runner_id: idOf(i), run_id: idOf(i + TOKENS) })
      .setProtectedHeader({ alg: "ES256", kid: groupId })
      .setIssuedAt(now)
      .setExpirationTime(now + 3_600)
      .sign(key);
  return Promise.all(Array.from({ length: TOKENS }, (_, i) => one(i)));
}

function idOf(i: number): string {
  return `01890000-0000-7000-8000-${i.toString(16).padStart(12, "0")}`;
}

/** Checks per second by the clock and by processor time. */
async function perSecond(work: () => Promise<void>): Promise<number[]> {
  const before = process.cpuUsage();
  const started = performance.now();
  await work();
  const seconds = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return [CHECKS / seconds, CHECKS / ((user + system) / 1_000_000)];
}
