/**
 * The demo's chapters about dependencies: two stacks that read the first one's state, one deployed by the cascade, one
 * by a button.
 */
import { deepStrictEqual } from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { type ApiClient, planRunOf } from "./apiClient.ts";
import { eventually, follow } from "./follow.ts";
import { tell } from "./narrate.ts";
import type { SampleRepository } from "./sampleRepository.ts";

const CHORUS = "chorus";
const ARCHIVE = "archive";

export type DependencyDemo = { api: ApiClient; repository: SampleRepository; stackId: string; tool: string };

type Graph = {
  edges: {
    dependent: string;
    dependency: string;
    trigger: string;
    provenance: string;
    declared_at: { file: string } | null;
  }[];
};
type Dependent = {
  dependent_stack_id: string;
  trigger: string;
  skipped_reason: string | null;
  evidence: string;
  triggering_resources: { parent_resource: string; dependent_resource: string }[];
  triggered_deployment_id: string | null;
};

/**
 * The cascade and the button, after an apply that turned `before` into `after`.
 * @throws when anything is not as it is told
 */
export async function cascadeChapters(
  demo: DependencyDemo,
  before: Record<string, string>,
  after: Record<string, string>,
): Promise<void> {
  tell.chapter("The cascade: what was promoted set off the chorus, and says why");
  const { parent, dependents } = await lastApply(demo);
  const chorus = dependents[CHORUS];
  const why = chorus?.triggering_resources.map((one) => `${one.dependent_resource} reads ${one.parent_resource}`);
  tell.fact(`${CHORUS}: trigger ${chorus?.trigger}, evidence ${chorus?.evidence}: ${why?.join("; ")}`);
  const path = `/stacks/${CHORUS}/deployments/${chorus?.triggered_deployment_id}`;
  const child = await follow(demo.api, path, new Map(), ["finished"]);
  deepStrictEqual(child.origin_dependency_deployment_id, parent, "the child names another parent");
  deepStrictEqual(await sung(demo, CHORUS), songOf(after), "the chorus sings something else");
  tell.fact(`finished, origin ${child.origin_type}, path ${child.cascade_stack_path.join(" > ")}: ${songOf(after)}`);

  tell.chapter("The button: the archive waits for a person");
  const kept = await sung(demo, ARCHIVE);
  tell.fact(`${ARCHIVE}: not deployed, ${dependents[ARCHIVE]?.skipped_reason}; its state is still "${kept}"`);
  deepStrictEqual(kept, songOf(before), "the archive was deployed by nobody");
  const button = `/stacks/${demo.stackId}/deployments/${parent}/dependents/${ARCHIVE}/deploy`;
  const { id } = await demo.api.request<DeploymentResource>("POST", button);
  tell.fact("a person presses it, looks at the plan and confirms");
  await confirmed(demo, ARCHIVE, id);
  deepStrictEqual(await sung(demo, ARCHIVE), songOf(after), "the archive holds something else");
  tell.fact(`finished: ${songOf(after)}`);
}

/**
 * Two stacks that read the greetings from their state: one says so in a comment, of the other it is inferred. @throws
 */
export async function readerChapter(demo: DependencyDemo, applied: Record<string, string>): Promise<void> {
  const { api, repository, stackId, tool } = demo;
  tell.chapter("Two more stacks read the greetings from their state");
  const comment = `# svc:dependency: from_stack=${stackId} from_resource=output.greetings trigger=always`;
  await repository.write(`${CHORUS}/main.tf`, reader(demo, CHORUS, comment));
  await repository.write(`${ARCHIVE}/main.tf`, reader(demo, ARCHIVE, ""));
  await repository.commit("A chorus and an archive; leave Pluto to others", applied);
  tell.fact(`${CHORUS}/main.tf says: ${comment}`);
  await Promise.all(
    [CHORUS, ARCHIVE].map(async (name) => {
      await api.request("POST", "/stacks", {
        name,
        repository_url: repository.url,
        branch: "main",
        working_directory: name,
        tool,
        auto_approve_mode: name === CHORUS ? "auto" : "manual",
      });
      const { id } = await api.request<DeploymentResource>("POST", `/stacks/${name}/deployments`, { mode: "plan" });
      await confirmed(demo, name, id);
    }),
  );
  const edges = await eventually("the edges of both", async () => {
    const graph = await api.request<Graph>("GET", `/stacks/${stackId}/dependencies`);
    return new Set(graph.edges.map(({ dependent }) => dependent)).size === 2 && graph.edges;
  });
  for (const { dependent, dependency, provenance, trigger, declared_at } of edges) {
    const place = declared_at === null ? "" : ` in ${declared_at.file}`;
    tell.fact(`${dependent} depends on ${dependency}: ${provenance}${place}, ${trigger}`);
  }
}

/** The greetings' newest deployment that applied something, and what became of its dependents. */
async function lastApply({
  api,
  stackId,
}: DependencyDemo): Promise<{ parent: string; dependents: Record<string, Dependent> }> {
  const deployments = `/stacks/${stackId}/deployments`;
  const { items } = await api.request<{ items: DeploymentResource[] }>("GET", `${deployments}?status=finished`);
  const applied = items.find(({ stages }) => stages.some(({ run }) => run?.kind === "apply_run"));
  const path = `${deployments}/${applied?.id}`;
  const rows = await eventually("the dependents", async () => {
    const answer = await api.request<{ dependents_resolved_at: string | null; items: Dependent[] }>(
      "GET",
      `${path}/dependents`,
    );
    return answer.dependents_resolved_at !== null && answer.items;
  });
  return {
    parent: String(applied?.id),
    dependents: Object.fromEntries(rows.map((one) => [one.dependent_stack_id, one])),
  };
}

/** Follow it to its end, and confirm its plan where a person has to. */
async function confirmed({ api }: Pick<DependencyDemo, "api">, stack: string, id: string): Promise<void> {
  const path = `/stacks/${stack}/deployments/${id}`;
  const printed = new Map();
  const reached = await follow(api, path, printed, ["waiting", "finished"]);
  if (reached.status === "finished") return;
  await api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: planRunOf(reached) });
  await follow(api, path, printed, ["finished"]);
}

const stateOf = ({ repository }: DependencyDemo, stack: string) => join(dirname(repository.state), `${stack}.tfstate`);
const songOf = (greetings: Record<string, string>) =>
  Object.keys(greetings)
    .sort()
    .map((name) => greetings[name])
    .join(", ");

async function sung(demo: DependencyDemo, stack: string): Promise<string> {
  const state = JSON.parse(await readFile(stateOf(demo, stack), "utf8"));
  return state.resources.find((one: { type: string }) => one.type === "terraform_data").instances[0].attributes.input
    .value;
}

function reader(demo: DependencyDemo, stack: string, comment: string): string {
  return `terraform {
  backend "local" {
    path = ${JSON.stringify(stateOf(demo, stack))}
  }
}

${comment}
data "terraform_remote_state" "greetings" {
  backend = "local"
  config  = { path = ${JSON.stringify(demo.repository.state)} }
}

resource "terraform_data" "song" {
  input = join(", ", values(data.terraform_remote_state.greetings.outputs.greetings))
}
`;
}
