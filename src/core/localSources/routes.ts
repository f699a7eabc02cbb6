/** Uploading a source and planning it. Both need (stack, local_deploy). */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { bodyStream } from "../../http/requestBody.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { UnsupportedMediaTypeError } from "../../platform/problems/requestErrors.ts";
import type { Service } from "../../work/service.ts";
import { LocalBody } from "../deployments/fields.ts";
import type { HeadOf } from "../deployments/head.ts";
import { createLocalPlan } from "../deployments/localSources/createLocal.ts";
import { DeploymentResource } from "../deployments/resourceSchema.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { stackScope } from "../stacks/requestScope.ts";
import { MAX_SOURCE_BYTES } from "./source.ts";
import { uploadSource } from "./upload.ts";

const STACK = "/api/v1/orgs/:org_id/stacks/:stack_id";
const tag = "deployments";

/** What clients call a gzip archive; a form's types are not among them. */
const MEDIA_TYPES = ["application/gzip", "application/x-gzip", "application/octet-stream"];

const UploadQuery = v.strictObject({
  sha256: v.pipe(
    v.string(),
    v.regex(/^[0-9a-f]{64}$/, "expected a lower-case hexadecimal SHA-256"),
    v.metadata({ description: "Digest of the body; an upload that arrives otherwise is refused" }),
  ),
});

const UploadedSource = v.object({
  local_source_key: v.string(),
  local_source_sha256: v.string(),
  size: v.number(),
  expires_at: v.pipe(
    v.string(),
    v.metadata({ format: "date-time", description: "When it is removed unless a deployment names it" }),
  ),
});

export function localSourceRoutes(app: Hono<AppEnv>, service: Service, headOf: HeadOf, objects: SealedObjects): void {
  endpoint(
    app,
    "post",
    `${STACK}/local-sources`,
    {
      id: "uploadLocalSource",
      tag,
      summary: "Upload the files of a local plan",
      description: `A gzipped tar of the repository's root, at most ${MAX_SOURCE_BYTES} bytes, without links that lead out of it. Needs (stack, local_deploy).`,
      query: UploadQuery,
      rawBody: "application/gzip",
      answer: UploadedSource,
      status: 201,
      problems: [404, 503],
    },
    async ({ principal, params, query, c }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "local_deploy");
      const { sha256 } = query();
      const mediaType = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
      if (!MEDIA_TYPES.includes(mediaType ?? "")) throw new UnsupportedMediaTypeError("application/gzip");
      const body = bodyStream(c.req.raw, MAX_SOURCE_BYTES);
      return uploadSource(service.db, objects, { principal, stack, sha256, body });
    },
  );
  endpoint(
    app,
    "post",
    `${STACK}/deployments/local`,
    {
      id: "createLocalPlan",
      tag,
      summary: "Plan an uploaded source; nothing is locked and nothing can be applied from it",
      description: "Always of mode plan_unlocked, never retried. Needs (stack, local_deploy). Takes Idempotency-Key.",
      body: LocalBody,
      answer: DeploymentResource,
      status: 201,
      problems: [404, 409, 502, 503],
    },
    async ({ principal, params, body, c }) => {
      const stack = await authorizeStack(service.db, principal, params.org_id, params.stack_id, "local_deploy");
      const parsed = await body();
      const idempotency = stackScope(c, principal, stack.stackKey, parsed);
      return createLocalPlan(service, headOf, { principal, stack, body: parsed, idempotency });
    },
  );
}
