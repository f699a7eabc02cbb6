/**
 * The console: one page for all its addresses, and the files it is made of. Its script decides what the address means,
 * so that links of notifications and commit statuses lead there (docs/console.md).
 */
import type { Context, Hono } from "hono";
import { preferred } from "../../http/compression.ts";
import type { AppEnv } from "../../http/endpoint.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import { type ConsoleBundle, ENCODINGS } from "./consoleBundle.ts";
import { pageLinks } from "./pageLinks.ts";

/** Every address of a page; those of programs are elsewhere. */
const PAGES = ["/", "/sign-in", "/sign-in/*", "/me", "/me/*", "/admin", "/admin/*", "/orgs", "/orgs/*"];

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** A worker is bound by the policy that came with its own script. */
const WORKER_POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'";

/** Their names say what is in them. */
const FOR_EVER = "public, max-age=31536000, immutable";

class OldAssetError extends ProblemError {
  constructor() {
    const detail = "This file is of another version of the console. Load the page again.";
    super({ status: 404, code: "not_found", detail });
  }
}

/** @param bundle null where none was built: then links lead to the resources themselves */
export function consoleRoutes(app: Hono<AppEnv>, bundle: ConsoleBundle | null): void {
  if (bundle === null) {
    pageLinks(app);
    return;
  }
  for (const page of PAGES) app.get(page, (c) => indexPage(c, bundle));
  app.get("/assets/:name", async (c) => {
    const encoding = preferred(c.req.header("accept-encoding"), ENCODINGS);
    const asset = await bundle.asset(c.req.param("name"), encoding);
    if (asset === null) throw new OldAssetError();
    return c.body(asset.body, 200, {
      "content-type": asset.type,
      "content-security-policy": WORKER_POLICY,
      "cache-control": FOR_EVER,
      vary: "accept-encoding",
      ...(encoding && { "content-encoding": encoding }),
    });
  });
}

function indexPage(c: Context, { index, etag }: ConsoleBundle): Response {
  const depth = c.req.path.split("/").length - 2;
  // The address decides what is relative to it, so it is part of what the tag is of.
  const tag = `"${etag}-${depth}"`;
  const headers = { "content-security-policy": POLICY, "cache-control": "no-cache", etag: tag };
  if (c.req.header("if-none-match") === tag) return c.body(null, 304, headers);
  // Relative, since a proxy may serve the whole below a path of its own.
  const page = index.replaceAll('"./', `"${"../".repeat(depth) || "./"}`);
  return c.body(page, 200, { ...headers, "content-type": "text/html; charset=utf-8" });
}
