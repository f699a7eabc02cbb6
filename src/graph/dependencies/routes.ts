/** `.../dependencies` and `.../dependency-cycles`. */
import type { Hono } from "hono";
import { authorizeStack } from "../../core/stacks/authorizeStack.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import type { Db } from "../../platform/db/client.ts";
import type { Budgets } from "../analysis/budgets.ts";
import { Dependencies, dependenciesAnswer } from "./answer.ts";
import { DependencyCycles, readCycles } from "./cyclesRead.ts";
import { graphOf } from "./graph.ts";
import { neighborhood } from "./neighborhood.ts";
import { OrgGraph, OrgGraphQuery, readOrgGraph } from "./orgGraph.ts";

const ONE = "/api/v1/orgs/:org_id/stacks/:stack_id";
const tag = "dependencies";

export function dependencyRoutes(app: Hono<AppEnv>, db: Db, budgets: Budgets): void {
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/dependencies",
    {
      id: "getOrganizationGraph",
      tag,
      summary: "Which stacks of an organization depend on which, of those that the caller may read",
      query: OrgGraphQuery,
      answer: OrgGraph,
    },
    async ({ principal, params, query }) => readOrgGraph(db, principal, params.org_id, query(), budgets),
  );

  endpoint(
    app,
    "get",
    `${ONE}/dependencies`,
    {
      id: "getDependencies",
      tag,
      summary: "What a stack depends on and what depends on it",
      description:
        "Needs (stack, read). Stacks that do not exist or that you may not read are restricted nodes, alike in everything.",
      answer: Dependencies,
      problems: [404],
    },
    async ({ principal, params }) => {
      const stack = await authorizeStack(db, principal, params.org_id, params.stack_id, "read");
      const [graph, found] = await Promise.all([
        graphOf(db, stack.orgId, budgets),
        neighborhood(db, principal, stack, budgets),
      ]);
      return dependenciesAnswer(stack, found, graph);
    },
  );

  endpoint(
    app,
    "get",
    `${ONE}/dependency-cycles`,
    {
      id: "getDependencyCycles",
      tag,
      summary: "The cycle of dependencies that a stack lies on",
      description: "Needs (stack, read). An always edge on a cycle acts as manual, so that no cascade runs for ever.",
      answer: DependencyCycles,
      problems: [404],
    },
    async ({ principal, params }) => {
      const stack = await authorizeStack(db, principal, params.org_id, params.stack_id, "read");
      return readCycles(db, principal, stack, budgets);
    },
  );
}
