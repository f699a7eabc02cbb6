/** Adapters on the `core` task queue, run as local activities: one transaction at most, then the row as it is now. */

import { carryOutDecision } from "../src/core/deployments/transitions/decide.ts";
import { carryOutBatch } from "../src/core/deployments/transitions/decideMany.ts";
import { passDeploymentDeadline } from "../src/core/deployments/transitions/deploymentDeadline.ts";
import { passRunDeadline } from "../src/core/deployments/transitions/runDeadline.ts";
import { deploymentView } from "../src/core/deployments/view.ts";
import { passPolicyDeadline } from "../src/core/policies/begin.ts";
import { previewView } from "../src/core/pullRequests/publish.ts";
import { runView } from "../src/core/runs/view.ts";
import type { Service } from "../src/work/service.ts";
import type { CoreActivities } from "../workflows/views.ts";

/** `publicBaseUrl` is where the links in what is published lead. */
export function coreActivities(service: Service, publicBaseUrl?: string): CoreActivities {
  const readDeployment = (id: string) => deploymentView(service.db, service.timeouts, id);
  const readRun = (id: string) => runView(service.db, service.timeouts, id);
  return {
    readDeployment,
    readRun,
    readPreview: (key) => previewView({ db: service.db, publicBaseUrl }, key),
    async decide(deploymentId, decisionId) {
      const result = await carryOutDecision(service, decisionId);
      return { result, view: await readDeployment(deploymentId) };
    },
    async decideMany(deploymentId, batchId) {
      const result = await carryOutBatch(service, batchId, { carrier: deploymentId });
      return { result, view: await readDeployment(deploymentId) };
    },
    async deploymentDeadline(id) {
      if ((await passDeploymentDeadline(service, id)) === "policy") await passPolicyDeadline(service, id);
      return readDeployment(id);
    },
    async runDeadline(id) {
      await passRunDeadline(service, id);
      return readRun(id);
    },
  };
}
