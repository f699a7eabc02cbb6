/** Pieces that the answers of many routes are made of. */
import * as v from "valibot";
import { mapOf } from "../platform/json/mapOf.ts";
import { msToDuration } from "../platform/time/durations.ts";

/** RFC 3339 in UTC, with microseconds. */
export const Time = v.pipe(v.string(), v.isoTimestamp());
export const Id = v.pipe(v.string(), v.uuid());
/** ISO 8601. */
export const Duration = v.pipe(v.string(), v.metadata({ description: "ISO 8601 duration", examples: ["PT30M"] }));
export const Labels = mapOf(v.string(), v.string());

/** Answer of a list; `next_cursor` is null on the last page. */
export function pageOf<S extends v.GenericSchema>(item: S) {
  return v.object({ items: v.array(item), next_cursor: v.nullable(v.string()) });
}

export function duration(ms: number | null): string | null {
  return ms === null ? null : msToDuration(ms);
}
