import { expect, test } from "vitest";
import { encodingsOfBytes } from "../../runner/output/engineForms.ts";
import { readings } from "../../runner/output/readings.ts";
import { carriedOut } from "../../runner/output/shellForms.ts";
import { hitsIn, isHit, type Masking, type Round, randomSeed, roundsFrom, runnerMasking } from "./rounds.ts";

const ROUNDS = 150;

test("nobody reads a secret in what engines and shells print, in whatever way", { timeout: 120_000 }, () => {
  const seed = randomSeed();
  const { hits, told } = hitsIn(roundsFrom(seed, ROUNDS));
  expect(hits.map(({ seed: round, kind, source, how }) => `${round}: ${kind}, ${source}, ${how}`)).toEqual([]);
  expect(told, `of ${ROUNDS} from seed ${seed}`).toBeGreaterThan(ROUNDS * 0.95);
});

test("the oracle finds what a masker without a part of its forms leaves", { timeout: 120_000 }, () => {
  const onlyItself: Masking = (secret) => [Buffer.from(secret)];
  const shortened: Masking = (secret, source) => runnerMasking(secret, source).map((form) => form.subarray(0, -3));
  const rounds = [...roundsFrom(1, ROUNDS)];
  expect(hitsIn(rounds, () => []).hits.length).toBeGreaterThan(ROUNDS * 0.95);
  expect(hitsIn(rounds, onlyItself).hits.length).toBeGreaterThan(10);
  expect(hitsIn(rounds, shortened).hits.length).toBeLessThan(ROUNDS);
});

/** The ways to read a text, each by what it reads, and the forms that are no reading of the value. */
const READINGS: Record<string, (consumed: string, means: string) => boolean> = {
  "a run of backslashes as one": (consumed, means) => means === "\\" && consumed.length > 1,
  "an escaped sign": (consumed) => /^\\+[^0-9uUx]$/.test(consumed),
  "a sign by its code in octal": (consumed) => /^\\+[0-7]{2,3}$/.test(consumed),
  "a sign by its code in hex": (consumed) => /^\\+[uUx]/.test(consumed),
  "an entity": (consumed) => /^&.*;$/.test(consumed),
  "an octet by a percent sign": (consumed) => /^%[0-9a-f]{2}/i.test(consumed),
  "a plus as a blank": (consumed, means) => consumed === "+" && means === " ",
  "apostrophes of a plain shell": (consumed) => /^'"'+"'$/.test(consumed),
  "quotes between the parts of a name": (consumed, means) => means === "" && /^'\$?'$/.test(consumed),
  "a margin": (consumed, means) => /^\n./.test(consumed) && means === " ",
  "a line broken inside a word": (consumed, means) => /^\n/.test(consumed) && means === "",
};
const MOST = 6_000;
/** What is large takes long, and shows nothing that the small does not. */
const SMALL = 500;

const withoutReading = (isIt: (consumed: string, means: string) => boolean): typeof readings => {
  return (text, at) => {
    const { all, open } = readings(text, at);
    return { open, all: all.filter(({ means, next }) => !isIt(text.slice(at, next), means)) };
  };
};
const withoutShells: Masking = (secret, source) => {
  const results = carriedOut(secret).flatMap((bytes) => encodingsOfBytes(bytes, 1));
  return runnerMasking(secret, source).filter((form) => !results.some((result) => result.equals(form)));
};

test("without any one of its ways to read, or the forms that shells make, secrets are shown", {
  timeout: 120_000,
}, () => {
  const ways = new Map<string, (each: Round) => boolean>([
    ["what a shell carries out", (each) => isHit(each, withoutShells)],
    ...Object.entries(READINGS).map(([name, isIt]): [string, (each: Round) => boolean] => [
      name,
      (each) => isHit(each, undefined, withoutReading(isIt)),
    ]),
  ]);
  for (const each of roundsFrom(1, MOST)) {
    if (ways.size === 0) break;
    if (each.printed.length > SMALL) continue;
    for (const [name, isShown] of ways) if (isShown(each)) ways.delete(name);
  }
  expect([...ways.keys()], "makes no difference").toEqual([]);
});
