/** The command `deploy drift`: what is known of one stack, or what needs somebody over all of them. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT, type ExitCode } from "../exit/exitCodes.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { StackDrift } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";
import { table } from "../terminal/table.ts";

export type DriftOptions = { all?: boolean; check?: boolean; limit?: string };

export const drift: Action<DriftOptions> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  if (options.all) return listed(context, session);
  const stackId = await stackIdOf(session, named ?? options.stack);
  const path = { org_id: session.orgId, stack_id: stackId };
  const found = options.check
    ? await answerOf(session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/drift/check", { params: { path } }))
    : await answerOf(session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/drift", { params: { path } }));
  screen.value(found);
  screen.out(described(stackId, found));
  if (options.check) screen.note("A check was asked for; it begins when nobody needs what it would take.");
  else if (found.effective === null) screen.note("It is not checked: no policy of its own, and no schedule fits.");
  return EXIT.done;
};

/** Drifted and failed ones first: whoever asks over all stacks wants to know what needs somebody. */
async function listed({ options, screen }: Parameters<Action<DriftOptions>>[0], session: Session): Promise<ExitCode> {
  const query = { limit: limitOf(options.limit), status: ["drifted", "failed"] as ("drifted" | "failed")[] };
  const params = { path: { org_id: session.orgId }, query };
  const page = await answerOf(session.api.GET("/api/v1/orgs/{org_id}/drift", { params }));
  screen.value(page);
  screen.out(
    table(page.items, [
      { title: "stack", value: ({ stack_id }) => stack_id },
      { title: "status", value: ({ status }) => status },
      { title: "since", value: ({ since }) => since },
      { title: "resources", value: ({ status, total }) => (status === "drifted" ? total : null) },
      { title: "error", value: ({ error }) => error },
    ]),
  );
  if (page.next_cursor !== null) screen.note("There are more: --limit.");
  if (page.items.length === 0) screen.note("No stack has drifted.");
  return EXIT.done;
}

/** `network  drifted  since 2026-11-28T10:00:00Z  1 resource`, and the addresses below it. */
function described(stackId: string, found: StackDrift): string {
  const { status, since, total, resources, error, put_off } = found;
  const facts = [
    stackId,
    status,
    ...(since === null || status === "unknown" ? [] : [`since ${since}`]),
    ...(status === "drifted" ? [`${total} ${total === 1 ? "resource" : "resources"}`] : []),
    ...(error === null ? [] : [error]),
    ...(put_off === null ? [] : [`put off: ${put_off}`]),
  ];
  const shown = status === "drifted" ? resources : [];
  return [facts.join("  "), ...shown.map(({ address, action }) => `  ${action}  ${address}`)]
    .map((line) => `${cleaned(line)}\n`)
    .join("");
}
