/**
 * What the threads of the dependency graph can do. Inputs and results are copied between threads: buffers, not objects.
 */
import { gunzipSync } from "node:zlib";
import { compareStates } from "../../core/state/compareStates.ts";
import { type CommentErrors, readAnalysis } from "./analysisFile.ts";
import { readResources } from "./analysisResources.ts";
import type { Changes } from "./changedParts.ts";
import { parseChanges } from "./changesSection.ts";
import { type Components, components } from "./components.ts";
import { shortestCycle } from "./cycle.ts";
import { stateResources } from "./stateResources.ts";

export type Jobs = typeof JOBS;
export type JobName = keyof Jobs;
export type Job = { name: JobName; input: unknown };
export type Answer = { result: unknown } | { error: string };

/** A file that takes long to read must not keep the cycles waiting. */
export const THREAD_OF = {
  components: "graph",
  shortestCycle: "graph",
  analysis: "analysis",
  resources: "analysis",
  changes: "analysis",
  compareStates: "states",
  stateResources: "analysis",
} as const satisfies Record<JobName, string>;

/** Inflated; a runner's file beyond that is refused. */
export const MAX_ANALYSIS_BYTES = 64 * 1_024 * 1_024;
/** Rows to a statement. */
const CHUNK = 1_000;

/** Rows as JSON, ready to be a statement's parameter, so that no other thread builds them again. */
export type IdentityChunk = { rows: string; upTo: string | null };
export type AnalysisRows = {
  /** A JSON list of `[from_stack, from_resource, resource, trigger, file, line]`. */
  declared: string | null;
  /**
   * JSON lists of `[address, mode, hash]` in the order of addresses; each covers what is up to `upTo`, the last one the
   * rest.
   */
  identities: { complete: boolean; chunks: IdentityChunk[] } | null;
  commentErrors: CommentErrors;
  problems: string[];
};

/**
 * A JSON list of `[address, mode, type, provider, realm, identity, hash]`, in the order of addresses, like
 * `IdentityChunk`.
 */
export type ResourceRows = { complete: boolean; chunks: IdentityChunk[] };

export const JOBS = {
  components: ({ nodeCount, pairs }: { nodeCount: number; pairs: Int32Array }): Components =>
    components(nodeCount, pairs),

  shortestCycle: ({ nodeCount, pairs, start }: { nodeCount: number; pairs: Int32Array; start: number }) =>
    shortestCycle(nodeCount, pairs, start),

  /** @throws when the bytes are no JSON object, or more than `MAX_ANALYSIS_BYTES` */
  analysis: (bytes: Uint8Array): AnalysisRows => {
    const { declared, identities, commentErrors, problems } = readAnalysis(
      Buffer.from(inflated(bytes)).toString("utf8"),
    );
    return {
      declared:
        declared &&
        JSON.stringify(declared.map((e) => [e.fromStack, e.fromResource, e.resource, e.trigger, e.file, e.line])),
      identities: identities && {
        complete: identities.complete,
        chunks: chunks(identities.items).map((items, i, all) => ({
          rows: JSON.stringify(items.map((item) => [item.address, item.mode, item.hash])),
          upTo: i === all.length - 1 ? null : items.at(-1)!.address,
        })),
      },
      commentErrors,
      problems,
    };
  },

  compareStates,

  /** For the resource index. Null: unknown. @throws when the bytes are no JSON, or more than `MAX_ANALYSIS_BYTES` */
  stateResources: (bytes: Uint8Array): ResourceRows | null => {
    const items = stateResources(Buffer.from(inflated(bytes)).toString("utf8"));
    const file = { version: 1, resources: { complete: true, items } };
    return items && indexRows(JSON.stringify(file));
  },

  /** For the cascade. Null: unknown. @throws when the bytes are no JSON, or more than `MAX_ANALYSIS_BYTES` */
  changes: (bytes: Uint8Array): Changes => parseChanges(Buffer.from(inflated(bytes)).toString("utf8")),

  /**
   * For the resource index. Null: unknown. @throws when the bytes are no JSON object, or more than `MAX_ANALYSIS_BYTES`
   */
  resources: (bytes: Uint8Array): ResourceRows | null => indexRows(Buffer.from(inflated(bytes)).toString("utf8")),
};

function indexRows(text: string): ResourceRows | null {
  const read = readResources(text);
  return (
    read && {
      complete: read.complete,
      chunks: chunks(read.items).map((items, i, all) => ({
        rows: JSON.stringify(items.map((r) => [r.address, r.mode, r.type, r.provider, r.realm, r.identity, r.hash])),
        upTo: i === all.length - 1 ? null : items.at(-1)!.address,
      })),
    }
  );
}

/** At least one, so that an empty list has a statement that removes everything. */
function chunks<T>(list: readonly T[]): T[][] {
  const count = Math.max(1, Math.ceil(list.length / CHUNK));
  return Array.from({ length: count }, (_, i) => list.slice(i * CHUNK, (i + 1) * CHUNK));
}

function inflated(bytes: Uint8Array): Uint8Array {
  const plain =
    bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes, { maxOutputLength: MAX_ANALYSIS_BYTES }) : bytes;
  if (plain.length > MAX_ANALYSIS_BYTES) throw new RangeError("the analysis is too large");
  return plain;
}
