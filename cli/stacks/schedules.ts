/** The command `deploy schedules`: what comes by itself on a stack, or over all of them. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, type Context, sessionOf } from "../context.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { Schedule } from "../service/types.ts";
import { table } from "../terminal/table.ts";
import { labelOf } from "./labels.ts";

export type ScheduleOptions = {
  all?: boolean;
  limit?: string;
  mode?: string;
  cron?: string;
  timeZone?: string;
  at?: string;
  label?: string[];
  organization?: boolean;
};

const MODES = ["plan", "refresh", "destroy"] as const;

export const list: Action<ScheduleOptions> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const page = options.all
    ? await listAll(session, options.limit)
    : await listOf(session, await stackIdOf(session, named ?? options.stack), options.limit);
  screen.value(page);
  screen.out(
    table(page.items, [
      ...(options.all ? [{ title: "stack", value: whose }] : []),
      { title: "name", value: ({ name }: Schedule) => name },
      { title: "mode", value: ({ mode }: Schedule) => mode },
      { title: "when", value: when },
      { title: "next", value: ({ next_at, paused }: Schedule) => (paused ? "paused" : next_at) },
      { title: "last", value: last },
    ]),
  );
  if (page.next_cursor !== null) screen.note("There are more: --limit.");
  if (page.items.length === 0) screen.note("Nothing comes by itself.");
  return EXIT.done;
};

type Page = { items: Schedule[]; next_cursor: string | null };

async function listAll({ api, orgId }: Session, limit: string | undefined): Promise<Page> {
  const params = { path: { org_id: orgId }, query: { limit: limitOf(limit) } };
  return answerOf(api.GET("/api/v1/orgs/{org_id}/schedules", { params }));
}

async function listOf({ api, orgId }: Session, stackId: string, limit: string | undefined): Promise<Page> {
  const params = { path: { org_id: orgId, stack_id: stackId }, query: { limit: limitOf(limit) } };
  return answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules", { params }));
}

const whose = ({ stack_id, selector }: Schedule) =>
  stack_id ??
  Object.entries(selector ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(",");

function when({ at, cron, time_zone }: Schedule): string {
  return at ?? `${cron} (${time_zone})`;
}

/** `created, finished`, `skipped, held`, or of many stacks how many of each. */
function last({ last: occurrence }: Schedule): string | null {
  if (occurrence === null) return null;
  const { created, skipped, failed, due, reason, error, deployment_status } = occurrence;
  const counts = Object.entries({ created, skipped, failed, due }).filter(([, count]) => count > 0);
  const words = counts.map(([word, count]) => (count === 1 ? word : `${count} ${word}`));
  return [...words, reason, deployment_status, error].filter((part) => part !== null).join(", ");
}

/** @param words what stands behind `--` */
export const add =
  (words: readonly string[]): Action<ScheduleOptions> =>
  async (context, name) => {
    const { options, screen } = context;
    const { mode, cron, at, timeZone, label } = options;
    if ((cron === undefined) === (at === undefined)) throw usage("When? --cron 'FIELDS' or --at TIME");
    if ((mode === undefined) === (words.length === 0))
      throw usage("What? --mode plan, refresh or destroy, or -- COMMAND");
    if (mode !== undefined && !(MODES as readonly string[]).includes(mode))
      throw usage(`--mode: ${mode} is neither plan, refresh nor destroy.`);
    const what =
      mode === undefined ? { mode: "raw" as const, script: words.join(" ") } : { mode: mode as (typeof MODES)[number] };
    const body = {
      name: name!,
      ...what,
      ...(cron !== undefined && { cron }),
      ...(at !== undefined && { at }),
      ...(timeZone !== undefined && { time_zone: timeZone }),
    };
    const selector = label && Object.fromEntries(label.map(labelOf));
    const session = await sessionOf(context);
    const path = { org_id: session.orgId };
    const stackId = selector === undefined ? await stackIdOf(session, options.stack) : null;
    const made = await answerOf(
      selector === undefined
        ? session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules", {
            params: { path: { ...path, stack_id: stackId! } },
            body,
          })
        : session.api.POST("/api/v1/orgs/{org_id}/schedules", { params: { path }, body: { ...body, selector } }),
    );
    screen.value(made);
    screen.note(`${made.name} comes ${made.next_at ?? "never"} on ${stackId ?? whose(made)}.`);
    return EXIT.done;
  };

export const pause: Action<ScheduleOptions> = (context, name) => setPaused(context, name!, true);
export const resume: Action<ScheduleOptions> = (context, name) => setPaused(context, name!, false);

async function setPaused(context: Context<ScheduleOptions>, name: string, paused: boolean) {
  const { session, id, stackId } = await found(context, name);
  const path = { org_id: session.orgId };
  const body = { paused };
  const changed = await answerOf(
    stackId === null
      ? session.api.PATCH("/api/v1/orgs/{org_id}/schedules/{selector_schedule_id}", {
          params: { path: { ...path, selector_schedule_id: id } },
          body,
        })
      : session.api.PATCH("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules/{stack_schedule_id}", {
          params: { path: { ...path, stack_id: stackId, stack_schedule_id: id } },
          body,
        }),
  );
  context.screen.value(changed);
  context.screen.note(paused ? `${name} is paused.` : `${name} comes ${changed.next_at ?? "never"}.`);
  return EXIT.done;
}

export const remove: Action<ScheduleOptions> = async (context, name) => {
  const { session, id, stackId } = await found(context, name!);
  const path = { org_id: session.orgId };
  await answerOf<unknown>(
    stackId === null
      ? session.api.DELETE("/api/v1/orgs/{org_id}/schedules/{selector_schedule_id}", {
          params: { path: { ...path, selector_schedule_id: id } },
        })
      : session.api.DELETE("/api/v1/orgs/{org_id}/stacks/{stack_id}/schedules/{stack_schedule_id}", {
          params: { path: { ...path, stack_id: stackId, stack_schedule_id: id } },
        }),
  );
  context.screen.value({ id });
  context.screen.note(`${name} is removed.`);
  return EXIT.done;
};

/** By its name: a stack's own schedule, or one of the organization. */
async function found(context: Context<ScheduleOptions>, name: string) {
  const { options } = context;
  const session = await sessionOf(context);
  const stackId = options.organization ? null : await stackIdOf(session, options.stack);
  const { items } = stackId === null ? await listAll(session, "200") : await listOf(session, stackId, "200");
  const schedule = items.find((one) => one.name === name && (one.stack_id === null) === (stackId === null));
  if (schedule === undefined) throw usage(`${stackId ?? "The organization"} has no schedule of the name ${name}.`);
  return { session, stackId, id: schedule.id };
}
