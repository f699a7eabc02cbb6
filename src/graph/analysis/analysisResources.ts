/**
 * Reads the resources of a run's analysis for the resource index. A runner wrote the file, so nothing in it is trusted:
 * a section with a malformed item is unknown as a whole, and a resource with a text too long is left out, which makes
 * the list incomplete.
 */
import { createHash } from "node:crypto";
import { isRecord } from "../../platform/json/isRecord.ts";

export type IndexedResource = {
  address: string;
  mode: "managed" | "data";
  type: string;
  provider: string;
  realm: string | null;
  identity: string | null;
  /** SHA-256 of realm and identity, in hex; null without an identity. */
  hash: string | null;
};

export type AnalysisResources = { complete: boolean; items: IndexedResource[] };

/** More than any state holds that an engine can still work on. */
const MAX_RESOURCES = 200_000;
const ADDRESS_BYTES = 1_024;
const NAME_BYTES = 255;
const IDENTITY_BYTES = 1_024;

/** Sorted by address, byte for byte. Null: unknown. @throws SyntaxError for text that is no JSON object */
export function readResources(text: string): AnalysisResources | null {
  const file: unknown = JSON.parse(text);
  if (!isRecord(file)) throw new SyntaxError("the analysis is no JSON object");
  const section = file.resources;
  if (file.version !== 1 || !isRecord(section) || !Array.isArray(section.items)) return null;
  const found = new Map<string, IndexedResource>();
  let complete = section.complete === true;
  for (const value of section.items as unknown[]) {
    const item = resource(value);
    if (item === "malformed") return null;
    if (item === "too long" || found.size === MAX_RESOURCES) complete = false;
    else found.set(item.address, item);
  }
  const sorted = [...found.values()].map((item) => ({ item, bytes: Buffer.from(item.address) }));
  sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return { complete, items: sorted.map(({ item }) => item) };
}

function resource(value: unknown): IndexedResource | "malformed" | "too long" {
  if (!isRecord(value)) return "malformed";
  const { address, mode, type, provider } = value;
  if (typeof address !== "string" || address === "" || (mode !== "managed" && mode !== "data")) return "malformed";
  if (typeof type !== "string" || typeof provider !== "string") return "malformed";
  if (!fits(address, ADDRESS_BYTES) || !fits(type, NAME_BYTES) || !fits(provider, NAME_BYTES)) return "too long";
  return { address, mode, type, provider, ...identityOf(value) };
}

/** Of a resource that has one and was not told to be left out. */
function identityOf({
  ignore,
  realm,
  identity,
}: Record<string, unknown>): Pick<IndexedResource, "realm" | "identity" | "hash"> {
  const none = { realm: null, identity: null, hash: null };
  if (ignore === true || typeof realm !== "string" || typeof identity !== "string" || identity === "") return none;
  if (!fits(realm, IDENTITY_BYTES) || !fits(identity, IDENTITY_BYTES)) return none;
  // The length first, so that no two pairs of realm and identity give the same bytes.
  return { realm, identity, hash: createHash("sha256").update(`${realm.length}:${realm}${identity}`).digest("hex") };
}

/**
 * Short enough for its index entry, and text that Postgres takes: without controls and lone halves of surrogate pairs.
 */
function fits(text: string, bytes: number): boolean {
  return Buffer.byteLength(text) <= bytes && !/\p{Cc}/u.test(text) && text.isWellFormed();
}
