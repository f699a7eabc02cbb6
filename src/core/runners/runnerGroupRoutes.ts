import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Principal } from "../../http/principal.ts";
import { displayName } from "../../http/textFields.ts";
import { recordAudit } from "../../people/audit/record.ts";
import type { Service } from "../../work/service.ts";
import { dispatchBudgetRoute } from "../dispatch/dispatchBudgetRoute.ts";
import type { DispatchLimits } from "../dispatch/types.ts";
import { labelsField } from "../stacks/fields.ts";
import { groupAnswer, KeyedRunnerGroup, RunnerGroup, RunnerGroupPage, RunnerPage } from "./answer.ts";
import { authorizeGroup, authorizeRunner } from "./authorizeGroup.ts";
import { GroupQueue, readGroupQueue } from "./groupQueue.ts";
import { createGroup, deleteGroup, type KeyedGroup, RunnerHoldsRunError, rotateKey, updateGroup } from "./groups.ts";
import { GROUP_LIST, listGroups, listRunners, RUNNER_LIST } from "./listGroups.ts";
import { removeRunner } from "./removeRunner.ts";

const Name = displayName(100);
const GroupLabels = labelsField({ systemKeys: false });
const MaxConcurrentRuns = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000));
const MaxDriftRuns = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(10_000),
  v.metadata({ description: "Checks for drift at once, of the runs at once; 0: none" }),
);
/** Body of POST and PUT. */
const GroupBody = v.strictObject({
  name: Name,
  labels: v.optional(GroupLabels, {}),
  max_concurrent_runs: v.optional(MaxConcurrentRuns, 10),
  max_drift_runs: v.optional(MaxDriftRuns, 2),
});
const PatchGroupBody = v.strictObject({
  name: v.optional(Name),
  labels: v.optional(GroupLabels),
  max_concurrent_runs: v.optional(MaxConcurrentRuns),
  max_drift_runs: v.optional(MaxDriftRuns),
});

const GROUPS = "/api/v1/orgs/:org_id/runner-groups";
const GROUP = "/api/v1/orgs/:org_id/runner-groups/:group_id";
const RUNNERS = "/api/v1/orgs/:org_id/runners";
const tag = "runner groups";

/** Runner groups and runners as people manage them. */
export function runnerGroupRoutes(
  app: Hono<AppEnv>,
  service: Service,
  limits: Pick<DispatchLimits, "rateLimit">,
): void {
  dispatchBudgetRoute(app, service, limits);
  endpoint(
    app,
    "post",
    GROUPS,
    {
      id: "createRunnerGroup",
      tag,
      summary: "Create a runner group; its private key is in this answer only",
      body: GroupBody,
      answer: KeyedRunnerGroup,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => keyed(await createGroup(service, principal, params.org_id, await body())),
  );
  endpoint(
    app,
    "get",
    GROUPS,
    {
      id: "listRunnerGroups",
      tag,
      summary: "List the runner groups that the caller may read",
      query: v.strictObject(listFields(Object.keys(GROUP_LIST.fields))),
      answer: RunnerGroupPage,
    },
    async ({ principal, params, query }) => {
      const { items, next_cursor } = await listGroups(service.db, principal, params.org_id, query());
      return { items: items.map(groupAnswer), next_cursor };
    },
  );
  endpoint(
    app,
    "get",
    GROUP,
    { id: "getRunnerGroup", tag, summary: "Read a runner group", answer: RunnerGroup, problems: [404] },
    async ({ principal, params }) =>
      groupAnswer(await authorizeGroup(service.db, principal, params.org_id, params.group_id, "read")),
  );
  endpoint(
    app,
    "get",
    `${GROUP}/queue`,
    {
      id: "getRunnerGroupQueue",
      tag,
      summary: "What waits for a runner group, and what it works on",
      answer: GroupQueue,
      problems: [404],
    },
    async ({ principal, params }) => {
      const group = await authorizeGroup(service.db, principal, params.org_id, params.group_id, "read");
      return readGroupQueue(service.db, group.id);
    },
  );
  groupWrites(app, service);
  runnerManagement(app, service);
}

function groupWrites(app: Hono<AppEnv>, service: Service): void {
  const update = async (
    principal: Principal,
    { org_id, group_id }: { org_id: string; group_id: string },
    body: () => Promise<v.InferOutput<typeof PatchGroupBody>>,
  ) => {
    const group = await authorizeGroup(service.db, principal, org_id, group_id, "update");
    return groupAnswer(await updateGroup(service, principal, group, await body()));
  };
  const written = { tag, answer: RunnerGroup, problems: [404, 409] } as const;
  endpoint(
    app,
    "put",
    GROUP,
    { id: "replaceRunnerGroup", summary: "Replace a runner group's settings", body: GroupBody, ...written },
    ({ principal, params, body }) => update(principal, params, body),
  );
  endpoint(
    app,
    "patch",
    GROUP,
    { id: "changeRunnerGroup", summary: "Change some of a runner group's settings", body: PatchGroupBody, ...written },
    ({ principal, params, body }) => update(principal, params, body),
  );
  endpoint(
    app,
    "delete",
    GROUP,
    { id: "deleteRunnerGroup", tag, summary: "Delete a runner group that holds no runs", problems: [404, 409] },
    async ({ principal, params }) =>
      deleteGroup(
        service,
        principal,
        await authorizeGroup(service.db, principal, params.org_id, params.group_id, "delete"),
      ),
  );
  endpoint(
    app,
    "post",
    "/api/v1/orgs/:org_id/runner-groups/:group_id/rotate-key",
    {
      id: "rotateRunnerGroupKey",
      tag,
      summary: "Replace the key pair at once; the new private key is in this answer only",
      answer: KeyedRunnerGroup,
      problems: [404],
    },
    async ({ principal, params }) => {
      const { id } = await authorizeGroup(service.db, principal, params.org_id, params.group_id, "update");
      return keyed(await rotateKey(service, principal, id));
    },
  );
}

function runnerManagement(app: Hono<AppEnv>, { db }: Service): void {
  endpoint(
    app,
    "get",
    RUNNERS,
    {
      id: "listRunners",
      tag: "runners",
      summary: "List the runners that the caller may read",
      query: v.strictObject({
        ...listFields(Object.keys(RUNNER_LIST.fields)),
        group_id: v.optional(v.pipe(v.string(), v.uuid())),
      }),
      answer: RunnerPage,
    },
    async ({ principal, params, query }) => listRunners(db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "delete",
    "/api/v1/orgs/:org_id/runners/:runner_id",
    { id: "deleteRunner", tag: "runners", summary: "Remove a runner that holds no run", problems: [404, 409] },
    async ({ principal, params }) => {
      const { id } = await authorizeRunner(db, principal, params.org_id, params.runner_id, "delete");
      const entry = { orgId: params.org_id, actor: principal, action: "runner.delete", resourceId: id } as const;
      if (!(await removeRunner(db, id, (tx) => recordAudit(tx, entry)))) throw new RunnerHoldsRunError();
    },
  );
}

function keyed({ group, privateKeyPem }: KeyedGroup) {
  return { group: groupAnswer(group), private_key: privateKeyPem };
}
