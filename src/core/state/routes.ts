/** A stack's state for people and service accounts, below `.../stacks/{stack_id}/state`. */
import type { Hono } from "hono";
import type { AppEnv } from "../../http/endpoint.ts";
import type { EngineDeps } from "./engineCalls.ts";
import { engineRoutes } from "./engineRoutes.ts";
import { type VersionRoutesDeps, versionRoutes } from "./versionRoutes.ts";

export function stateRoutes(app: Hono<AppEnv>, deps: EngineDeps & VersionRoutesDeps): void {
  engineRoutes(app, deps);
  versionRoutes(app, deps);
}
