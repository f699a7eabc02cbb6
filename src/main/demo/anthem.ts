/**
 * The demo's chapters about code and secrets from several places: a submodule and a private module of one owner, a
 * module and a secret that become others while a plan waits, and a commit that is on no branch.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { type AnthemRepositories, type Sung, TICKET, VERSE } from "./anthemRepositories.ts";
import { type ApiClient, planRunOf } from "./apiClient.ts";
import type { CodeHost } from "./codeHost/codeHost.ts";
import { describePlan } from "./describePlan.ts";
import { follow, type PrintedLogs } from "./follow.ts";
import { tell } from "./narrate.ts";

export type AnthemDemo = { api: ApiClient; host: CodeHost; repositories: AnthemRepositories; tool: string };

const STACK = "anthem";
const SELECTOR = { concert: "yes" };

/** @throws when anything is not as it is told */
export async function anthemChapters(demo: AnthemDemo): Promise<void> {
  const { repositories, host } = demo;
  const { configuration, withTitle } = repositories;
  const titled = (title: string) => configuration.commit(`Call it ${title}`, withTitle(title, host.urlOf("modules")));

  tell.chapter("A stack of three private repositories: its own, a submodule, a module");
  await repositories.begin("a choir");
  await titled("Anthem");
  const first = secret();
  const context = await begin(demo, first);
  await confirm(demo, await planned(demo));
  await expectSung(demo, { title: "Anthem", verse: VERSE, score: "a choir", ticket: digestOf(first) });
  tell.fact("git asked a credential helper for the owner's other repositories; the login is in no log and no variable");

  await listState(demo);

  tell.chapter("While a plan waits its module's branch moves, and its secret is rotated");
  await titled("Great Anthem");
  const waiting = await planned(demo);
  const moved = await repositories.score("a brass band");
  const second = secret();
  await rotate(demo, context, second);
  tell.fact(`the module's branch is at ${moved.slice(0, 8)} now, and ${TICKET} has another value`);
  await confirm(demo, waiting);
  await expectSung(demo, { title: "Great Anthem", verse: VERSE, score: "a choir", ticket: digestOf(first) });
  tell.fact("applied is what was looked at: the files and the secret of the plan");

  tell.chapter("The next plan sees what has changed");
  await confirm(demo, await planned(demo));
  await expectSung(demo, { title: "Great Anthem", verse: VERSE, score: "a brass band", ticket: digestOf(second) });

  tell.chapter("A commit that is on no branch, as every fork's is to be had under the repository's address");
  const stray = await configuration.commit("A stranger's", withTitle("Elegy", host.urlOf("modules")), "stray");
  await configuration.removeBranch("stray");
  const refused = await deployment(demo, { commit_sha: stray }).then(
    () => "it was taken",
    (error: Error) => error.message,
  );
  ok(refused.includes("commit_not_on_branch"), refused);
  tell.fact(`refused: ${JSON.parse(refused.slice(refused.indexOf("{"))).detail}`);
}

/** The stack has no backend: what it applied is there for a command. */
async function listState({ api, tool }: AnthemDemo): Promise<void> {
  const script = `${tool} state list`;
  const { id } = await api.request<DeploymentResource>("POST", `/stacks/${STACK}/deployments/run-command`, { script });
  const path = `/stacks/${STACK}/deployments/${id}`;
  await follow(api, path, new Map(), ["finished"]);
  ok((await api.text(`${path}/logs`)).includes("terraform_data.anthem"), "the state is not there for a command");
  const { items } = await api.request<{ items: unknown[] }>("GET", `/stacks/${STACK}/state/versions`);
  tell.fact(`no backend is configured: the service keeps the state, ${items.length} version so far`);
}

/** Whose values are looked for in what the demo prints. */
const secret = () => `ticket-${randomBytes(9).toString("hex")}`;
const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** The stack, and a context with the secret for it. @returns the context's address */
async function begin({ api, host, tool }: AnthemDemo, value: string): Promise<string> {
  const variables = [{ name: TICKET, secret: true, value }];
  const { id } = await api.request<{ id: string }>("POST", "/contexts", { name: STACK, selector: SELECTOR, variables });
  await api.request("POST", "/stacks", {
    name: STACK,
    repository_url: host.urlOf("anthem"),
    branch: "main",
    working_directory: ".",
    labels: SELECTOR,
    tool,
  });
  tell.fact(`stack ${STACK}; the context of its label gives ${TICKET}, a secret that nobody can read again`);
  return `/contexts/${id}`;
}

async function rotate({ api }: AnthemDemo, context: string, value: string): Promise<void> {
  const variables = [{ name: TICKET, secret: true, value }];
  await api.request("PUT", context, { name: STACK, selector: SELECTOR, variables });
}

const deployment = ({ api }: AnthemDemo, body: object = {}) =>
  api.request<DeploymentResource>("POST", `/stacks/${STACK}/deployments`, { mode: "plan", ...body });

type Waiting = { path: string; waiting: DeploymentResource; printed: PrintedLogs };

async function planned(demo: AnthemDemo): Promise<Waiting> {
  const { id, provenance } = await deployment(demo);
  const path = `/stacks/${STACK}/deployments/${id}`;
  const printed: PrintedLogs = new Map();
  const waiting = await follow(demo.api, path, printed, ["waiting"]);
  tell.fact(`the plan: ${describePlan(waiting)}; provenance: ${provenance}`);
  return { path, waiting, printed };
}

async function confirm({ api }: AnthemDemo, { path, waiting, printed }: Waiting): Promise<void> {
  await api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: planRunOf(waiting) });
  await follow(api, path, printed, ["finished"]);
}

type State = { resources: { instances: { attributes: { input: { value: Sung } } }[] }[] };

/** What was applied last, as the state says that the service keeps. */
async function expectSung({ api }: AnthemDemo, expected: Sung): Promise<void> {
  const { resources } = await api.request<State>("GET", `/stacks/${STACK}/state`);
  const sung = resources[0]?.instances[0]?.attributes.input.value;
  deepStrictEqual(sung, expected, "the applied state is not what was planned");
  const { title, verse, score, ticket } = sung as Sung;
  tell.fact(`the state holds "${title}": "${verse}", for ${score}, ticket ${ticket.slice(0, 8)}...`);
}
