/** Commands about stacks: list, show, create, hold, release, open. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { pageOf } from "../deployments/carryThrough.ts";
import { findDeployment } from "../deployments/find.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { usage } from "../exit/failure.ts";
import { openPage } from "../login/openPage.ts";
import { type Session, stackIdOf } from "../service/session.ts";
import type { Stack } from "../service/types.ts";
import { facts } from "../terminal/table.ts";
import { labelOf } from "./labels.ts";

export type StackOptions = {
  search?: string;
  label?: string[];
  limit?: string;
  repository?: string;
  branch?: string;
  directory?: string;
  tool?: string;
  autoApprove?: string;
  reason?: string;
  print?: boolean;
};

export const list: Action<StackOptions> = async (context) => {
  const { options, screen } = context;
  const { api, orgId } = await sessionOf(context);
  const query = {
    limit: limitOf(options.limit),
    sort: "name" as const,
    order: "asc" as const,
    ...(options.search && { search: options.search }),
    ...(options.label && { labels: options.label.join(",") }),
  };
  const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/stacks", { params: { path: { org_id: orgId }, query } }));
  screen.value(page);
  screen.table<Stack>(page.items, [
    { title: "stack", value: ({ id }) => id },
    { title: "latest", value: ({ latest_deployment_status }) => latest_deployment_status },
    { title: "held", value: ({ held_at }) => (held_at === null ? "" : "held") },
    { title: "branch", value: ({ branch }) => branch },
    {
      title: "repository",
      value: ({ repository_url, working_directory }) => `${repository_url} ${working_directory}`,
      cut: true,
    },
  ]);
  if (page.next_cursor !== null) screen.note("There are more: --search, --label or --limit.");
  if (page.items.length === 0) screen.note("None.");
  return EXIT.done;
};

export const show: Action<StackOptions> = async (context, named) => {
  const session = await sessionOf(context);
  const stack = await readStack(session, await stackIdOf(session, named ?? context.options.stack));
  context.screen.value(stack);
  context.screen.out(described(stack));
  return EXIT.done;
};

export const create: Action<StackOptions> = async (context, name) => {
  const { options, screen } = context;
  const {
    repository,
    branch = "main",
    directory = ".",
    tool = "terraform",
    autoApprove = "manual",
    label = [],
  } = options;
  if (repository === undefined) throw usage("Which repository? --repository URL");
  if (tool !== "terraform" && tool !== "tofu") throw usage(`--tool: ${tool} is neither terraform nor tofu.`);
  const { api, orgId } = await sessionOf(context);
  const stack = await answerOf(
    api.POST("/api/v1/orgs/{org_id}/stacks", {
      params: { path: { org_id: orgId } },
      body: {
        name: name!,
        repository_url: repository,
        branch,
        working_directory: directory,
        tool,
        auto_approve_mode: autoApprove as Stack["auto_approve_mode"],
        labels: Object.fromEntries(label.map(labelOf)),
      },
    }),
  );
  screen.value(stack);
  screen.out(`${stack.id}\n`);
  return EXIT.done;
};

export const hold: Action<StackOptions> = async (context, named) => {
  const { options, screen } = context;
  if (!options.reason) throw usage("Why? --reason TEXT tells whoever meets it.");
  const session = await sessionOf(context);
  const path = { org_id: session.orgId, stack_id: await stackIdOf(session, named ?? options.stack) };
  const call = session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/hold", {
    params: { path },
    body: { reason: options.reason },
  });
  screen.value((await answerOf<unknown>(call)) ?? { id: path.stack_id });
  screen.note(`${path.stack_id} is on hold.`);
  return EXIT.done;
};

export const release: Action<StackOptions> = async (context, named) => {
  const { options, screen } = context;
  const session = await sessionOf(context);
  const path = { org_id: session.orgId, stack_id: await stackIdOf(session, named ?? options.stack) };
  const call = session.api.POST("/api/v1/orgs/{org_id}/stacks/{stack_id}/release", { params: { path } });
  screen.value((await answerOf<unknown>(call)) ?? { id: path.stack_id });
  screen.note(`${path.stack_id} goes on.`);
  return EXIT.done;
};

export const openStack: Action<StackOptions> = async (context, named) => {
  const session = await sessionOf(context);
  const stackId = await stackIdOf(session, named ?? context.options.stack);
  const { host, orgId } = session;
  await openPage(context, `${host}/orgs/${orgId}/stacks/${encodeURIComponent(stackId)}`);
  return EXIT.done;
};

export const openDeployment: Action<StackOptions> = async (context, named) => {
  const session = await sessionOf(context);
  await openPage(context, pageOf(session, await findDeployment(session, named, context.options.stack)));
  return EXIT.done;
};

async function readStack({ api, orgId }: Session, stackId: string): Promise<Stack> {
  const path = { org_id: orgId, stack_id: stackId };
  return answerOf(api.GET("/api/v1/orgs/{org_id}/stacks/{stack_id}", { params: { path } }));
}

function described(stack: Stack): string {
  const labels = Object.entries(stack.labels).map(([key, value]) => `${key}=${value}`);
  const latest =
    stack.latest_deployment_id === null ? null : `${stack.latest_deployment_status} ${stack.latest_deployment_id}`;
  return facts([
    ["stack", stack.id],
    ["name", stack.name],
    ["repository", stack.repository_url],
    ["branch", stack.branch],
    ["directory", stack.working_directory],
    ["tool", [stack.tool, stack.tool_version].filter((part) => part !== null).join(" ")],
    ["labels", labels.join(", ")],
    ["approval", stack.auto_approve_mode],
    ["on push", stack.deploy_on_push ? "deploys" : "nothing"],
    [
      "on hold",
      stack.held_at === null ? null : `${stack.hold_reason ?? ""} (${stack.held_by_actor?.name ?? stack.held_by})`,
    ],
    ["ends", stack.expires_at],
    ["latest", latest],
  ]);
}
