/** `deploy notifications list|create|test`: where an organization's events go. */
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { answerOf } from "../../clients/api/client.ts";
import type { operations } from "../../clients/api/schema.d.ts";
import { type Action, sessionOf } from "../context.ts";
import { limitOf } from "../deployments/lists.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import type { NotificationIntegration } from "../service/types.ts";
import { labelOf } from "../stacks/labels.ts";

type Body = operations["createNotificationIntegration"]["requestBody"]["content"]["application/json"];
export type IntegrationOptions = {
  limit?: string;
  as?: NotificationIntegration["provider_type"];
  event?: string[];
  label?: string[];
  changesOnly?: boolean;
  to?: string[];
  input?: string;
};

/** What most want to hear of. */
const USUAL = ["deployment_waiting_for_confirmation", "deployment_failed", "run_failed_to_start"];

export const list: Action<IntegrationOptions> = async (context) => {
  const { options, screen } = context;
  const { api, orgId } = await sessionOf(context);
  const query = { limit: limitOf(options.limit), sort: "name" as const, order: "asc" as const };
  const params = { path: { org_id: orgId }, query };
  const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/notification-integrations", { params }));
  screen.value(page);
  screen.table<NotificationIntegration>(page.items, [
    { title: "name", value: ({ name }) => name },
    { title: "as", value: ({ provider_type }) => provider_type },
    { title: "state", value: ({ enabled }) => (enabled ? "enabled" : "disabled") },
    { title: "to", value: ({ provider_config }) => (provider_config.recipients ?? []).join(" "), cut: true },
    { title: "events", value: ({ events }) => events.join(" "), cut: true },
  ]);
  if (page.next_cursor !== null) screen.note("There are more: --limit.");
  if (page.items.length === 0) screen.note("Nobody is told anything.");
  return EXIT.done;
};

export const create: Action<IntegrationOptions> = async (context, name) => {
  const { options, screen } = context;
  const form = options.as;
  if (form === undefined) throw usage("In which form? --as slack, teams, email, chat or webhook");
  const auth = await authOf(form, options.input);
  if (form === "email" && options.to === undefined) throw usage("To whom? --to ADDRESS, as often as needed");
  if (form !== "email" && options.to !== undefined) throw usage("--to is for email; an address comes with --input.");
  const { api, orgId } = await sessionOf(context);
  const body = {
    ...{ name, provider_type: form, events: options.event ?? USUAL, changes_only: options.changesOnly === true },
    stack_label_selector: Object.fromEntries((options.label ?? []).map(labelOf)),
    ...(form === "email" && { provider_config: { recipients: options.to } }),
    ...(auth !== undefined && { auth_config: auth }),
  } as Body;
  const params = { path: { org_id: orgId } };
  const made = await answerOf(api.POST("/api/v1/orgs/{org_id}/notification-integrations", { params, body }));
  screen.value(made);
  screen.note(`${made.name} is told of ${made.events.join(", ")}. Try it: deploy notifications test "${made.name}"`);
  return EXIT.done;
};

export const test: Action<IntegrationOptions> = async (context, name) => {
  const session = await sessionOf(context);
  const { id } = await named(session, name ?? "");
  const path = { org_id: session.orgId, notification_integration_id: id };
  const answer = await answerOf(
    session.api.POST("/api/v1/orgs/{org_id}/notification-integrations/{notification_integration_id}/test", {
      params: { path },
    }),
  );
  context.screen.value(answer);
  context.screen.out(`${answer.result}\n`);
  return answer.result === "2xx" ? EXIT.done : EXIT.failed;
};

/** An address alone, or all of `auth_config`; none where the service's own mail server is meant. */
async function authOf(form: string, input: string | undefined): Promise<object | undefined> {
  if (input === undefined) {
    if (form === "email") return undefined;
    throw usage("Where to? --input FILE with the address, or - for stdin");
  }
  const given = (await (input === "-" ? text(process.stdin) : readFile(input, "utf8"))).trim();
  if (!given.startsWith("{")) return { url: given };
  try {
    return JSON.parse(given);
  } catch {
    throw usage("--input holds neither an address nor JSON.");
  }
}

async function named({ api, orgId }: Session, name: string): Promise<NotificationIntegration> {
  for (let cursor: string | undefined; ; ) {
    const params = { path: { org_id: orgId }, query: { limit: 200, ...(cursor !== undefined && { cursor }) } };
    const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/notification-integrations", { params }));
    const found = page.items.find((one) => one.name === name || one.id === name);
    if (found !== undefined) return found;
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  throw Failure.of(EXIT.notFound, `There is no integration ${name}.`, "deploy notifications list has all of them.");
}
