/**
 * Reads what a run's analysis says about dependencies: the declared edges and the identities of resources
 * (docs/rules/graph.md#unknown-is-not-empty). A runner wrote the file, so nothing in it is trusted; a section with
 * anything wrong in it is unknown as a whole, since half of a section that counts as complete would remove the other
 * half.
 */
import { createHash } from "node:crypto";
import { isRecord } from "../../platform/json/isRecord.ts";
import { combineTriggers, TRIGGERS, type Trigger } from "./trigger.ts";

export type DeclaredEdge = {
  fromStack: string;
  fromResource: string | null;
  resource: string | null;
  trigger: Trigger;
  file: string | null;
  line: number | null;
};
/** `hash` is the SHA-256, in hex, of realm and identity. */
export type ResourceIdentity = { address: string; mode: "managed" | "data"; hash: string };

export type Analysis = {
  /** Null: unknown, edges stay as they are. Empty: there are none. */
  declared: DeclaredEdge[] | null;
  /** `complete: false`: some resources are missing from the list, so that nothing can be said to be gone. */
  identities: { complete: boolean; items: ResourceIdentity[] } | null;
  /** Comments that the runner could not understand. They are no reason to doubt the others. */
  commentErrors: CommentErrors;
  /** Why a section that was there is unknown all the same; for people. */
  problems: string[];
};

/** The first ones, and how many there are. */
export type CommentErrors = { shown: string[]; count: number };

/** More declarations than anybody writes; beyond, the section is refused. */
const MAX_DECLARED = 10_000;
const MAX_IDENTITIES = 100_000;
/** The most characters of a field of a declaration. */
const FIELD_CHARACTERS = 512;
/** More than a person mends at a time. */
const SHOWN_COMMENT_ERRORS = 50;
/** Of an address that an edge is inferred for (`maxInferredEdgeAddressLen`): two of them and a key stay below 2,704. */
const MAX_ADDRESS_BYTES = 1_024;

/** @throws SyntaxError for text that is no JSON object */
export function readAnalysis(text: string): Analysis {
  const file: unknown = JSON.parse(text);
  if (!isRecord(file)) throw new SyntaxError("the analysis is no JSON object");
  const problems: string[] = [];
  const section = <T>(name: string, read: (value: Record<string, unknown>) => T): T | null => {
    const value = file[name];
    if (value === null || value === undefined) return null;
    try {
      if (!isRecord(value)) throw new MalformedError("is no object");
      return read(value);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      problems.push(`${name}: ${error.message}`);
      return null;
    }
  };
  const version = file.version;
  if (version !== 1) {
    const problems = ["the version of the analysis is unknown"];
    return { declared: null, identities: null, commentErrors: NO_COMMENT_ERRORS, problems };
  }
  const dependencies = section("dependencies", (value) => ({
    declared: declaredEdges(value),
    commentErrors: commentErrorsIn(value),
  }));
  const identities = section("resources", resourceIdentities);
  return { declared: null, commentErrors: NO_COMMENT_ERRORS, ...dependencies, identities, problems };
}

const NO_COMMENT_ERRORS: CommentErrors = { shown: [], count: 0 };

/** Only for people to read: what is no text is left out, and nothing else becomes unknown for it. */
function commentErrorsIn({ errors }: Record<string, unknown>): CommentErrors {
  if (!Array.isArray(errors)) return NO_COMMENT_ERRORS;
  const texts = errors.filter((error: unknown): error is string => typeof error === "string");
  const shown = texts.slice(0, SHOWN_COMMENT_ERRORS).map((text) => printable(text.slice(0, FIELD_CHARACTERS)));
  return { shown, count: texts.length };
}

/** Characters that a terminal would obey, or that turn the text around, are shown as what they are. */
function printable(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\uFFFD");
}

class MalformedError extends Error {}

/** Repeated declarations of one edge become one, their triggers combined. */
function declaredEdges({ edges }: Record<string, unknown>): DeclaredEdge[] {
  if (!Array.isArray(edges)) throw new MalformedError("edges is no list");
  if (edges.length > MAX_DECLARED) throw new MalformedError(`more than ${MAX_DECLARED} edges`);
  const found = new Map<string, DeclaredEdge>();
  edges.forEach((value: unknown, i) => {
    const edge = declaredEdge(value, `edges[${i}]`);
    const key = JSON.stringify([edge.fromStack, edge.fromResource, edge.resource]);
    const same = found.get(key);
    if (same === undefined) found.set(key, edge);
    else same.trigger = combineTriggers(same.trigger, edge.trigger);
  });
  return [...found.values()];
}

function declaredEdge(value: unknown, where: string): DeclaredEdge {
  if (!isRecord(value)) throw new MalformedError(`${where} is no object`);
  const fromStack = value.from_stack;
  if (typeof fromStack !== "string" || fromStack.length > FIELD_CHARACTERS || !/^[A-Za-z0-9._-]+$/.test(fromStack)) {
    throw new MalformedError(`${where}.from_stack is no stack id`);
  }
  const trigger = TRIGGERS.find((known) => known === (value.trigger ?? "manual"));
  if (trigger === undefined) throw new MalformedError(`${where}.trigger is none`);
  return {
    fromStack,
    fromResource: declaredAddress(value.from_resource, `${where}.from_resource`),
    resource: declaredAddress(value.resource, `${where}.resource`),
    trigger,
    file: typeof value.file === "string" && !hasControls(value.file) ? value.file.slice(0, FIELD_CHARACTERS) : null,
    line: isLine(value.line) ? value.line : null,
  };
}

function isLine(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31;
}

function declaredAddress(value: unknown, where: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== "string" || value.length > FIELD_CHARACTERS || !/^[A-Za-z0-9._\-[\]"]+$/.test(value)) {
    throw new MalformedError(`${where} is no resource address`);
  }
  return value;
}

/** Sorted by address, byte for byte. Resources without an identity, or told to be left out, are no part of it. */
function resourceIdentities({ complete, items }: Record<string, unknown>): NonNullable<Analysis["identities"]> {
  if (!Array.isArray(items)) throw new MalformedError("items is no list");
  const found = new Map<string, ResourceIdentity>();
  items.forEach((value: unknown, i) => {
    const item = resourceIdentity(value, `items[${i}]`);
    if (item !== null) found.set(item.address, item);
  });
  if (found.size > MAX_IDENTITIES) throw new MalformedError(`more than ${MAX_IDENTITIES} resources with an identity`);
  const sorted = [...found.values()].map((item) => ({ item, bytes: Buffer.from(item.address) }));
  sorted.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return { complete: complete === true, items: sorted.map(({ item }) => item) };
}

function resourceIdentity(value: unknown, where: string): ResourceIdentity | null {
  if (!isRecord(value)) throw new MalformedError(`${where} is no object`);
  const { address, mode, realm, identity, ignore } = value;
  if (typeof address !== "string" || address === "") throw new MalformedError(`${where}.address is no address`);
  if (mode !== "managed" && mode !== "data") throw new MalformedError(`${where}.mode is neither managed nor data`);
  if (ignore === true || typeof realm !== "string" || typeof identity !== "string" || identity === "") return null;
  if (Buffer.byteLength(address) > MAX_ADDRESS_BYTES || hasControls(address)) return null;
  // The length first, so that no two pairs of realm and identity give the same bytes.
  const hash = createHash("sha256").update(`${realm.length}:${realm}${identity}`).digest("hex");
  return { address, mode, hash };
}

/** Also the lone halves of surrogate pairs, which have no bytes in UTF-8. */
function hasControls(text: string): boolean {
  return /\p{Cc}/u.test(text) || !text.isWellFormed();
}
