import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Service } from "../../work/service.ts";
import { labelKey } from "../stacks/fields.ts";
import { LabelsInUse, readLabels } from "./labelsInUse.ts";
import { readProtectedKeys, replaceProtectedKeys } from "./protectedKeys.ts";

const MAX_KEYS = 200;

const ProtectedLabels = v.pipe(v.object({ keys: v.array(v.string()) }), v.metadata({ ref: "ProtectedLabels" }));

const ReplaceBody = v.strictObject({
  keys: v.pipe(
    v.array(labelKey({ systemKeys: false })),
    v.maxLength(MAX_KEYS),
    v.transform((keys) => [...new Set(keys)]),
  ),
});

const PATH = "/api/v1/orgs/:org_id/config/protected-labels";
const tag = "labels";

/** The organization's protected label keys. */
export function labelRoutes(app: Hono<AppEnv>, service: Service): void {
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/labels",
    {
      id: "listLabels",
      tag,
      summary: "The label keys and values of the stacks that the caller may read",
      answer: LabelsInUse,
    },
    async ({ principal, params }) => readLabels(service.db, principal, params.org_id),
  );
  endpoint(
    app,
    "get",
    PATH,
    {
      id: "getProtectedLabels",
      tag,
      summary: "Read the protected label keys",
      answer: ProtectedLabels,
      problems: [403],
    },
    async ({ principal, params }) => ({ keys: await readProtectedKeys(service.db, principal, params.org_id) }),
  );
  endpoint(
    app,
    "put",
    PATH,
    {
      id: "replaceProtectedLabels",
      tag,
      summary: "Replace the protected label keys",
      description:
        "Needs (label, create). A stack write that adds, changes or removes a protected label needs (label, update) on its key; labels that are there already stay. Keys under `svc:` cannot be protected.",
      body: ReplaceBody,
      answer: ProtectedLabels,
      problems: [403, 404],
    },
    async ({ principal, params, body }) => ({
      keys: await replaceProtectedKeys(service, principal, params.org_id, (await body()).keys),
    }),
  );
}
