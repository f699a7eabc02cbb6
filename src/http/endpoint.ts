/**
 * One definition per route: what it takes, what it answers, and its entry in the OpenAPI document. Nothing about a route
 * is written twice.
 */
import type { Context, Hono } from "hono";
import { describeRoute, resolver } from "hono-openapi";
import type * as v from "valibot";
import type { Principal } from "../authorization/subject.ts";
import type { Logger } from "../telemetry/log.ts";
import type { Authenticate } from "./authenticate.ts";
import { queryParameters } from "./openapiParameters.ts";
import { validBody, validQuery } from "./validRequest.ts";

/** What `createApp` puts into each request's context. */
export type AppEnv = { Variables: { requestId: string; authenticate: Authenticate; log: Logger } };

export type Schema = v.GenericSchema<unknown, unknown>;
type ObjectSchema = v.GenericSchema<Record<string, unknown>, unknown>;

/** A route's contract. `B`, `Q` and `A` are valibot schemas; bodies and queries are strict objects. */
export type Operation<
  B extends Schema | undefined,
  Q extends ObjectSchema | undefined,
  A extends Schema | undefined,
> = {
  /** Unique in the document; clients generate method names from it. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  body?: B;
  query?: Q;
  /** Body of a success; absent for 204. */
  answer?: A;
  /** Media type of a success that is bytes and no JSON; the handler then returns the response itself. */
  raw?: string;
  /** Default 200, or 204 without an answer. */
  status?: 200 | 201 | 202 | 204;
  /** Statuses it refuses with, besides 401 and 500, which every route of people may answer. */
  problems: readonly number[];
};

type ParamsOf<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name | keyof ParamsOf<`/${Rest}`>]: string }
  : P extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown;

export type Call<P extends string, B extends Schema | undefined, Q extends ObjectSchema | undefined> = {
  principal: Principal;
  params: ParamsOf<P>;
  /**
   * Read and validate the body. A function, because on a route below one resource the check comes first: what is wrong
   * with a body must not tell an outsider that the resource exists. @throws the 400, 413, 415 and 422 of design 6.1
   */
  body: () => Promise<B extends Schema ? v.InferOutput<B> : never>;
  /** Validate the query string; unknown fields are 422, since a misspelt filter would list everything. */
  query: () => Q extends ObjectSchema ? v.InferOutput<Q> : never;
  c: Context<AppEnv>;
};

type Method = "get" | "post" | "put" | "patch" | "delete";

/**
 * Add a people's route. The caller is authenticated before `handle` runs; authorization is the first statement of the use
 * case that `handle` calls. Answers go out as returned, so they are typed by the answer schema.
 */
export function endpoint<
  const P extends string,
  B extends Schema | undefined = undefined,
  Q extends ObjectSchema | undefined = undefined,
  A extends Schema | undefined = undefined,
>(
  app: Hono<AppEnv>,
  method: Method,
  path: P,
  operation: Operation<B, Q, A>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a use case that answers 204 returns nothing
  handle: (call: Call<P, B, Q>) => Promise<(A extends Schema ? v.InferInput<A> : void) | Response>,
): void {
  const status = operation.status ?? (operation.answer === undefined ? 204 : 200);
  app.on(method.toUpperCase(), path, describe(operation), async (c) => {
    const principal = await c.var.authenticate(c);
    const answer = await handle({
      principal,
      params: c.req.param() as ParamsOf<P>,
      body: () => validBody(c.req.raw, operation.body!) as never,
      query: () => validQuery(c, operation.query!) as never,
      c,
    });
    if (answer instanceof Response) return answer;
    c.header("cache-control", "no-store");
    return answer === undefined ? c.body(null, status as 204) : c.json(answer as object, status as 200);
  });
}

/** The middleware that carries an operation's entry in the OpenAPI document; it does nothing at run time. */
export function describe(operation: Operation<Schema | undefined, ObjectSchema | undefined, Schema | undefined>) {
  const { id, tag, summary, description, body, query, answer, raw, problems } = operation;
  const status = operation.status ?? (answer === undefined && raw === undefined ? 204 : 200);
  const content = answer === undefined ? raw && { [raw]: { schema: BYTES } } : json(answer, "output");
  const success = { description: SUCCESS[status], ...(content ? { content } : {}) };
  const refusals = [401, ...problems, 500].map((problem) => [problem, { $ref: `#/components/responses/${problem}` }]);
  return describeRoute({
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(query === undefined ? {} : { parameters: queryParameters(query) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body, "input") } }),
    responses: { [status]: success, ...Object.fromEntries(refusals) },
  });
}

const BYTES = { type: "string", format: "binary" } as const;

const SUCCESS = { 200: "OK", 201: "Created", 202: "Accepted", 204: "Done, nothing to say" } as const;

/** The document shows what a client sends (before defaults and conversions) or receives. */
function json(schema: Schema, typeMode: "input" | "output") {
  return { "application/json": { schema: resolver(schema, { errorMode: "ignore", typeMode }) } };
}
