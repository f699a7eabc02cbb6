/** The demo's chapters about outputs: an orchestra is given its pitch by another stack, waits for it and follows it. */
import { deepStrictEqual, ok } from "node:assert/strict";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { type ApiClient, planRunOf } from "./apiClient.ts";
import { eventually, follow } from "./follow.ts";
import { tell } from "./narrate.ts";
import { smallRepository } from "./smallRepository.ts";

const TUNING = "tuning";
const ORCHESTRA = "orchestra";

export type OutputDemo = { api: ApiClient; folder: string; tool: string };

/** @throws when anything is not as it is told */
export async function outputChapters({ api, folder, tool }: OutputDemo): Promise<void> {
  tell.chapter("A stack is given an output of another one");
  const repository = await smallRepository(folder, "concert");
  await repository.commit("A pitch, and who plays by it", {
    [`${TUNING}/main.tf`]: tuning(440),
    [`${ORCHESTRA}/main.tf`]: PLAYERS,
  });
  for (const name of [TUNING, ORCHESTRA]) {
    await api.request("POST", "/stacks", {
      name,
      repository_url: `file://${repository.bare}`,
      branch: "main",
      working_directory: name,
      tool,
      auto_approve_mode: name === ORCHESTRA ? "auto" : "manual",
    });
  }
  await api.request("PUT", `/stacks/${TUNING}/output-readers/${ORCHESTRA}`, { sensitive: false });
  tell.fact(`${ORCHESTRA}/main.tf says: ${COMMENT}`);
  const early = await begun(api, ORCHESTRA);
  const waits = await follow(api, early, new Map(), ["failed"]);
  ok(waits.error?.includes("the stack was not applied yet"), String(waits.error));
  tell.fact(`planned too early, it is told what is missing: ${waits.error}`);

  const first = await applied(api);
  await played(api, first, 440);
  tell.fact(`${TUNING} was applied: ${ORCHESTRA}, which has waited for that, plays at 440`);

  tell.chapter("The output changes, and the other stack follows");
  await repository.commit("A brighter pitch", { [`${TUNING}/main.tf`]: tuning(443) });
  await played(api, await applied(api), 443);
  tell.fact(`${ORCHESTRA} plays at 443`);
}

async function begun(api: ApiClient, stack: string): Promise<string> {
  const { id } = await api.request<DeploymentResource>("POST", `/stacks/${stack}/deployments`, { mode: "plan" });
  return `/stacks/${stack}/deployments/${id}`;
}

/** The pitch, planned, confirmed and applied. @returns the deployment's id */
async function applied(api: ApiClient): Promise<string> {
  const path = await begun(api, TUNING);
  const printed = new Map();
  const waiting = await follow(api, path, printed, ["waiting"]);
  await api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: planRunOf(waiting) });
  return (await follow(api, path, printed, ["finished"])).id;
}

type State = { resources: { instances: { attributes: { input: { value: number } } }[] }[] };

/** The orchestra was deployed after `parent`, and its state has the pitch. */
async function played(api: ApiClient, parent: string, pitch: number): Promise<void> {
  const followed = await eventually(`the deployment of ${ORCHESTRA}`, async () => {
    const { items } = await api.request<{ items: DeploymentResource[] }>("GET", `/stacks/${ORCHESTRA}/deployments`);
    return items.find(({ origin_dependency_deployment_id }) => origin_dependency_deployment_id === parent);
  });
  await follow(api, `/stacks/${ORCHESTRA}/deployments/${followed.id}`, new Map(), ["finished"]);
  const { resources } = await api.request<State>("GET", `/stacks/${ORCHESTRA}/state`);
  deepStrictEqual(resources[0]?.instances[0]?.attributes.input.value, pitch, "the orchestra plays at another pitch");
}

const tuning = (pitch: number) => `output "pitch" {
  value = ${pitch}
}
`;

const COMMENT = `# svc:dependency: from_stack=${TUNING} from_resource=output.pitch as=TF_VAR_pitch trigger=always`;
const PLAYERS = `${COMMENT}
variable "pitch" {
  type = number
}

resource "terraform_data" "players" {
  input = var.pitch
}
`;
