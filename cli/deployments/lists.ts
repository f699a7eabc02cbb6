/** Commands that list deployments: ls, queue. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { stackIdOf } from "../service/session.ts";
import type { Deployment } from "../service/types.ts";
import { shownDuration } from "../terminal/durations.ts";

export type ListOptions = { waitingFor?: string; status?: string; label?: string[]; limit?: string };

type Row = Pick<Deployment, "id" | "stack_id" | "mode" | "status" | "commit_sha" | "created_at"> &
  Partial<Pick<Deployment, "created_by_actor">>;

const COLUMNS = [
  { title: "stack", value: ({ stack_id }: Row) => stack_id },
  { title: "id", value: ({ id }: Row) => id },
  { title: "mode", value: ({ mode }: Row) => mode },
  { title: "status", value: ({ status }: Row) => status },
  { title: "commit", value: ({ commit_sha }: Row) => commit_sha.slice(0, 8) },
  { title: "by", value: ({ created_by_actor }: Row) => created_by_actor?.name, cut: true },
  { title: "age", value: ({ created_at }: Row) => shownDuration(Date.now() - Date.parse(created_at)) },
] as const;

export const ls: Action<ListOptions> = async (context) => {
  const { options, screen } = context;
  const { waitingFor } = options;
  if (waitingFor !== undefined && !["me", "person", "approval"].includes(waitingFor)) {
    throw usage(`--waiting-for: ${waitingFor} is none of me, person and approval.`);
  }
  const { api, orgId } = await sessionOf(context);
  const query = {
    limit: limitOf(options.limit),
    ...(waitingFor && { waiting_for: waitingFor === "approval" ? ("approval" as const) : ("person" as const) }),
    ...(waitingFor === "me" && { actionable: "me" as const }),
    ...(options.status && { status: options.status.split(",") }),
    ...(options.label && { labels: options.label.join(",") }),
  };
  const params = { path: { org_id: orgId }, query: query as never };
  const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/deployments", { params }));
  screen.value(page);
  screen.table<Row>(page.items, COLUMNS);
  if (page.next_cursor !== null) screen.note("There are more: --status, --label or --limit.");
  if (page.items.length === 0) screen.note("None.");
  return EXIT.done;
};

export const queue: Action = async (context, named) => {
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, named ?? context.options.stack);
  const path = { org_id: session.orgId, stack_id: stackId };
  const { screen } = context;
  const found = await answerOf(session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/queue", { params: { path } }));
  screen.value(found);
  const { holder, items, held_at, hold_reason, held_by_actor } = found;
  screen.table<Row>([...(holder === null ? [] : [holder]), ...items], COLUMNS);
  if (holder === null) screen.note("Nothing holds the stack.");
  if (held_at !== null) screen.note(`It is on hold: ${hold_reason} (${held_by_actor?.name ?? "somebody"})`);
  return EXIT.done;
};

export function limitOf(text: string | undefined): number {
  if (text === undefined) return 50;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 200) throw usage(`--limit: ${text} is no number from 1 to 200.`);
  return limit;
}
