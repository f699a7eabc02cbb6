/**
 * The demo's chapter about approvals: a plan that two have to approve, and a replan that voids what one of them said.
 */
import { deepStrictEqual, ok } from "node:assert/strict";
import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { type ApiClient, planRunOf } from "./apiClient.ts";
import { follow } from "./follow.ts";
import { tell } from "./narrate.ts";
import { smallRepository } from "./smallRepository.ts";

export type ApprovalDemo = {
  api: ApiClient;
  /** The same organization, called by somebody else. */
  as: (token: string) => ApiClient;
  folder: string;
  tool: string;
};

type Made = { id: string };
type Approvals = { required: { given: unknown[] }[]; reviews: { standing: string }[] };
const STACK = "vault";

/** @throws when anything is not as it is told */
export async function approvalChapter({ api, as, folder, tool }: ApprovalDemo): Promise<void> {
  tell.chapter("A plan that two others have to approve");
  const repository = await smallRepository(folder, STACK);
  await repository.commit("What is worth a second look", {
    "main.tf": `resource "terraform_data" "gold" {\n  input = 1\n}\n`,
  });
  const permissions = ["read", "review"].map((action) => ({ resource_type: "stack", action }));
  const role = await api.request<Made>("POST", "/roles", { name: "demo reviewers", permissions });
  const [ada, ben] = [await reviewer(api, role, "demo ada"), await reviewer(api, role, "demo ben")];
  await api.request("POST", "/approval-rules", {
    ...{ name: "demo vaults", selector: { kind: "vault" }, count: 2 },
    approvers: { service_accounts: [ada.id, ben.id] },
  });
  await api.request("POST", "/stacks", {
    ...{ name: STACK, repository_url: `file://${repository.bare}`, branch: "main", tool },
    ...{ labels: { kind: "vault" }, auto_approve_mode: "auto" },
  });
  const path = await begun(api);
  const printed = new Map();
  const first = await follow(api, path, printed, ["waiting"]);
  ok(first.waiting_for?.includes("2 more approvals"), String(first.waiting_for));
  await approve(as(ada.token), path, first);
  tell.fact("one approves; somebody asks for another plan before the second one looks");
  await api.request("POST", `${path}/confirm`, { action: "replan", targets: ["terraform_data.gold"] });
  const second = await follow(api, path, printed, ["waiting"]);
  const voided = await api.request<Approvals>("GET", `${path}/approvals`);
  deepStrictEqual(
    [voided.required[0]?.given.length, voided.reviews[0]?.standing],
    [0, "voided"],
    "an approval outlived the plan it was given for",
  );
  tell.fact("the first approval was for the first plan: it is void");
  await approve(as(ada.token), path, second);
  await approve(as(ben.token), path, second);
  await follow(api, path, printed, ["finished"]);
  tell.fact("both approve this plan, and the stack, which applies by itself, goes on with the second word");
}

async function reviewer(api: ApiClient, role: Made, name: string): Promise<Made & { token: string }> {
  const { id } = await api.request<Made>("POST", "/service-accounts", { name });
  await api.request("POST", "/role-assignments", { role_id: role.id, service_account_id: id });
  const { token } = await api.request<{ token: string }>("POST", `/service-accounts/${id}/tokens`, { name: "demo" });
  return { id, token };
}

async function begun(api: ApiClient): Promise<string> {
  const { id } = await api.request<DeploymentResource>("POST", `/stacks/${STACK}/deployments`, { mode: "plan" });
  return `/stacks/${STACK}/deployments/${id}`;
}

async function approve(api: ApiClient, path: string, seen: DeploymentResource): Promise<void> {
  await api.request("POST", `${path}/reviews`, { verdict: "approve", plan_run_id: planRunOf(seen) });
}
