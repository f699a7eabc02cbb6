/** The command `deploy code-hosts`: how the organization's code hosts answer, and asking one now. */
import { answerOf } from "../../clients/api/client.ts";
import { type Action, sessionOf } from "../context.ts";
import { EXIT } from "../exit/exitCodes.ts";
import { Failure, usage } from "../exit/failure.ts";
import type { Session } from "../service/session.ts";
import type { CodeHost, CodeHostTest } from "../service/types.ts";
import { cleaned } from "../terminal/clean.ts";
import { table } from "../terminal/table.ts";

export type CodeHostOptions = { test?: boolean; repository?: string };

export const codeHosts: Action<CodeHostOptions> = async (context, named) => {
  const { options, screen } = context;
  if (named === undefined && (options.test || options.repository !== undefined)) {
    throw usage("--test needs the name of an integration");
  }
  const session = await sessionOf(context);
  const all = await listed(session);
  if (named === undefined) {
    screen.value({ items: all });
    screen.out(table(all, COLUMNS));
    if (all.length === 0) screen.note("No code host: public repositories are read without one.");
    return EXIT.done;
  }
  const one = all.find(({ id, name }) => name === named || id === named);
  if (one === undefined) {
    const message = `There is no integration with a code host named ${cleaned(named)}.`;
    throw Failure.of(EXIT.notFound, message, "`deploy code-hosts` lists them.");
  }
  if (!options.test) {
    screen.value(one);
    screen.out(described(one));
    return EXIT.done;
  }
  const found = await tested(session, one.id, options.repository);
  screen.value(found);
  screen.out(outcome(found));
  return found.ok ? EXIT.done : EXIT.failed;
};

const COLUMNS = [
  { title: "name", value: ({ name }: CodeHost) => name },
  { title: "kind", value: ({ host_kind }: CodeHost) => host_kind },
  { title: "state", value: stateOf },
  { title: "answered", value: ({ last_success_at }: CodeHost) => last_success_at },
  { title: "webhook", value: ({ webhook_check }: CodeHost) => webhook_check?.state },
  { title: "failure", value: (row: CodeHost) => (stateOf(row) === "fails" ? row.last_failure?.reason : null) },
];

/** A failure that is older than the last answer is over. */
function stateOf({ last_success_at, last_failure }: CodeHost): "answers" | "fails" | "unknown" {
  if (last_failure && (last_success_at === null || last_failure.at > last_success_at)) return "fails";
  return last_success_at === null ? "unknown" : "answers";
}

async function listed({ api, orgId }: Session): Promise<CodeHost[]> {
  const items: CodeHost[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { sort: "name", order: "asc", limit: 200, ...(cursor !== undefined && { cursor }) } as const;
    const params = { path: { org_id: orgId }, query };
    const page = await answerOf(api.GET("/api/v1/orgs/{org_id}/scm-integrations", { params }));
    items.push(...page.items);
    if (page.next_cursor === null) return items;
    cursor = page.next_cursor;
  }
}

function tested({ api, orgId }: Session, id: string, repository: string | undefined): Promise<CodeHostTest> {
  const path = { org_id: orgId, integration_id: id };
  const body = repository === undefined ? {} : { repository_url: repository };
  return answerOf(api.POST("/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/test", { params: { path }, body }));
}

function described(one: CodeHost): string {
  const { last_failure: failure, webhook_check: webhook } = one;
  return lines([
    `${one.name}  ${one.host_kind}  ${stateOf(one)}`,
    `repositories: ${one.url_pattern}`,
    ...(one.api_base_url === null ? [] : [`API: ${one.api_base_url}`]),
    `answered last: ${one.last_success_at ?? "never"}`,
    ...(failure === null ? [] : [`failed last: ${failure.at}, ${failure.reason}`]),
    ...(webhook ? [webhookWords(webhook)] : []),
    // A service of before there were kinds says nothing of them.
    ...(one.limitations ?? []).map((limit) => `- ${limit}`),
  ]);
}

function outcome({ ok, repository, reason, webhook }: CodeHostTest): string {
  const first = ok ? `${repository} can be read.` : `${repository}: ${reason}`;
  return lines([first, ...(webhook ? [webhookWords(webhook)] : [])]);
}

function webhookWords({ state, missing, reason }: NonNullable<CodeHostTest["webhook"]>): string {
  const lacks = missing.length === 0 ? "" : `, missing: ${missing.join("; ")}`;
  return `webhook: ${state}${lacks}${reason === null ? "" : ` (${reason})`}`;
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${cleaned(text)}\n`).join("");
}
