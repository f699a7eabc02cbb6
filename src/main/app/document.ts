/** The OpenAPI document, read off an application's own routes. */
import type { Hono } from "hono";
import { generateSpecs } from "hono-openapi";
import { PROVIDER_TYPES } from "../../core/cloud/providerType.ts";
import { ARTIFACT_KINDS } from "../../core/runs/protocol.ts";
import type { AppEnv } from "../../http/endpoint.ts";
import { PROVIDER_KEYS } from "../../people/members/schema.ts";
import { LOGIN_HANDLE } from "../../people/orgs/loginHandle.ts";
import { PROBLEM_CODES } from "../../platform/problems/problem.ts";

export type ApiDocument = Awaited<ReturnType<typeof generateSpecs>>;

const PROBLEM_STATUSES: Record<number, string> = {
  400: "Malformed: not what HTTP or JSON allows",
  401: "Not authenticated",
  403: "Not allowed in this organization",
  404: "Missing, or not for the caller to see: the two look alike",
  409: "Conflicts with the present state; nothing was changed",
  413: "The body is too large",
  415: "The body is of another media type",
  422: "A value is not allowed; `errors` names the fields",
  429: "Too many requests; see Retry-After",
  431: "The address and the header fields are too large together",
  500: "An error of ours; the request id finds it in the log",
  502: "A host that was asked on the caller's behalf gave no usable answer",
  503: "Cannot be served now; see Retry-After",
};

/** The routes are asked what they are, never called. */
export async function documentOf(app: Hono<AppEnv>): Promise<ApiDocument> {
  const document = await generateSpecs(app, {
    documentation: {
      info: {
        title: "Deployment orchestrator",
        version: "1",
        description: "Times are RFC 3339 in UTC, durations ISO 8601, errors application/problem+json.",
      },
      security: [{ bearer: [] }, { session: [] }],
      components: {
        securitySchemes: {
          bearer: {
            type: "http",
            scheme: "bearer",
            description: "A token of a service account, `svc_sa_...`, or a person, `svc_pat_...`",
          },
          session: {
            type: "apiKey",
            in: "cookie",
            name: "__Host-svc_session",
            description:
              "Set at the end of a sign-in. Changes need X-CSRF-Token, from /auth/me, and an Origin of this service.",
          },
          group: {
            type: "http",
            scheme: "bearer",
            bearerFormat: "JWT",
            description: "Signed with the runner group's key",
          },
          runner: {
            type: "http",
            scheme: "bearer",
            bearerFormat: "JWT",
            description: "The same, for one runner and run",
          },
          engine: {
            type: "http",
            scheme: "basic",
            description: "The password is the token of a run's state, which the run's context has",
          },
        },
        schemas: { Problem: PROBLEM },
        responses: Object.fromEntries(Object.entries(PROBLEM_STATUSES).map(refusal)),
      },
    },
    defaultValidationErrorResponse: false,
  });
  describePathParameters(document);
  return document;
}

const UUID = { type: "string", format: "uuid" };
const SLUG = { type: "string", pattern: "^[a-z0-9._-]{1,100}$" };

/** What stands in a path; another value names nothing. A name that is not here is an id. */
const PATH_PARAMETERS: Readonly<Record<string, object>> = {
  user_id: { type: "string", minLength: 1, maxLength: 2_000 },
  stack_id: SLUG,
  dependent_stack_id: SLUG,
  user_code: { type: "string", pattern: "^[B-DF-HJ-NP-TV-XZ]{4}-?[B-DF-HJ-NP-TV-XZ]{4}$" },
  handle: { type: "string", pattern: LOGIN_HANDLE.source },
  slug: { type: "string", pattern: "^[a-z0-9][a-z0-9-]{0,62}$" },
  provider_key: { type: "string", enum: PROVIDER_KEYS },
  provider_type: { type: "string", enum: PROVIDER_TYPES },
  kind: { type: "string", enum: ARTIFACT_KINDS },
  number: { type: "integer", minimum: 1, maximum: 2_147_483_647 },
  index: { type: "integer", minimum: 0, maximum: 1_000_000 },
};

/** The library knows their names only. */
function describePathParameters({ paths }: ApiDocument): void {
  for (const item of Object.values(paths ?? {})) {
    for (const operation of Object.values(item ?? {})) {
      const { parameters = [] } = operation as { parameters?: { in: string; name: string; schema: object }[] };
      for (const parameter of parameters) {
        if (parameter.in === "path") parameter.schema = PATH_PARAMETERS[parameter.name] ?? UUID;
      }
    }
  }
}

type Documentation = NonNullable<NonNullable<Parameters<typeof generateSpecs>[1]>["documentation"]>;
type SchemaObject = NonNullable<NonNullable<Documentation["components"]>["schemas"]>[string];

const PROBLEM: SchemaObject = {
  type: "object",
  required: ["type", "title", "status"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string", enum: [...PROBLEM_CODES] },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: {
          field: { type: "string" },
          message: { type: "string" },
          allowed: { type: "array", items: { type: "string" } },
        },
      },
    },
    request_id: { type: "string" },
  },
};

function refusal([status, description]: [string, string]) {
  const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };
  return [status, { description, content }];
}
