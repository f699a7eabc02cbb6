/** A client of the people's API, as small as a script would have it. */

import type { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import type { PlanSummary } from "../../core/runs/protocol.ts";

export type ApiClient = {
  request<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Send bytes as they are. */
  upload<T>(path: string, mediaType: string, bytes: Uint8Array<ArrayBuffer>): Promise<T>;
  /** Bytes of a text answer, from `offset` on. */
  text(path: string): Promise<string>;
};

type Body = { mediaType: string; bytes: string | Uint8Array<ArrayBuffer> };

/** @param base the organization's address, without a trailing slash. Throws with the problem's text on any refusal. */
export function apiClient(base: string, token: string): ApiClient {
  const send = async (method: string, path: string, body?: Body) => {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "content-type": body.mediaType }) },
      ...(body === undefined ? {} : { body: body.bytes }),
    });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  return {
    request: async <T>(method: string, path: string, body?: unknown) => {
      const json = body === undefined ? undefined : { mediaType: "application/json", bytes: JSON.stringify(body) };
      const answer = await send(method, path, json);
      return (answer.status === 204 ? undefined : await answer.json()) as T;
    },
    upload: async <T>(path: string, mediaType: string, bytes: Uint8Array<ArrayBuffer>) =>
      (await (await send("POST", path, { mediaType, bytes })).json()) as T,
    text: async (path) => (await send("GET", path)).text(),
  };
}

/** The newest plan of a deployment: the run that made it, for a confirm that names what was seen. */
export function planRunOf(deployment: DeploymentResource): string {
  return planOf(deployment).id;
}

/** What the newest plan would do. */
export function planSummaryOf(deployment: DeploymentResource): PlanSummary {
  return planOf(deployment).plan_summary;
}

function planOf(deployment: DeploymentResource): { id: string; plan_summary: PlanSummary } {
  const run = deployment.stages.findLast((stage) => stage.run?.plan_summary)?.run;
  if (!run?.plan_summary) throw new Error("the deployment has no plan");
  return { id: run.id, plan_summary: run.plan_summary };
}
