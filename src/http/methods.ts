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

type Template = Route & { pattern: RegExp; parameters: number };

function templatesOf(routes: readonly Route[]): Template[] {
  return routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => ({ method, path, pattern: patternOf(path), parameters: path.split("/:").length }));
}

/** The methods of the route that a path means: that with the fewest parameters. `deployments/skip` is no deployment. */
function methodsOf(templates: readonly Template[], path: string): string[] {
  const matching = templates.filter(({ pattern }) => pattern.test(path));
  const fewest = Math.min(...matching.map(({ parameters }) => parameters));
  return [...new Set(matching.filter(({ parameters }) => parameters === fewest).map(({ method }) => method))].sort();
}

/** What an unmatched request is refused with; null where no route has the path. */
export function refusalOf(routes: readonly Route[]): (path: string) => ProblemError | null {
  let templates: Template[] | undefined;
  return (path) => {
    // Not before the first request: routes are added until then.
    templates ??= templatesOf(routes);
    const allowed = methodsOf(templates, path);
    return allowed.length === 0 ? null : new MethodNotAllowedError(allowed);
  };
}

/** Before all routes: what has a path of its own is never taken for a name within another route's path. */
export function refuseOtherMethods(routes: readonly Route[]): MiddlewareHandler {
  let own: Template[] | undefined;
  return async (c, next) => {
    own ??= withPathsOfTheirOwn(templatesOf(routes));
    const allowed = methodsOf(own, c.req.path);
    const method = c.req.method === "HEAD" ? "GET" : c.req.method;
    if (allowed.length > 0 && !allowed.includes(method)) throw new MethodNotAllowedError(allowed);
    await next();
  };
}

/** Those whose path could be another's too. */
function withPathsOfTheirOwn(templates: readonly Template[]): Template[] {
  return templates.filter(({ path, parameters }) =>
    templates.some((other) => other.parameters > parameters && other.pattern.test(path)),
  );
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
