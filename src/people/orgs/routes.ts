import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import type { Service } from "../../work/service.ts";
import { Org, OrgPage, orgAnswer } from "./answer.ts";
import { listOrgs, ORG_LIST } from "./listOrgs.ts";
import { LOGIN_HANDLE, LOGIN_HANDLE_RULE } from "./loginHandle.ts";
import { createOrg, type DefaultGroup, type OrgDefaults, readOrg, updateOrg } from "./orgs.ts";

const CreateOrgBody = v.strictObject({ name: displayName(100) });
const wholeNumber = (min: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(1_000_000));
const PatchOrgBody = v.strictObject({
  name: v.optional(displayName(100)),
  default_runner_group_id: v.optional(v.nullable(v.pipe(v.string(), v.uuid()))),
  max_users: v.optional(wholeNumber(1)),
  runs_per_hour_limit: v.optional(wholeNumber(0)),
  login_handle: v.optional(v.nullable(v.pipe(v.string(), v.regex(LOGIN_HANDLE, LOGIN_HANDLE_RULE)))),
});

const ONE = "/api/v1/orgs/:org_id";
const tag = "organizations";

/** The routes of organizations. */
export function orgRoutes(
  app: Hono<AppEnv>,
  service: Service,
  defaults: OrgDefaults,
  defaultGroup: DefaultGroup,
): void {
  endpoint(
    app,
    "post",
    "/api/v1/orgs",
    {
      id: "createOrganization",
      tag,
      summary: "Create an organization",
      description:
        "Any person may by session, and becomes its Admin. 409 quota_reached when they have created as many as one may.",
      body: CreateOrgBody,
      answer: Org,
      status: 201,
      problems: [403, 409],
    },
    async ({ principal, body }) => orgAnswer(await createOrg(service, principal, (await body()).name, defaults)),
  );

  endpoint(
    app,
    "get",
    "/api/v1/orgs",
    {
      id: "listOrganizations",
      tag,
      summary: "List the organizations that the caller belongs to",
      description: "A super-admin sees all of them, a service account its own.",
      query: v.strictObject(listFields(Object.keys(ORG_LIST.fields))),
      answer: OrgPage,
    },
    async ({ principal, query }) => {
      const { items, next_cursor } = await listOrgs(service.db, principal, query());
      return { items: items.map(orgAnswer), next_cursor };
    },
  );

  endpoint(
    app,
    "get",
    ONE,
    { id: "getOrganization", tag, summary: "Read an organization", answer: Org, problems: [403, 404] },
    async ({ principal, params }) => orgAnswer(await readOrg(service.db, principal, params.org_id)),
  );

  endpoint(
    app,
    "patch",
    ONE,
    {
      id: "changeOrganization",
      tag,
      summary: "Change an organization",
      description: "max_users and runs_per_hour_limit can be set by super-admins only.",
      body: PatchOrgBody,
      answer: Org,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      orgAnswer(await updateOrg(service, defaultGroup, principal, params.org_id, await body())),
  );
}
