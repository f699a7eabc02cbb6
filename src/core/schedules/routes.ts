import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import type { Principal } from "../../http/principal.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import { requireUuids } from "../../platform/problems/requireRow.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { Schedule, SchedulePage } from "./answer.ts";
import { ScheduleChanges, SelectorScheduleBody, StackScheduleBody } from "./fields.ts";
import { listSchedules, listStackSchedules, readSchedule, SCHEDULE_LIST } from "./read.ts";
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  type Owner,
  requireSchedule,
  type WriteDeps,
} from "./write.ts";

const ORG = "/api/v1/orgs/:org_id";
const STACK = `${ORG}/stacks/:stack_id/schedules` as const;
const MANY = `${ORG}/schedules` as const;
const tag = "schedules";
const ListQuery = v.strictObject(listFields(Object.keys(SCHEDULE_LIST.fields)));

/** Deployments and commands that come by themselves. */
export function scheduleRoutes(app: Hono<AppEnv>, deps: WriteDeps): void {
  stackRoutes(app, deps);
  selectorRoutes(app, deps);
}

function stackRoutes(app: Hono<AppEnv>, deps: WriteDeps): void {
  const { service } = deps;
  const { db } = service;
  type Params = { org_id: string; stack_id: string };
  const ownerOf = async (principal: Principal, { org_id, stack_id }: Params, action: "read" | "update") =>
    ({ orgId: org_id, stack: await authorizeStack(db, principal, org_id, stack_id, action) }) satisfies Owner;
  endpoint(
    app,
    "get",
    STACK,
    {
      id: "listStackSchedules",
      tag,
      summary: "List what comes by itself on a stack, by schedules of its own and by those whose selector fits it",
      query: ListQuery,
      answer: SchedulePage,
      problems: [404],
    },
    async ({ principal, params, query }) =>
      listStackSchedules(db, await authorizeStack(db, principal, params.org_id, params.stack_id, "read"), query()),
  );
  endpoint(
    app,
    "post",
    STACK,
    {
      id: "createStackSchedule",
      tag,
      summary: "Have a deployment or a command come by itself, once or by a cron schedule",
      description: "Needs (stack, update), and for its mode (stack, deploy) or (stack, run_command).",
      body: StackScheduleBody,
      answer: Schedule,
      status: 201,
      problems: [404, 409],
    },
    async ({ principal, params, body }) =>
      createSchedule(deps, principal, await ownerOf(principal, params, "update"), await body()),
  );
  endpoint(
    app,
    "get",
    `${STACK}/:stack_schedule_id`,
    { id: "getStackSchedule", tag, summary: "Read a schedule of a stack", answer: Schedule, problems: [404] },
    async ({ principal, params }) => {
      await requireSchedule(db, await ownerOf(principal, params, "read"), params.stack_schedule_id);
      return readSchedule(db, params.stack_schedule_id);
    },
  );
  endpoint(
    app,
    "patch",
    `${STACK}/:stack_schedule_id`,
    {
      id: "changeStackSchedule",
      tag,
      summary: "Change some of a schedule, pause it or let it go on",
      description: "Needs (stack, update); to do something else or at another time also what creating it needs.",
      body: ScheduleChanges,
      answer: Schedule,
      problems: [404, 409],
    },
    async ({ principal, params, body }) =>
      changeSchedule(
        deps,
        principal,
        await ownerOf(principal, params, "update"),
        params.stack_schedule_id,
        await body(),
      ),
  );
  endpoint(
    app,
    "delete",
    `${STACK}/:stack_schedule_id`,
    { id: "deleteStackSchedule", tag, summary: "Delete a schedule; what it has made goes on", problems: [404] },
    async ({ principal, params }) =>
      deleteSchedule(service, principal, await ownerOf(principal, params, "update"), params.stack_schedule_id),
  );
}

function selectorRoutes(app: Hono<AppEnv>, deps: WriteDeps): void {
  const { service } = deps;
  const { db } = service;
  const ownerOf = async (principal: Principal, orgId: string, action: "read" | "update") => {
    await requireOrg(db, principal, orgId, { type: "stack", action });
    requireUuids(orgId);
    return { orgId, stack: null } satisfies Owner;
  };
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listSchedules",
      tag,
      summary:
        "List the schedules of all stacks that the caller may read; those of selectors need (stack, read) without a pattern",
      query: ListQuery,
      answer: SchedulePage,
    },
    ({ principal, params, query }) => listSchedules(db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createSchedule",
      tag,
      summary: "Have a deployment or a command come by itself on every stack that a selector fits",
      description:
        "Needs (stack, update) and, for its mode, (stack, deploy) or (stack, run_command), each without a pattern, and (label, update) on every key of the selector.",
      body: SelectorScheduleBody,
      answer: Schedule,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      createSchedule(deps, principal, await ownerOf(principal, params.org_id, "update"), await body()),
  );
  endpoint(
    app,
    "get",
    `${MANY}/:selector_schedule_id`,
    {
      id: "getSchedule",
      tag,
      summary: "Read a schedule of a selector; needs (stack, read) without a pattern",
      answer: Schedule,
      problems: [403, 404],
    },
    async ({ principal, params }) => {
      await requireSchedule(db, await ownerOf(principal, params.org_id, "read"), params.selector_schedule_id);
      return readSchedule(db, params.selector_schedule_id);
    },
  );
  endpoint(
    app,
    "patch",
    `${MANY}/:selector_schedule_id`,
    {
      id: "changeSchedule",
      tag,
      summary: "Change some of a selector's schedule, pause it or let it go on",
      description:
        "Needs (stack, update) without a pattern; to do something else or at another time also what creating it needs.",
      body: ScheduleChanges,
      answer: Schedule,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      changeSchedule(
        deps,
        principal,
        await ownerOf(principal, params.org_id, "update"),
        params.selector_schedule_id,
        await body(),
      ),
  );
  endpoint(
    app,
    "delete",
    `${MANY}/:selector_schedule_id`,
    {
      id: "deleteSchedule",
      tag,
      summary: "Delete a selector's schedule; needs (stack, update) without a pattern",
      problems: [403, 404],
    },
    async ({ principal, params }) =>
      deleteSchedule(
        service,
        principal,
        await ownerOf(principal, params.org_id, "update"),
        params.selector_schedule_id,
      ),
  );
}
