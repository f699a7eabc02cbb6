import type { Context, MiddlewareHandler } from "hono";
import type * as v from "valibot";
import { InvalidValueError, MalformedRequestError } from "../platform/problems/requestErrors.ts";
import { readJson } from "./requestBody.ts";
import { validated } from "./validated.ts";

/** Enough for every settings form and for 100 addresses of 1,024 characters each. */
const MAX_BODY_BYTES = 262_144;

/**
 * The JSON body as `schema` reads it. A missing body counts as `{}`, which a schema without required fields accepts;
 * a body of `null` is a value like any other and refused.
 * @param needed a missing one is refused: what replaces must not do so by a slip
 * @throws 400, 413, 415 or 422 (docs/rules/api.md#problems)
 */
export async function validBody<S extends v.GenericSchema>(
  request: Request,
  schema: S,
  { maxBytes = MAX_BODY_BYTES, needed = false }: { maxBytes?: number; needed?: boolean } = {},
): Promise<v.InferOutput<S>> {
  const body = await readJson(request, maxBytes);
  if (body === undefined && needed) throw new MalformedRequestError("A body is needed; {} is one without fields.");
  // A list would pass for an object without fields, and so for a change of nothing.
  if (Array.isArray(body)) throw new InvalidValueError([{ field: "body", message: "must be an object" }]);
  return validated(schema, body === undefined ? {} : body);
}

/** The query as `schema` reads it. A parameter given twice is 400: which of the two was meant is anyone's guess. */
export function validQuery<S extends v.GenericSchema>(c: Context, schema: S): v.InferOutput<S> {
  const parameters = Object.entries(c.req.queries());
  if (parameters.some(([, values]) => values.length !== 1)) {
    throw new MalformedRequestError("A query parameter was given more than once; join values with commas.");
  }
  return validated(schema, Object.fromEntries(parameters.map(([name, values]) => [name, values[0]])));
}

/**
 * Refuses encoded NUL anywhere in the address before it reaches a query, where Postgres would refuse it as our error.
 */
export function refuseNulInUrl(): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.url.includes("%00")) throw new MalformedRequestError("The address must not contain NUL.");
    await next();
  };
}
