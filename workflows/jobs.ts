/** What the Schedules start: one regular activity each. */
import { jobs } from "./activities.ts";

/** Compare the rows with the open workflows and heal what differs (docs/rules/workflows.md#the-reconciler). */
export async function reconciler(): Promise<Record<string, number>> {
  return jobs.reconcile();
}

/** Remove what has outlived its use: runner rows, uploads, expired memberships and the like. */
export async function housekeeping(): Promise<Record<string, number>> {
  return jobs.housekeep();
}

/** Ask for a rebuild of each organization's dependency graph (docs/rules/graph.md#rebuilding). */
export async function dependencySweep(): Promise<Record<string, number>> {
  return jobs.sweepDependencies();
}

/** Warn of organizations that have more members than seats. */
export async function seatAudit(): Promise<Record<string, number>> {
  return jobs.auditSeats();
}
