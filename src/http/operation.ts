/**
 * A route's contract, and how it gets into the OpenAPI document: it stands beside the handler, so no list repeats the
 * routes.
 */
import type { MiddlewareHandler } from "hono";
import { describeRoute, resolver } from "hono-openapi";
import * as v from "valibot";
import { queryParameters } from "./openapiParameters.ts";
import type { TurnKind } from "./requestTurns.ts";

export type Schema = v.GenericSchema<unknown, unknown>;
export type ObjectSchema = v.GenericSchema<Record<string, unknown>, unknown>;

/** A route's contract. `B`, `Q` and `A` are valibot schemas; bodies and queries are strict objects. */
export type Operation<
  B extends Schema | undefined,
  Q extends ObjectSchema | undefined,
  A extends Schema | undefined,
> = {
  /** Who may call: people and service accounts unless said otherwise. */
  caller?: "anyone" | "group" | "runner" | "engine";
  /** Of a people's route: further methods by which it is called. */
  aliases?: readonly string[];
  /** Unique in the document; clients generate method names from it. */
  id: string;
  tag: string;
  summary: string;
  description?: string;
  body?: B;
  /**
   * An absent body is refused, where otherwise it counts as one without fields: a PUT replaces what it does not name.
   */
  bodyNeeded?: boolean;
  query?: Q;
  /** Media type of a body that is bytes and no JSON. */
  rawBody?: string;
  /** Body of a success; absent for 204. */
  answer?: A;
  /**
   * Media type, or types, of a success that is bytes and no JSON, beside `answer` where a client may ask for either;
   * the handler then returns the response itself.
   */
  raw?: string | readonly string[];
  /** Default 200, or 204 without an answer. */
  status?: 200 | 201 | 202 | 204;
  /** What the browser is sent on to; the success is then a 302 and has no body. */
  redirect?: string;
  /** What it means when a success with an answer may also be a 204 without. */
  orNothing?: string;
  /** Of a people's route. Absent: `brief` where it writes, `none` where it reads or takes bytes. */
  turn?: TurnKind;
  /** Statuses of its own refusals. What follows from caller, body and query is added by whoever reads them. */
  problems?: readonly number[];
};

/** Any route's contract. */
export type AnyOperation = Operation<Schema | undefined, ObjectSchema | undefined, Schema | undefined>;

/** What the reading of a people's request refuses with, as `validBody`, `bodyStream` and `validQuery` do. */
export function requestProblems({ body, rawBody, query }: Pick<AnyOperation, "body" | "rawBody" | "query">): number[] {
  return [
    ...(body === undefined ? [] : [400, 413, 415, 422]),
    ...(rawBody === undefined ? [] : [400, 413, 415]),
    ...(query === undefined ? [] : [400, 422]),
  ];
}

/** Put before a route's handler: carries its entry in the document and does nothing else. */
export function described(operation: AnyOperation): MiddlewareHandler {
  return describeRoute(entry(operation));
}

function entry(operation: AnyOperation) {
  const { id, tag, summary, description, caller, query, answer, raw, orNothing, problems = [] } = operation;
  const status = operation.status ?? (answer === undefined && raw === undefined ? 204 : 200);
  const asBytes = raw && Object.fromEntries([raw].flat().map((type) => [type, { schema: BYTES }]));
  const content = answer === undefined ? asBytes : { ...json(answer, "output"), ...asBytes };
  const success = { description: SUCCESS[status], ...(content ? { content } : {}) };
  // An address with NUL in it, and too much of one, are refused before any route.
  const statuses = new Set([400, ...problems, 431, 500]);
  const refusals = [...statuses].map((problem) => [problem, { $ref: `#/components/responses/${problem}` }]);
  const body = bodyOf(operation);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(caller === undefined ? {} : { security: caller === "anyone" ? [] : [{ [caller]: [] }] }),
    ...(query === undefined ? {} : { parameters: queryParameters(query) }),
    ...(body === undefined ? {} : { requestBody: { required: needsBody(operation), content: body } }),
    responses: {
      ...(operation.redirect === undefined ? { [status]: success } : { 302: { description: operation.redirect } }),
      ...(orNothing === undefined ? {} : { 204: { description: orNothing } }),
      ...Object.fromEntries(refusals),
    },
  };
}

/** Whether a request without a body is refused. */
function needsBody({ body, rawBody, bodyNeeded = false }: AnyOperation): boolean {
  return bodyNeeded || rawBody !== undefined || (body !== undefined && !v.safeParse(body, {}).success);
}

function bodyOf({ body, rawBody }: Pick<Operation<Schema | undefined, undefined, undefined>, "body" | "rawBody">) {
  if (rawBody !== undefined) return { [rawBody]: { schema: BYTES } };
  return body === undefined ? undefined : json(body, "input");
}

const BYTES = { type: "string", format: "binary" } as const;

const SUCCESS = { 200: "OK", 201: "Created", 202: "Accepted", 204: "Done, nothing to say" } as const;

/** The document shows what a client sends (before defaults and conversions) or receives. */
function json(schema: Schema, typeMode: "input" | "output") {
  return { "application/json": { schema: resolver(schema, { errorMode: "ignore", typeMode }) } };
}
