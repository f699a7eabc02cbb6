/** `svc_dependency_budget` and `svc_dependency_usage` (docs/rules/limits.md#metrics). */
import { expect } from "vitest";
import { showBudgets, usageMeter } from "../../src/graph/dependencies/usage.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { createMetrics } from "../../src/platform/telemetry/metrics.ts";
import { BUDGETS, makeEdges, makeStacks } from "../support/dependencies.ts";
import { makeOrg } from "../support/fixtures.ts";
import { databaseTest } from "../support/test.ts";

const test = databaseTest();

test("each budget is shown as it is set", async () => {
  const metrics = createMetrics();
  showBudgets(metrics, { ...BUDGETS, maxPairEdges: 7 });
  const { values } = await metrics.dependencyBudget.get();
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.budget, value]))).toEqual({
    max_org_edges: 200_000,
    max_org_stack_pairs: 200_000,
    max_neighborhood_edges: 200_000,
    max_direct_dependent_edges_per_stack: 10_000,
    max_direct_dependent_edges: 50_000,
    max_inferred_edges_per_stack: 5_000,
    max_response_edges: 2_000,
    max_pair_edges: 7,
  });
});

test("an organization's use is counted when its graph became another, and not before", async ({ database }) => {
  const { orgId } = await makeOrg(database);
  const { net, app, web } = await makeStacks(database, orgId, ["net", "app", "web"]);
  await makeEdges(database, orgId, [
    { from: app, slug: "net" },
    { from: app, slug: "net", parentAddress: "output.a" },
    { from: app, on: net, address: "data.a.b", parentAddress: "a.b" },
    { from: web, slug: "net" },
    { from: web, slug: "missing" },
    { from: net, slug: "dns" },
  ]);
  const metrics = createMetrics();
  const measure = usageMeter(database.db, BUDGETS, metrics);
  await measure(orgId);
  const { values } = await metrics.dependencyUsage.get();
  expect(values.every(({ labels }) => labels.org === orgId)).toBe(true);
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.budget, value]))).toEqual({
    max_org_edges: 6,
    max_org_stack_pairs: 2,
    max_inferred_edges_per_stack: 1,
    max_direct_dependent_edges: 4,
    max_direct_dependent_edges_per_stack: 3,
    max_neighborhood_edges: 5,
  });
  expect((await countStatements(() => measure(orgId))).statements).toHaveLength(1);
  await makeEdges(database, orgId, [{ from: web, slug: "app" }]);
  await measure(orgId);
  const after = (await metrics.dependencyUsage.get()).values.find(({ labels }) => labels.budget === "max_org_edges");
  expect(after?.value).toBe(7);
});
