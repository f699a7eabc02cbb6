/** JSON bodies of runners: fields that this version does not know are ignored and counted. */
import type { Context } from "hono";
import * as v from "valibot";
import { readJson } from "../../http/requestBody.ts";
import { MalformedRequestError } from "../../platform/problems/requestErrors.ts";
import type { RunnerDeps } from "./deps.ts";

/** Room for the largest JSON body, a live log push. */
const MAX_JSON_BYTES = 262_144;

/**
 * The body as `schema` has it; an empty one counts as `{}`.
 * @param route names the route in the count of unknown fields
 * @throws MalformedRequestError and the refusals of `readJson`
 */
export async function readKnown<S extends v.ObjectSchema<v.ObjectEntries, undefined>>(
  c: Context,
  schema: S,
  metrics: RunnerDeps["metrics"],
  route: string,
): Promise<v.InferOutput<S>> {
  const body = storable((await readJson(c.req.raw, MAX_JSON_BYTES)) ?? {});
  const parsed = v.safeParse(schema, body);
  if (!parsed.success) {
    const paths = [...new Set(parsed.issues.map((issue) => v.getDotPath(issue) ?? "the body"))];
    throw new MalformedRequestError(`Missing or malformed: ${paths.join(", ")}.`);
  }
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(schema.entries, name)).length;
  if (unknown > 0) metrics.unknownRunnerFields.inc({ route }, unknown);
  return parsed.output;
}

/**
 * What Postgres can keep of it. An engine's message may hold anything, and a run whose end is refused for a stray byte
 * would stay open until its time is up.
 */
function storable<T>(value: T): T {
  if (typeof value === "string") return value.replaceAll("\0", "").toWellFormed() as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(storable) as T;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, storable(inner)])) as T;
}
