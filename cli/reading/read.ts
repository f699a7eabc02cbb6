/** Commands that read one deployment: changes, logs, events. */
import { answerOf } from "../../clients/api/client.ts";
import { exactText } from "../../clients/plan/exactJson.ts";
import { type Action, attendanceOf, sessionOf } from "../context.ts";
import { findDeployment, pathOf } from "../deployments/find.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import type { Deployment } from "../service/types.ts";
import { colorsOf } from "../terminal/colors.ts";
import { planOf } from "../watching/stages.ts";
import { Watch } from "../watching/watch.ts";
import { pour } from "./pour.ts";
import { deploymentPath, readChanges } from "./readChanges.ts";
import { renderChanges, summaryText, WHOLE } from "./renderChanges.ts";

export type ReadOptions = { text?: boolean; follow?: boolean; stage?: string };

export const changes: Action<ReadOptions> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const deployment = await findDeployment(session, named, options.stack);
  const plan = planOf(deployment);
  if (plan === null)
    throw Failure.of(
      EXIT.notFound,
      `Deployment ${deployment.id} has no plan: it is ${deployment.status}.`,
      `Watch it: deploy watch ${deployment.stack_id}/${deployment.id}`,
    );
  if (options.text === true) {
    const path = `${deploymentPath(session, pathOf(deployment))}/plan/text?run_id=${plan.runId}`;
    await pour(screen, session, path);
    return EXIT.done;
  }
  const found = await readChanges(session, pathOf(deployment), plan.runId);
  screen.valueText(exactText({ ...found, summary: plan.summary }));
  screen.out(renderChanges(found.items, colorsOf(screen.terminal).out, WHOLE));
  screen.out(`\n${summaryText(plan.summary)}\n`);
  return EXIT.done;
};

export const logs: Action<ReadOptions> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const deployment = await findDeployment(session, named, options.stack);
  if (options.follow === true || screen.json) {
    using attendance = attendanceOf(context);
    await attendance.watching(session, pathOf(deployment));
    const watch = new Watch(session, screen, pathOf(deployment));
    const last = await watch.untilRest({ logs: true, signal: attendance.signal });
    screen.value({ event: "end", deployment: last, exit_code: EXIT.done });
    return EXIT.done;
  }
  const stage = options.stage === undefined ? "" : `?stage=${stageOf(deployment, options.stage)}`;
  await pour(screen, session, `${deploymentPath(session, pathOf(deployment))}/logs${stage}`);
  return EXIT.done;
};

export const events: Action = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const { stackId, id } = pathOf(await findDeployment(session, named, options.stack));
  const path = { org_id: session.orgId, stack_id: stackId, id };
  const items: EventRow[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 200, order: "asc" as const, ...(cursor !== undefined && { cursor }) };
    const call = session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/deployments/{id}/events", {
      params: { path, query },
    });
    const page = await answerOf(call);
    items.push(...page.items);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  screen.value({ items });
  screen.table(items, [
    { title: "at", value: ({ created_at }) => created_at.replace(/\.\d+/, "") },
    { title: "what", value: ({ kind }) => kind },
    { title: "by", value: ({ actor, actor_id }) => actor?.name ?? actor_id },
    {
      title: "details",
      value: ({ details }) => (Object.keys(details).length === 0 ? "" : JSON.stringify(details)),
      cut: true,
    },
  ]);
  return EXIT.done;
};

type EventRow = {
  kind: string;
  actor_id: string | null;
  actor: { name: string | null } | null;
  details: Record<string, unknown>;
  created_at: string;
};

/** By its kind or its id. */
function stageOf({ stages }: Deployment, named: string): string {
  const found = stages.findLast(
    ({ stage_id, kind }) => stage_id === named || kind === named || kind === `${named}_run`,
  );
  if (found !== undefined) return found.stage_id;
  throw usage(
    `There is no stage ${named}; there are: ${stages.map(({ kind }) => kind.replace(/_run$/, "")).join(", ")}.`,
  );
}
