/** Versions of a policy: rules, Rego, or a bundle that was compiled elsewhere. */
import type { Context, Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { readBody } from "../../http/requestBody.ts";
import type { Db } from "../../platform/db/client.ts";
import { MalformedRequestError, UnsupportedMediaTypeError } from "../../platform/problems/requestErrors.ts";
import { OnePolicyVersion, PolicyVersion, PolicyVersionPage } from "./answer.ts";
import { MAX_POLICY_BYTES, policyOf } from "./bundle.ts";
import { compileRego } from "./compile.ts";
import { Rules } from "./rules.ts";
import { addVersion, listVersions, readVersion, requireUpdate, VERSION_LIST } from "./versions.ts";

const VERSIONS = "/api/v1/orgs/:org_id/policies/:policy_id/versions" as const;
const tag = "policies";
const COUNTS_LATER =
  "It counts once the policy's settings name it, so it can be tested before. Needs (policy, update).";

const of = (params: { org_id: string; policy_id: string }) => ({ orgId: params.org_id, policyId: params.policy_id });

export function versionRoutes(app: Hono<AppEnv>, { db, opa }: { db: Db; opa: string }): void {
  endpoint(
    app,
    "get",
    VERSIONS,
    {
      id: "listPolicyVersions",
      tag,
      summary: "List a policy's versions, newest first",
      query: v.strictObject(listFields(Object.keys(VERSION_LIST.fields))),
      answer: PolicyVersionPage,
      problems: [403, 404],
    },
    ({ principal, params, query }) => listVersions(db, principal, of(params), query()),
  );
  endpoint(
    app,
    "post",
    VERSIONS,
    {
      id: "createPolicyRules",
      tag,
      summary: "Add a version of rules as data",
      description: COUNTS_LATER,
      body: v.strictObject({ rules: Rules }),
      answer: PolicyVersion,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => {
      const { rules } = await body();
      return addVersion(db, principal, of(params), { kind: "rules", rules });
    },
  );
  endpoint(
    app,
    "post",
    `${VERSIONS}/rego`,
    {
      id: "createPolicyFromRego",
      tag,
      summary: "Add a version of Rego v1 with package `deploy`, which is compiled at once",
      description: `${COUNTS_LATER} At most ${MAX_POLICY_BYTES} bytes. 409 where the operator has not installed opa.`,
      rawBody: "text/plain",
      answer: PolicyVersion,
      status: 201,
      problems: [403, 404, 409, 422],
    },
    async ({ principal, params, c }) => {
      await requireUpdate(db, principal, of(params));
      const source = textOf(await bytesOf(c, ["text/plain"]));
      return addVersion(db, principal, of(params), {
        kind: "rego",
        source,
        ...(await compileRego(opa, params.org_id, source)),
      });
    },
  );
  endpoint(
    app,
    "post",
    `${VERSIONS}/bundle`,
    {
      id: "createPolicyFromBundle",
      tag,
      summary: "Add a version that `opa build -t wasm -e deploy` has compiled",
      description: `${COUNTS_LATER} At most ${MAX_POLICY_BYTES} bytes.`,
      rawBody: "application/gzip",
      answer: PolicyVersion,
      status: 201,
      problems: [403, 404, 409, 422],
    },
    async ({ principal, params, c }) => {
      await requireUpdate(db, principal, of(params));
      const bundle = await bytesOf(c, ["application/gzip", "application/x-gzip"]);
      return addVersion(db, principal, of(params), { kind: "bundle", bundle, ...(await policyOf(bundle)) });
    },
  );
  endpoint(
    app,
    "get",
    `${VERSIONS}/:version`,
    {
      id: "getPolicyVersion",
      tag,
      summary: "Read a version with its rules or source",
      answer: OnePolicyVersion,
      problems: [403, 404],
    },
    ({ principal, params }) => readVersion(db, principal, of(params), params.version),
  );
}

async function bytesOf(c: Context, types: readonly [string, ...string[]]): Promise<Buffer> {
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!types.includes(type)) throw new UnsupportedMediaTypeError(types[0]);
  return readBody(c.req.raw, MAX_POLICY_BYTES);
}

/** As Postgres keeps it, which has no NUL. */
function textOf(bytes: Buffer): string {
  if (bytes.includes(0)) throw new MalformedRequestError("The body must not contain NUL.");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new MalformedRequestError("The body is not text in UTF-8.");
  }
}
