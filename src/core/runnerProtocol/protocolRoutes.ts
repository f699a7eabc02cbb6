/** All routes that runners call, below `/api/v1` (docs/rules/runner-protocol.md#the-routes). */
import { Hono } from "hono";
import { runStateRoutes } from "../state/runStateRoutes.ts";
import { groupRoutes } from "./coordinatorRoutes.ts";
import type { RunnerDeps } from "./deps.ts";
import { runRoutes } from "./routes.ts";
import { runnerRoutes } from "./runnerRoutes.ts";

export function runnerProtocolRoutes(deps: RunnerDeps): Hono {
  return new Hono()
    .route("/runner-groups", groupRoutes(deps))
    .route("/runners", runnerRoutes(deps))
    .route("/runs", runRoutes(deps))
    .route("/runs", runStateRoutes({ ...deps, db: deps.service.db }));
}
