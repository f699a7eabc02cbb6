/** `.../deployments/{id}/dependents`: what an apply triggered, and the button for what it did not. */
import type { Hono } from "hono";
import { authorizeDeployment } from "../../core/deployments/authorizeDeployment.ts";
import { DeploymentResource } from "../../core/deployments/resourceSchema.ts";
import { type DeploymentRoutesDeps, ONE, pathOf, tag } from "../../core/deployments/route.ts";
import { stackScope } from "../../core/stacks/requestScope.ts";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { deployDependent } from "./deployDependent.ts";
import { DependentListQuery, DependentPage, listDependents } from "./list.ts";

export function dependentRoutes(
  app: Hono<AppEnv>,
  { service, headOf }: Pick<DeploymentRoutesDeps, "service" | "headOf">,
): void {
  endpoint(
    app,
    "get",
    `${ONE}/dependents`,
    {
      id: "listDependents",
      tag,
      summary: "The stacks that depended on this apply, and what each was given",
      query: DependentListQuery,
      answer: DependentPage,
      problems: [404],
    },
    async ({ principal, params, query }) => {
      const parent = await authorizeDeployment(service.db, principal, pathOf(params), "read");
      return listDependents(service.db, principal, parent, query());
    },
  );
  endpoint(
    app,
    "post",
    `${ONE}/dependents/:dependent_stack_id/deploy`,
    {
      id: "deployDependent",
      tag,
      summary: "Deploy a dependent of this apply that was not triggered by itself",
      description:
        "Creates a plan deployment of the dependent. Needs (stack, deploy) on the dependent and (stack, read) on the applied " +
        "stack. Takes Idempotency-Key.",
      answer: DeploymentResource,
      status: 201,
      problems: [404, 409, 422, 502, 503],
    },
    async ({ principal, params, c }) =>
      deployDependent(service, headOf, {
        principal,
        path: pathOf(params),
        dependentStackId: params.dependent_stack_id,
        scope: (stackKey, dependentKey) => stackScope(c, principal, stackKey, null, dependentKey),
      }),
  );
}
