import { expect, test } from "vitest";
import { hitsIn, type Masking, randomSeed, runnerMasking, seedsFrom } from "./rounds.ts";

const ROUNDS = 300;

test("nobody reads a secret in what engines print, in whatever way they write it", () => {
  const seed = randomSeed();
  const { hits, told } = hitsIn(seedsFrom(seed, ROUNDS));
  expect(hits.map(({ seed: round, kind, source, how }) => `${round}: ${kind}, ${source}, ${how}`)).toEqual([]);
  expect(told, `of ${ROUNDS} from seed ${seed}`).toBeGreaterThan(ROUNDS * 0.95);
});

test("the oracle finds what a masker without a part of its forms leaves", () => {
  const onlyItself: Masking = (secret) => [Buffer.from(secret)];
  const shortened: Masking = (secret, source) => runnerMasking(secret, source).map((form) => form.subarray(0, -3));
  expect(hitsIn(seedsFrom(1, ROUNDS), () => []).hits.length).toBeGreaterThan(ROUNDS * 0.95);
  expect(hitsIn(seedsFrom(1, ROUNDS), onlyItself).hits.length).toBeGreaterThan(20);
  expect(hitsIn(seedsFrom(1, ROUNDS), shortened).hits.length).toBeLessThan(ROUNDS);
});
