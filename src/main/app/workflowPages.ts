/** Where Temporal's own pages show the workflow of a deployment. */
import { workflowIds } from "../../../workflows/ids.ts";

/** @param base of Temporal's pages, without a slash at its end; undefined where there are none for people */
export function workflowPages(base: string | undefined, namespace: string): (deploymentId: string) => string | null {
  return (deploymentId) => {
    if (base === undefined) return null;
    const workflow = encodeURIComponent(workflowIds.deployment(deploymentId));
    return `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/${workflow}`;
  };
}
