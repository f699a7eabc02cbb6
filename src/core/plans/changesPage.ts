/**
 * One page of a plan's changes. The artifact is read as a stream and parsed a line at a time, so a plan of 50 MB holds
 * up neither the event loop nor the memory; a page's cursor is the byte at which the next one begins.
 */
import * as v from "valibot";
import { decodeCursor, encodeCursor } from "../../http/pagination.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import { PLAN_CHANGE_BYTES, PlanChange } from "../runs/planChange.ts";
import { jsonLines, NoLineError, UnreadableLineError } from "./jsonLines.ts";

export type ChangesQuery = {
  /** Changes at most. */
  limit: number;
  kind?: readonly string[] | undefined;
  action?: readonly string[] | undefined;
};

export type ChangesPage = { items: PlanChange[]; next_cursor: string | null };

/** Where a page begins: a byte of one run's changes. */
export type ChangesPosition = { runId: string; offset: number };

const SORT = "changes";
/** A page ends early when its items are this long together, so that an answer stays small. */
const PAGE_BYTES = 1_048_576;
/** Of one write of a stream. */
const PIECE_CHARACTERS = 65_536;

/** The changes that the run stored are not of a form this version reads. */
class UnreadableChangesError extends ProblemError {
  constructor(cause: unknown) {
    const detail = "The list of changes that the run's runner stored cannot be read.";
    super({ status: 502, code: "upstream_unavailable", detail, cause });
  }
}

/** @throws InvalidValueError for text that is no cursor of this list */
export function changesPosition(cursor: string | undefined): ChangesPosition | undefined {
  const position = decodeCursor(SORT, cursor);
  if (position === undefined) return undefined;
  const { sortValue: offset, id: runId } = position;
  if (typeof offset !== "number" || !Number.isSafeInteger(offset) || offset < 0) {
    throw foreignCursor();
  }
  return { runId, offset };
}

function foreignCursor(): InvalidValueError {
  return new InvalidValueError([{ field: "cursor", message: "not a cursor of this list" }]);
}

/** The changes from `position` on that the query asks for. @throws UnreadableChangesError, InvalidValueError */
export async function changesPage(
  source: AsyncIterable<Uint8Array>,
  { runId, offset }: ChangesPosition,
  query: ChangesQuery,
): Promise<ChangesPage> {
  const items: PlanChange[] = [];
  let next = offset;
  let size = 0;
  try {
    for await (const line of jsonLines(source, offset, PLAN_CHANGE_BYTES)) {
      const change = v.parse(PlanChange, line.value);
      if (isAsked(change, query)) {
        const full = items.length === query.limit || (items.length > 0 && size + line.bytes > PAGE_BYTES);
        if (full) return { items, next_cursor: encodeCursor(SORT, { sortValue: next, id: runId }) };
        items.push(change);
        size += line.bytes;
      }
      next = line.end;
    }
  } catch (error) {
    if (error instanceof NoLineError) throw foreignCursor();
    if (error instanceof UnreadableLineError || error instanceof v.ValiError) throw new UnreadableChangesError(error);
    throw error;
  }
  return { items, next_cursor: null };
}

/**
 * All that the query asks for as lines of JSON. What has gone out by the time a line cannot be read stays without its
 * rest: the connection breaks off. @throws UnreadableChangesError
 */
export async function* changeLines(
  source: AsyncIterable<Uint8Array>,
  query: Pick<ChangesQuery, "kind" | "action">,
): AsyncGenerator<string, void> {
  let some = "";
  try {
    for await (const line of jsonLines(source, 0, PLAN_CHANGE_BYTES)) {
      const change = v.parse(PlanChange, line.value);
      if (!isAsked(change, query)) continue;
      some += `${JSON.stringify(change)}\n`;
      if (some.length >= PIECE_CHARACTERS) {
        yield some;
        some = "";
      }
    }
  } catch (error) {
    if (error instanceof UnreadableLineError || error instanceof v.ValiError) throw new UnreadableChangesError(error);
    throw error;
  }
  if (some !== "") yield some;
}

function isAsked({ kind, action }: PlanChange, query: Pick<ChangesQuery, "kind" | "action">): boolean {
  return (query.kind?.includes(kind) ?? true) && (query.action?.includes(action) ?? true);
}
