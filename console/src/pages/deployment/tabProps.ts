import type { DeploymentPlace } from "../../data/plans.ts";
import type { Deployment } from "../../data/types.ts";
import type { Screen } from "./usePlanOnScreen.ts";

/** What each part of a deployment's page is given. */
export type TabProps = { place: DeploymentPlace; deployment: Deployment; screen: Screen };
