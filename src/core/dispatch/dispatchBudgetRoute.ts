/**
 * `GET /api/v1/orgs/{org_id}/dispatch-budget`: whether the organization is throttled, and when its next run can be
 * claimed (docs/rules/dispatch.md#the-budget-of-runs-per-hour).
 */
import type { Hono } from "hono";
import * as v from "valibot";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { requireOrg } from "../../people/authorization/authorize.ts";
import { NotFoundError } from "../../platform/problems/problem.ts";
import type { Service } from "../../work/service.ts";
import { readBudget } from "./dispatchBudget.ts";
import type { DispatchLimits } from "./types.ts";

const Budget = v.pipe(
  v.object({
    throttled: v.boolean(),
    runs_per_hour_limit: v.number(),
    available: v.pipe(v.number(), v.metadata({ description: "Runs that can be claimed now; at most 24 hours' worth" })),
    next_slot_seconds: v.pipe(
      v.number(),
      v.metadata({ description: "Until a run can be claimed; 0 when one can now" }),
    ),
  }),
  v.metadata({ ref: "DispatchBudget" }),
);

/** @param limits with the limiter switched off nobody is throttled, whatever the bucket holds */
export function dispatchBudgetRoute(
  app: Hono<AppEnv>,
  { db }: Service,
  limits: Pick<DispatchLimits, "rateLimit">,
): void {
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/dispatch-budget",
    {
      id: "getDispatchBudget",
      tag: "organizations",
      summary: "What is left of the organization's runs per hour",
      answer: Budget,
      problems: [403, 404],
    },
    async ({ principal, params }) => {
      await requireOrg(db, principal, params.org_id, { type: "org", action: "read" });
      const budget = await readBudget(db, params.org_id);
      if (!budget) throw new NotFoundError();
      const next_slot_seconds = limits.rateLimit ? budget.next_slot_seconds : 0;
      return { throttled: next_slot_seconds > 0, ...budget, next_slot_seconds };
    },
  );
}
