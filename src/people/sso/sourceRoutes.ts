import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { requireSession } from "../authorization/requireSession.ts";
import { listSources, readSource, SOURCE_LIST } from "./readSources.ts";
import { CreateSourceBody, ReplaceSourceBody, Source, SourcePage } from "./sourceFields.ts";
import { createSource, deleteSource, replaceSource, type SourceDeps } from "./sources.ts";
import { testSource } from "./testSource.ts";

const ALL = "/api/v1/orgs/:org_id/identity-sources";
const ONE = "/api/v1/orgs/:org_id/identity-sources/:source_id";
const tag = "identity sources";

/** Where an organization's people sign in. */
export function sourceRoutes(app: Hono<AppEnv>, deps: SourceDeps): void {
  reading(app, deps);
  const writing = { tag, answer: Source, problems: [403, 404, 409] } as const;
  endpoint(
    app,
    "post",
    ALL,
    {
      id: "createIdentitySource",
      summary: "Add an identity source",
      description:
        "An OIDC issuer is asked for its configuration before anything is stored. The client secret is write-only.",
      body: CreateSourceBody,
      status: 201,
      ...writing,
    },
    async ({ principal, params, body }) => createSource(deps, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "replaceIdentitySource",
      summary: "Replace a source's settings",
      description: "An absent client secret stays, unless the issuer changes.",
      body: ReplaceSourceBody,
      ...writing,
    },
    async ({ principal, params, body }) =>
      replaceSource(deps, principal, params.org_id, params.source_id, await body()),
  );
  endpoint(
    app,
    "delete",
    ONE,
    { id: "deleteIdentitySource", tag, summary: "Delete a source; its grants end at once", problems: [403, 404, 409] },
    async ({ principal, params }) => deleteSource(deps, principal, params.org_id, params.source_id),
  );
  endpoint(
    app,
    "post",
    `${ONE}/test`,
    {
      id: "testIdentitySource",
      tag,
      summary: "Ask the issuer for its configuration now",
      description: "By session only. Nothing is asked for a provider that the operator configures.",
      problems: [403, 404, 422],
    },
    async ({ principal, params }) => {
      requireSession(principal);
      return testSource(deps, principal, params.org_id, params.source_id);
    },
  );
}

function reading(app: Hono<AppEnv>, deps: SourceDeps): void {
  endpoint(
    app,
    "get",
    ALL,
    {
      id: "listIdentitySources",
      tag,
      summary: "List identity sources",
      query: v.strictObject(listFields(Object.keys(SOURCE_LIST.fields))),
      answer: SourcePage,
      problems: [403],
    },
    async ({ principal, params, query }) => listSources(deps.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "get",
    ONE,
    { id: "getIdentitySource", tag, summary: "Read a source", answer: Source, problems: [403, 404] },
    async ({ principal, params }) => readSource(deps.db, principal, params.org_id, params.source_id),
  );
}
