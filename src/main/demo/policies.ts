/** The demo's chapter about policies: one denies a destroy, and is overridden with a reason. */
import { ok } from "node:assert/strict";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { type ApiClient, planRunOf } from "./apiClient.ts";
import { follow, type PrintedLogs } from "./follow.ts";
import { tell } from "./narrate.ts";

const LOOK_MS = 200;

/** @throws when anything is not as it is told */
export async function policyChapter(api: ApiClient, stackId: string): Promise<void> {
  tell.chapter("A policy denies a destroy, and is overridden with a reason");
  const rules = { protected_types: ["terraform_data"], max_destroys: 1 };
  const settings = { name: "keep the greetings", enforcement: "mandatory" };
  const policy = await api.request<{ id: string }>("POST", "/policies", { ...settings, rules });
  const deployments = `/stacks/${stackId}/deployments`;
  const { id } = await api.request<DeploymentResource>("POST", deployments, { mode: "destroy" });
  const path = `${deployments}/${id}`;
  const printed: PrintedLogs = new Map();
  await follow(api, path, printed, ["waiting"]);
  const denied = await decided(api, path);
  tell.fact(`it waits: ${denied.waiting_for}`);
  const apply = { action: "apply", plan_run_id: planRunOf(denied) };
  const refused = await api.request("POST", `${path}/confirm`, apply).then(
    () => "it was taken",
    (error: Error) => error.message,
  );
  ok(refused.includes("policy_denied"), refused);
  tell.fact("a person confirms it: 409 policy_denied");
  const override = { plan_run_id: planRunOf(denied), reason: "the greetings move to another stack" };
  const opened = await api.request<DeploymentResource>("POST", `${path}/policy-override`, override);
  ok(opened.gates.length === 0, "the override opened nothing");
  const said = await api.request<{ items: { overridden_by: string; override_reason: string }[] }>(
    "GET",
    `${path}/policy-evaluations`,
  );
  tell.fact(`overridden by ${said.items[0]?.overridden_by}: ${said.items[0]?.override_reason}`);
  await api.request("POST", `${path}/skip`, {});
  await follow(api, path, printed, ["skipped"]);
  tell.fact("somebody has second thoughts and skips it; nothing was destroyed");
  await api.request("DELETE", `/policies/${policy.id}`);
}

/** Once the policies have looked. */
async function decided(api: ApiClient, path: string): Promise<DeploymentResource> {
  for (;;) {
    const deployment = await api.request<DeploymentResource>("GET", path);
    const [gate] = deployment.gates;
    ok(gate !== undefined, "no policy looked at the plan");
    if (gate.code === "policy_denied") return deployment;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
