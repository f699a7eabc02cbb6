/**
 * Routes that anyone may call; each is limited by client address, since nothing else says who asks
 * (docs/rules/sign-in.md#public-routes-are-limited-by-address).
 */
import type { Context, Hono } from "hono";
import type * as v from "valibot";
import type { AddressLimit } from "./addressLimit.ts";
import type { AppEnv, ParamsOf } from "./endpoint.ts";
import { refuseHead } from "./methods.ts";
import { described, type ObjectSchema, type Operation, requestProblems, type Schema } from "./operation.ts";
import { validBody, validQuery } from "./validRequest.ts";

type PublicCall<P extends string, Q extends ObjectSchema | undefined> = {
  params: ParamsOf<P>;
  query: () => Q extends ObjectSchema ? v.InferOutput<Q> : never;
  c: Context<AppEnv>;
};

export function publicEndpoint<
  const P extends string,
  Q extends ObjectSchema | undefined = undefined,
  A extends Schema | undefined = undefined,
>(
  app: Hono<AppEnv>,
  path: P,
  operation: Omit<Operation<undefined, Q, A>, "caller">,
  limit: AddressLimit,
  handle: (call: PublicCall<P, Q>) => Promise<(A extends Schema ? v.InferInput<A> : never) | Response>,
): void {
  const problems = [429, ...requestProblems(operation), ...(operation.problems ?? [])];
  if (operation.redirect !== undefined) app.use(path, refuseHead());
  app.get(path, described({ ...operation, caller: "anyone", problems }), async (c) => {
    await limit(c);
    c.header("cache-control", "no-store");
    const query = () => validQuery(c, operation.query!) as never;
    const answer = await handle({ params: c.req.param() as ParamsOf<P>, query, c });
    return answer instanceof Response ? answer : c.json(answer as object);
  });
}

/** The same for a POST. What it costs its caller's address is for the handler to say. */
export function publicPost<const P extends string, B extends Schema, A extends Schema>(
  app: Hono<AppEnv>,
  path: P,
  operation: Omit<Operation<B, undefined, A>, "caller"> & { body: B; answer: A },
  handle: (call: { body: () => Promise<v.InferOutput<B>>; c: Context<AppEnv> }) => Promise<v.InferInput<A>>,
): void {
  const problems = [429, ...requestProblems(operation), ...(operation.problems ?? [])];
  app.post(path, described({ ...operation, caller: "anyone", problems }), async (c) => {
    c.header("cache-control", "no-store");
    const answer = await handle({ body: () => validBody(c.req.raw, operation.body) as never, c });
    return c.json(answer as object);
  });
}
