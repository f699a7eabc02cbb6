import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { listFields } from "../../http/listQuery.ts";
import { displayName } from "../../http/textFields.ts";
import type { Service } from "../../work/service.ts";
import { authorizeStack } from "../stacks/authorizeStack.ts";
import { labelsField } from "../stacks/fields.ts";
import { DriftPage, DriftSchedule, DriftSchedulePage, StackDrift } from "./answer.ts";
import { DriftQuery, listDrift } from "./fleet.ts";
import { DriftPolicy } from "./policy.ts";
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
  readSchedule,
  replaceSchedule,
  SCHEDULE_LIST,
} from "./schedules.ts";
import { askForCheck, readStackDrift, writePolicy } from "./stackDrift.ts";

const ORG = "/api/v1/orgs/:org_id";
const STACK = `${ORG}/stacks/:stack_id/drift` as const;
const MANY = `${ORG}/drift-schedules` as const;
const ONE = `${MANY}/:schedule_id` as const;
const tag = "drift";

/** The selector is required: one left out by mistake would have every stack checked. */
const ScheduleBody = v.strictObject({
  name: displayName(100),
  selector: labelsField({ systemKeys: true }),
  policy: DriftPolicy,
});

/** Whether what runs still is what was applied. */
export function driftRoutes(app: Hono<AppEnv>, service: Service): void {
  const { db } = service;
  endpoint(
    app,
    "get",
    `${ORG}/drift`,
    {
      id: "listDrift",
      tag,
      summary: "List the stacks that are checked for drift, of those that the caller may read",
      query: DriftQuery,
      answer: DriftPage,
    },
    ({ principal, params, query }) => listDrift(db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "get",
    STACK,
    { id: "getStackDrift", tag, summary: "Read what is known of a stack's drift", answer: StackDrift, problems: [404] },
    async ({ principal, params }) => {
      const { stackKey } = await authorizeStack(db, principal, params.org_id, params.stack_id, "read");
      return readStackDrift(db, stackKey);
    },
  );
  endpoint(
    app,
    "put",
    STACK,
    {
      id: "replaceStackDriftPolicy",
      tag,
      summary: "Say how the stack is checked, whatever schedules say",
      description:
        "Needs (stack, update); to have drift planned by itself also (stack, deploy), to have it applied (stack, confirm).",
      body: DriftPolicy,
      answer: StackDrift,
      problems: [404],
    },
    async ({ principal, params, body }) => {
      const stack = await authorizeStack(db, principal, params.org_id, params.stack_id, "update");
      return writePolicy(service, principal, stack, await body());
    },
  );
  endpoint(
    app,
    "delete",
    STACK,
    {
      id: "deleteStackDriftPolicy",
      tag,
      summary: "Let schedules say how the stack is checked; needs (stack, update)",
      answer: StackDrift,
      problems: [404],
    },
    async ({ principal, params }) => {
      const stack = await authorizeStack(db, principal, params.org_id, params.stack_id, "update");
      return writePolicy(service, principal, stack, null);
    },
  );
  endpoint(
    app,
    "post",
    `${STACK}/check`,
    {
      id: "checkStackDrift",
      tag,
      summary: "Ask for a check now; it begins when nobody needs what it would take",
      description: "Needs (stack, deploy). 409 where nothing is applied.",
      answer: StackDrift,
      status: 202,
      problems: [404, 409],
    },
    async ({ principal, params }) => {
      const stack = await authorizeStack(db, principal, params.org_id, params.stack_id, "deploy");
      return askForCheck(service, principal, stack);
    },
  );
  scheduleRoutes(app, service);
}

function scheduleRoutes(app: Hono<AppEnv>, service: Service): void {
  const needs =
    "Needs (label, update) on every key of the selector; to have drift planned by itself also (stack, deploy) without a pattern, to have it applied (stack, confirm).";
  endpoint(
    app,
    "get",
    MANY,
    {
      id: "listDriftSchedules",
      tag,
      summary: "List the schedules of checks for drift",
      query: v.strictObject(listFields(Object.keys(SCHEDULE_LIST.fields))),
      answer: DriftSchedulePage,
      problems: [403],
    },
    ({ principal, params, query }) => listSchedules(service.db, principal, params.org_id, query()),
  );
  endpoint(
    app,
    "post",
    MANY,
    {
      id: "createDriftSchedule",
      tag,
      summary: "Have the stacks that a selector fits checked for drift",
      description: `${needs} Of several schedules that fit, the one with most labels counts.`,
      body: ScheduleBody,
      answer: DriftSchedule,
      status: 201,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) => createSchedule(service, principal, params.org_id, await body()),
  );
  endpoint(
    app,
    "get",
    ONE,
    { id: "getDriftSchedule", tag, summary: "Read a schedule", answer: DriftSchedule, problems: [403, 404] },
    ({ principal, params }) => readSchedule(service.db, principal, params.org_id, params.schedule_id),
  );
  endpoint(
    app,
    "put",
    ONE,
    {
      id: "replaceDriftSchedule",
      tag,
      summary: "Replace a schedule",
      description: `${needs} The keys of the selector as it was count too.`,
      body: ScheduleBody,
      answer: DriftSchedule,
      problems: [403, 404, 409],
    },
    async ({ principal, params, body }) =>
      replaceSchedule(service, principal, params.org_id, params.schedule_id, await body()),
  );
  endpoint(
    app,
    "delete",
    ONE,
    { id: "deleteDriftSchedule", tag, summary: "Delete a schedule; what was found stays", problems: [403, 404] },
    ({ principal, params }) => deleteSchedule(service, principal, params.org_id, params.schedule_id),
  );
}
