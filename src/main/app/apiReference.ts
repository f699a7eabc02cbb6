/**
 * `/openapi.json`, and `/api`: the same as a page for people, whole in one answer. It has no script and asks nobody
 * else for anything.
 */
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { html } from "hono/html";
import type { AppEnv } from "../../http/endpoint.ts";
import { type ApiDocument, documentOf } from "./document.ts";

type Served = { json: string; page: string; etag: string };

/** Everything in both is public: the product's routes, and nothing of an installation. */
export function apiReference(app: Hono<AppEnv>): void {
  let made: Promise<Served> | undefined;
  // Made when it is first asked for: a program that starts has more urgent work.
  const served = () => {
    made ??= serve(app);
    return made;
  };
  app.get("/openapi.json", async (c) => {
    const { json, etag } = await served();
    return c.body(json, 200, { "content-type": "application/json", etag: `"${etag}"` });
  });
  app.get("/api", async (c) => {
    const { page, etag } = await served();
    return c.body(page, 200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
      "x-content-type-options": "nosniff",
      etag: `"${etag}-page"`,
    });
  });
}

async function serve(app: Hono<AppEnv>): Promise<Served> {
  const document = await documentOf(app);
  const json = JSON.stringify(document);
  const etag = createHash("sha256").update(json).digest("base64url").slice(0, 22);
  return { json, etag, page: String(await pageOf(document)) };
}

type Documented = {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean }[];
  responses: Record<string, { description?: string }>;
};
type Line = Documented & { method: string; path: string };

function pageOf({ paths }: ApiDocument) {
  const lines: Line[] = Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Documented>).map(([method, operation]) => ({
      ...operation,
      method,
      path,
    })),
  );
  const byTag = [...Map.groupBy(lines, ({ tags }) => tags[0] ?? "other")].sort(([a], [b]) => (a < b ? -1 : 1));
  const anchor = (tag: string) => tag.replaceAll(" ", "-");
  return html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>API</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}code{font-size:.9em}
summary{cursor:pointer;padding:.2rem 0}.method{display:inline-block;min-width:4.5rem;font-weight:600}</style>
<h1>API</h1>
<p>Every route. The whole contract, with every field, is <a href="openapi.json">openapi.json</a>.</p>
<nav><ul>${byTag.map(([tag]) => html`<li><a href="#${anchor(tag)}">${tag}</a></li>`)}</ul></nav>
<main>${byTag.map(
    ([tag, operations]) => html`<h2 id="${anchor(tag)}">${tag}</h2>${operations.map(operationOf)}`,
  )}</main>
</html>`;
}

function operationOf({ method, path, summary, description, operationId, parameters = [], responses }: Line) {
  const asked = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
  return html`<details id="${operationId}"><summary><span class="method">${method.toUpperCase()}</span> <code>${path}</code>
 ${summary}</summary>${description ? html`<p>${description}</p>` : ""}
${asked.length > 0 ? html`<p>Query: <code>${asked.join(", ")}</code></p>` : ""}
<p>Answers: ${Object.keys(responses).join(", ")}</p></details>`;
}
