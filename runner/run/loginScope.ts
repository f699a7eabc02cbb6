/** Where git may take a repository's credentials: to its own scheme, host and port, and not by plain http. */
import type { RunSettings } from "../config/config.ts";
import { isLoopback } from "../config/loopback.ts";

export type LoginSettings = Pick<RunSettings, "gitLoginsByHttp">;

/** The repository's address without a login, or null where none may be sent there. */
export function loginScope(repositoryUrl: string, { gitLoginsByHttp }: LoginSettings): URL | null {
  const url = URL.parse(repositoryUrl);
  if (url === null || !isSafe(url, gitLoginsByHttp)) return null;
  return new URL(`${url.origin}${url.pathname}`);
}

/** Whether there are credentials that do not go because everybody on the way could read them. */
export function isTooOpen(repositoryUrl: string, { gitLoginsByHttp }: LoginSettings): boolean {
  const url = URL.parse(repositoryUrl);
  return url?.protocol === "http:" && !isSafe(url, gitLoginsByHttp);
}

function isSafe(url: URL, byHttp: boolean): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && (byHttp || isLoopback(url)));
}
