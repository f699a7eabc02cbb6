/**
 * Methods that a path does not have: 405 with those it has, whoever asks, since routes are no secret. And HEAD, which
 * the router carries out as GET: where a GET has an effect, asking for its headers must not have it.
 */
import type { MiddlewareHandler } from "hono";
import { ProblemError } from "../platform/problems/problem.ts";

class MethodNotAllowedError extends ProblemError {
  constructor(allowed: readonly string[]) {
    const detail = "This path does not have that method.";
    super({ status: 405, code: "method_not_allowed", detail, allow: allowed });
  }
}

type Route = { method: string; path: string };

/** What an unmatched request is refused with; null where no route has the path. */
export function refusalOf(routes: readonly Route[]): (path: string) => ProblemError | null {
  let templates: { method: string; pattern: RegExp; parameters: number }[] | undefined;
  return (path) => {
    // Not before the first request: routes are added until then.
    templates ??= routes
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path: template }) => ({
        method,
        pattern: patternOf(template),
        parameters: template.split("/:").length,
      }));
    const matching = templates.filter(({ pattern }) => pattern.test(path));
    // `deployments/skip` is no deployment.
    const fewest = Math.min(...matching.map(({ parameters }) => parameters));
    const allowed = new Set(matching.filter(({ parameters }) => parameters === fewest).map(({ method }) => method));
    return allowed.size === 0 ? null : new MethodNotAllowedError([...allowed].sort());
  };
}

function patternOf(template: string): RegExp {
  const parts = template.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : part.replace(/\W/g, "\\$&")));
  return new RegExp(`^${parts.join("/")}$`);
}

/** Before a GET that does something. */
export function refuseHead(): MiddlewareHandler {
  return async (c, next) => {
    if (c.req.method === "HEAD") throw new MethodNotAllowedError(["GET"]);
    await next();
  };
}
