import { ApiError } from "../../../clients/api/problem.ts";

/** What is wrong with each field, by its name. A field below another counts for the upper one. */
export function fieldErrors(error: Error | null): ReadonlyMap<string, string> {
  if (!(error instanceof ApiError)) return new Map();
  return new Map(error.fields.map(({ field, message }) => [field.split(/[.[]/)[0] ?? field, message]));
}
