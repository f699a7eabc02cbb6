/**
 * The same problem as `problemResponse` gives, for a person who looks at it: signing in happens in a browser's address
 * bar.
 */
import { STATUS_CODES } from "node:http";
import type { Context } from "hono";
import { html } from "hono/html";
import { problemResponse, toProblem } from "../platform/problems/problem.ts";

/** Pages that a browser is sent to; everything else is for programs, which say so by not asking for HTML. */
const VISITED = /^\/api\/v1\/auth\/sso\/(?:.+\/start|callback)$/;

/** Whether a person's browser is showing this answer as a page. */
export function isVisit(c: Context): boolean {
  return c.req.method === "GET" && VISITED.test(c.req.path) && (c.req.header("accept") ?? "").includes("text/html");
}

/** @returns the problem as a small page, with the headers of `problemResponse` */
export async function problemPage(error: unknown, requestId: string): Promise<Response> {
  const { status, headers } = problemResponse(error, requestId);
  const problem = toProblem(error);
  const title = status === 403 || status === 401 ? "That did not work" : (STATUS_CODES[status] ?? "Not possible");
  const detail = problem?.detail ?? `Something went wrong on our side. The request was ${requestId}.`;
  const fields = (problem?.errors ?? []).map(({ field, message }) => html`<p>${field}: ${message}</p>`);
  headers.set("content-type", "text/html; charset=utf-8");
  headers.set("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  const page = await html`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${title}</title>
<style>body{font:16px system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}</style>
<h1>${title}</h1>
<p>${detail}</p>
${fields}
</html>`;
  return new Response(page, { status, headers });
}
