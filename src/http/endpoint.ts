/**
 * One definition per route: what it takes, what it answers, and its entry in the OpenAPI document. Nothing about a
 * route is written twice.
 */
import type { Context, Hono } from "hono";
import type * as v from "valibot";
import type { Logger } from "../platform/telemetry/log.ts";
import { aside } from "../platform/turns/turn.ts";
import type { Authenticate } from "./authenticate.ts";
import { refuseHead } from "./methods.ts";
import { described, type ObjectSchema, type Operation, requestProblems, type Schema } from "./operation.ts";
import type { Principal } from "./principal.ts";
import type { RequestTurns } from "./requestTurns.ts";
import { validBody, validQuery } from "./validRequest.ts";

/** What `createApp` puts into each request's context. */
export type AppEnv = {
  Variables: { requestId: string; authenticate: Authenticate; turns: RequestTurns; log: Logger };
};

export type ParamsOf<P extends string> = P extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name | keyof ParamsOf<`/${Rest}`>]: string }
  : P extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown;

export type Call<P extends string, B extends Schema | undefined, Q extends ObjectSchema | undefined> = {
  principal: Principal;
  params: ParamsOf<P>;
  /**
   * Read and validate the body. A function, because on a route below one resource the check comes first: what is
   * wrong with a body must not tell an outsider that the resource exists. @throws 400, 413, 415 or 422
   */
  body: () => Promise<B extends Schema ? v.InferOutput<B> : never>;
  /** Validate the query string; unknown fields are 422, since a misspelt filter would list everything. */
  query: () => Q extends ObjectSchema ? v.InferOutput<Q> : never;
  c: Context<AppEnv>;
};

type Method = "get" | "post" | "put" | "patch" | "delete";

/**
 * Add a people's route. The caller is authenticated before `handle` runs; authorization is the first statement of the
 * use case that `handle` calls. Answers go out as returned, so they are typed by the answer schema.
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
  const { turn = method === "get" || operation.rawBody !== undefined ? "none" : "brief" } = operation;
  const refusals = turn === "none" ? [401] : [401, 429];
  const problems = [...refusals, ...requestProblems(operation), ...(operation.problems ?? [])];
  const bodyNeeded = method === "put" && operation.body !== undefined;
  // What sends a browser on begins something.
  if (operation.redirect !== undefined) app.use(path, refuseHead());
  const answerTo = async (c: Context<AppEnv>) => {
    const credential = c.req.header("authorization") ?? c.req.header("cookie") ?? null;
    const asked = { credential, kind: turn, authenticate: () => c.var.authenticate(c) };
    const answer = await c.var.turns.within(asked, (principal) =>
      handle({
        principal,
        params: c.req.param() as ParamsOf<P>,
        body: () => aside(() => validBody(c.req.raw, operation.body!, { needed: bodyNeeded })) as never,
        query: () => validQuery(c, operation.query!) as never,
        c,
      }),
    );
    if (answer instanceof Response) return answer;
    c.header("cache-control", "no-store");
    return answer === undefined ? c.body(null, status as 204) : c.json(answer as object, status as 200);
  };
  app.on(method.toUpperCase(), path, described({ ...operation, bodyNeeded, problems }), answerTo);
  // Not in the document, which knows no such methods.
  for (const alias of operation.aliases ?? []) app.on(alias, path, answerTo);
}
