import type { Hono } from "hono";
import type { AppEnv } from "../../http/endpoint.ts";

const PAGES = ["/orgs/:org_id/stacks/:stack_id", "/orgs/:org_id/stacks/:stack_id/deployments/:deployment_id"];

/**
 * Comments, commit statuses and notifications link to the page of a stack or deployment. Where no user interface
 * answers in front of the service, the link leads to the resource itself; who may see it is decided there.
 */
export function pageLinks(app: Hono<AppEnv>): void {
  for (const page of PAGES) {
    app.get(page, (c) => {
      const { path } = c.req;
      // Relative, since a proxy may serve the whole below a path of its own.
      const up = "../".repeat(path.split("/").length - 2);
      return c.redirect(`${up}api/v1${path}`, 302);
    });
  }
}
