import type { Context, Env, MiddlewareHandler } from "hono";
import { resolver, uniqueSymbol } from "hono-openapi";
import type * as v from "valibot";
import { readJson } from "./requestBody.ts";
import { MalformedRequestError } from "./requestErrors.ts";
import { validated } from "./validated.ts";

/** Enough for every settings form and for 100 addresses of 1,024 characters each. */
const MAX_BODY_BYTES = 262_144;

type Valid<Target extends string, S extends v.GenericSchema> = {
  in: { [K in Target]: v.InferInput<S> };
  out: { [K in Target]: v.InferOutput<S> };
};

/**
 * A JSON body checked by `schema`, then `c.req.valid("json")`. The same schema goes into the OpenAPI document. A missing
 * body counts as `{}`, which a schema without required fields accepts.
 */
export function jsonBody<S extends v.GenericSchema>(
  schema: S,
  maxBytes: number = MAX_BODY_BYTES,
): MiddlewareHandler<Env, string, Valid<"json", S>> {
  return documented("json", schema, async (c) => {
    const body = await readJson(c.req.raw, maxBytes);
    return validated(schema, body === undefined ? {} : body);
  });
}

/** Query parameters checked by `schema`, then `c.req.valid("query")`. A parameter given twice is 400. */
export function queryValues<S extends v.GenericSchema>(schema: S): MiddlewareHandler<Env, string, Valid<"query", S>> {
  return documented("query", schema, async (c) => {
    const given = Object.entries(c.req.queries());
    if (given.some(([, values]) => values.length !== 1)) {
      throw new MalformedRequestError("A query parameter was given more than once; join values with commas.");
    }
    return validated(schema, Object.fromEntries(given.map(([name, values]) => [name, values[0]])));
  });
}

/** Refuses encoded NUL anywhere in the address before it reaches a query, where Postgres would refuse it as our error. */
export function refuseNulInUrl(): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.url.includes("%00")) throw new MalformedRequestError("The address must not contain NUL.");
    await next();
  };
}

function documented<Target extends "json" | "query", S extends v.GenericSchema>(
  target: Target,
  schema: S,
  read: (c: Context) => Promise<v.InferOutput<S>>,
): MiddlewareHandler<Env, string, Valid<Target, S>> {
  const middleware: MiddlewareHandler<Env, string, Valid<Target, S>> = async (c, next) => {
    c.req.addValidatedData(target, (await read(c)) as object);
    await next();
  };
  // Where the document's generator looks for a route's schemas.
  return Object.assign(middleware, { [uniqueSymbol]: { target, ...resolver(schema) } });
}
