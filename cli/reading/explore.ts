/** Commands across stacks: graph, resources. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { stackIdOf } from "../service/session.ts";

/** What a stack depends on, and what depends on it. */
export const graph: Action = async (context, named) => {
  const { screen, options } = context;
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, named ?? options.stack);
  const path = { org_id: session.orgId, stack_id: stackId };
  const found = await answerOf(
    session.api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}/dependencies", { params: { path } }),
  );
  screen.value(found);
  const byKey = new Map(found.nodes.map((node) => [node.key, node]));
  const shown = (key: string) => {
    const node = byKey.get(key);
    if (node === undefined || node.restricted) return "(not for you to read)";
    return node.kind === "stack" || node.stack === node.id ? (node.id ?? "?") : `${node.stack}: ${node.id}`;
  };
  screen.table(found.edges, [
    { title: "dependent", value: ({ dependent }) => shown(dependent) },
    { title: "depends on", value: ({ dependency }) => shown(dependency) },
    { title: "trigger", value: ({ trigger }) => trigger },
  ]);
  if (found.edges.length === 0) screen.note(`Nothing depends on ${stackId}, and it depends on nothing.`);
  return EXIT.done;
};

export const resources: Action<{ limit?: string }> = async (context, search) => {
  const { screen, options } = context;
  const { api, orgId } = await sessionOf(context);
  const query = {
    limit: limitOf(options.limit),
    ...(search !== undefined && { search }),
    ...(options.stack && { stack: options.stack }),
  };
  const params = { path: { org_id: orgId }, query };
  const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/explore/resources", { params }));
  screen.value(page);
  screen.table(page.items, [
    { title: "stack", value: ({ stack }) => stack.id },
    { title: "address", value: ({ address }) => address },
    { title: "identity", value: ({ identity }) => identity, cut: true },
  ]);
  if (page.next_cursor !== null) screen.note("There are more; search for more of the name, or use --limit.");
  if (page.items.length === 0) screen.note("None.");
  return EXIT.done;
};
