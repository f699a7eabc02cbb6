/** The transitions on real Postgres, without HTTP and Temporal: what those tests begin with. */
import { expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { PlanSummary } from "../../src/core/runs/protocol.ts";
import { claim, create, makeOrg, testService, uploadPlan } from "./fixtures.ts";
import { databaseTest } from "./test.ts";

export const NONE = { add: 0, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 };
export const CHANGES: PlanSummary = { has_changes: true, counts: { ...NONE, add: 1 }, gaps: [] };

export const test = databaseTest()
  .extend("service", { scope: "file" }, ({ database }) => testService(database))
  .extend("org", { scope: "file" }, ({ database }) => makeOrg(database))
  .extend(
    "planned",
    ({ service, database, org }) =>
      async (stackKey: string, summary: unknown = CHANGES, mode: "plan" | "destroy" | "plan_unlocked" = "plan") => {
        const id = await create(service, stackKey, { mode });
        const { runId, runnerId } = await claim(database, org, id);
        expect(await acceptRun(service, runId, runnerId)).toEqual({ outcome: "accepted" });
        await uploadPlan(database, runId);
        expect(await reportDone(service, runId, runnerId, { status: "success", plan_summary: summary })).toEqual({
          outcome: "stored",
        });
        return { id, runId, runnerId };
      },
  );
