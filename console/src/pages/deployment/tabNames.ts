/** Which tabs a deployment has, and the one that is open by itself. Pure. */
import type { Deployment } from "../../data/types.ts";
import { planStateOf } from "./planState.ts";

const TABS = ["changes", "text", "log", "events", "dependents", "json"] as const;
export type Tab = (typeof TABS)[number];

export function tabsOf({ mode }: Pick<Deployment, "mode">): Tab[] {
  if (mode === "raw") return ["log", "events", "json"];
  return TABS.filter((tab) => tab !== "dependents" || (mode !== "plan_unlocked" && mode !== "drift"));
}

/** The plan while somebody may have to look at it; the log where something is at work or went wrong. */
export function defaultTab(deployment: Deployment): Tab {
  if (deployment.mode === "raw") return "log";
  if (["applying", "requested_cancellation", "cancelling", "failed"].includes(deployment.status)) return "log";
  const plan = planStateOf(deployment);
  return plan.kind === "failed" || (plan.kind === "coming" && deployment.status === "planning") ? "log" : "changes";
}
