import { type DriftReport, MOST_DRIFTED } from "../../src/core/runs/protocol.ts";
import type { PlanDocument, ResourceChange } from "./planDocument.ts";
import { isChange } from "./planSummary.ts";

const LONGEST_ADDRESS = 1_024;

/**
 * What the engine found changed outside of it, by address, from `resource_drift` alone: exit code and text say it only
 * of a plan as a whole. An address that only moved within the state is no drift.
 */
export function driftReport(plan: PlanDocument, mask: (text: string) => string): DriftReport {
  const drifted = plan.resource_drift.filter((entry) => isChange(entry) && !onlyMoved(entry));
  const resources = drifted
    .map((entry) => ({ address: mask(entry.address).slice(0, LONGEST_ADDRESS), action: actionOf(entry) }))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
  return { resources: resources.slice(0, MOST_DRIFTED), total: drifted.length };
}

function onlyMoved({ change }: ResourceChange): boolean {
  return change.actions.every((action) => action === "no-op" || action === "read");
}

/** What is gone drops out of the state; everything else is another than it was. */
function actionOf({ change }: ResourceChange): string {
  return change.actions.join(",") === "delete" ? "deleted" : "changed";
}
