/** A round: a secret, written by up to three encodings, printed somewhere, cut into chunks, masked by the runner. */
import { formsOf } from "../../runner/output/engineForms.ts";
import type { Read } from "../../runner/output/formIndex.ts";
import { StreamMasker } from "../../runner/output/masking.ts";
import { secretForms } from "../../runner/output/secretForms.ts";
import { collectSensitive } from "../../runner/output/sensitiveValues.ts";
import { variableText } from "../../src/core/outputs/variableText.ts";
import { ENCODINGS, PLACES } from "./layouts.ts";
import { shows, showsBytes } from "./oracle.ts";
import { SHELLS } from "./shells.ts";
import { KINDS, numbersFrom, one } from "./values.ts";

export type Round = {
  seed: number;
  kind: string;
  source: string;
  how: string;
  secret: string;
  printed: Buffer;
  /** What a shell made of the secret by itself; it tells of the secret as much as the secret does. */
  carriedOut: Buffer | null;
};

/** What hides a secret; given so that a test can take away a part of it. */
export type Masking = (secret: string, source: string) => readonly Buffer[];

/** Where a runner has a secret from. An output of another stack comes as a text, or as a part of what is none. */
const SOURCES = ["context", "marked", "output", "part of an output"];

/** As the runner does: secrets of contexts and what a plan or state marks are known by different ways. */
export const runnerMasking: Masking = (secret, source) => {
  if (source === "context") return secretForms([secret]);
  if (source === "output") return secretForms([variableText(JSON.stringify(secret)) ?? ""]);
  if (source === "part of an output") {
    return secretForms([variableText(JSON.stringify({ user: "ada", login: [secret] })) ?? ""]);
  }
  const texts = new Set<string>();
  collectSensitive(secret, true, texts);
  return formsOf(texts);
};

function round(seed: number): Round {
  const random = numbersFrom(seed);
  const kind = one(random, Object.keys(KINDS));
  const secret = KINDS[kind]?.(random) ?? "";
  const names = Array.from({ length: Math.floor(random() * 4) }, () => one(random, Object.keys(ENCODINGS)));
  // Engines have no function for HTML, so it is what a provider makes of a value, by itself. Base64 inside base64 is
  // looked for of the value as it is.
  const chain = names.filter((name, at) => {
    if (name === "html") return names.length === 1;
    if (name === "base64Twice") return at === 0;
    return !name.startsWith("base64") || names.slice(0, at).every((each) => !each.startsWith("base64"));
  });
  const written = chain.reduce((text, name) => ENCODINGS[name]?.(text, random) ?? text, secret);
  const byShell = random() < SHELL_SHARE && SHELLS.size > 0;
  const place = one(random, byShell ? [...SHELLS.keys()] : Object.keys(PLACES));
  const shell = byShell ? SHELLS.get(place) : undefined;
  const body = shell?.print(written) ?? Buffer.from(PLACES[place]?.(written, random) ?? "");
  const isOwn = shell?.carriesOut === true && chain.every((name) => name === "plain") && body.length > LEAST_PRINTED;
  return {
    seed,
    kind,
    source: one(random, SOURCES),
    how: [...chain, place].join(" > "),
    secret,
    printed: Buffer.concat([Buffer.from("before\n"), body, Buffer.from("after\n")]),
    carriedOut: isOwn ? body : null,
  };
}

const SHELL_SHARE = 0.3;
/** What is cut off so early tells nothing. */
const LEAST_PRINTED = 8;

/** What people would read. */
function shown({ seed, secret, source, printed: bytes }: Round, masking: Masking = runnerMasking, read?: Read): Buffer {
  const random = numbersFrom(seed ^ 0x5bd1e995);
  const masker = new StreamMasker(masking(secret, source), read);
  const parts: Buffer[] = [];
  const most = one(random, [1, 7, 64, 1_000, 65_536]);
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.length > 4_000 ? Math.max(most, 500) : most;
    const length = 1 + Math.floor(random() * size);
    parts.push(masker.push(bytes.subarray(at, at + length)));
    at += length;
  }
  return Buffer.concat([...parts, masker.end()]);
}

function tells(bytes: Buffer, { secret, carriedOut }: Round): boolean {
  return shows(bytes.toString("utf8"), secret) || (carriedOut !== null && showsBytes(bytes, carriedOut));
}

/** Rounds whose text still shows the secret, and how many texts showed it before they were masked. */
export function hitsIn(rounds: Iterable<Round>, masking?: Masking, read?: Read): { hits: Round[]; told: number } {
  const hits: Round[] = [];
  let told = 0;
  for (const each of rounds) {
    if (tells(each.printed, each)) told += 1;
    if (isHit(each, masking, read)) hits.push(each);
  }
  return { hits, told };
}

export function isHit(each: Round, masking?: Masking, read?: Read): boolean {
  return tells(shown(each, masking, read), each);
}

export function* roundsFrom(first: number, count: number): Generator<Round, void> {
  for (let seed = first; seed < first + count; seed += 1) yield round(seed);
}

export const randomSeed = () => Math.floor(Math.random() * 1_000_000_000);
