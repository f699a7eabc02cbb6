import type { Hono } from "hono";
import { type AppEnv, endpoint } from "../../http/endpoint.ts";
import { InvalidValueError } from "../../platform/problems/requestErrors.ts";
import type { Service } from "../../work/service.ts";
import { requireSession } from "../authorization/requireSession.ts";
import {
  type AuditEntryAnswer,
  AuditPage,
  AuditPageQuery,
  AuditQuery,
  exportAudit,
  listAudit,
  listInstallationAudit,
} from "./list.ts";

/** The audit trail; reading it needs (org, update). */
export function auditRoutes(app: Hono<AppEnv>, { db, lists }: Service): void {
  endpoint(
    app,
    "get",
    "/api/v1/orgs/:org_id/audit-log",
    {
      id: "listAuditLog",
      tag: "audit",
      summary: "Who changed what",
      description:
        "Filters take exact values; action and resource_type several, separated by commas. With format=jsonl the answer is application/x-ndjson.",
      query: AuditQuery,
      answer: AuditPage,
      problems: [403],
    },
    async ({ principal, params, query, c }) => {
      const { format, ...filters } = query();
      if (format !== "jsonl") return listAudit(db, principal, params.org_id, filters, lists);
      const { limit, cursor, sort, ...rest } = filters;
      refuseOfPages({ limit, cursor });
      const batches = await exportAudit(db, principal, params.org_id, rest, lists);
      const headers = { "content-type": "application/x-ndjson", "cache-control": "no-store" };
      return c.body(ReadableStream.from(lines(batches)), 200, headers);
    },
  );
}

/** An export that takes them and gives everything would be taken for a page. */
function refuseOfPages(filters: Record<string, unknown>): void {
  const fields = Object.keys(filters).filter((field) => filters[field] !== undefined);
  if (fields.length === 0) return;
  throw new InvalidValueError(
    fields.map((field) => ({ field, message: "does not go with format=jsonl, which gives everything that matches" })),
  );
}

/** What concerns no organization: people disabled everywhere, super-admins made. */
export function installationAuditRoute(app: Hono<AppEnv>, { db }: Service): void {
  endpoint(
    app,
    "get",
    "/api/operator/v1/audit-log",
    {
      id: "listInstallationAuditLog",
      tag: "operator",
      summary: "Who changed what that belongs to no organization",
      description: "For super-admins, by session. Filters as for an organization's audit log.",
      query: AuditPageQuery,
      answer: AuditPage,
      problems: [403],
    },
    async ({ principal, query }) => listInstallationAudit(db, requireSession(principal), query()),
  );
}

/**
 * An error half-way breaks the connection off: the status has been sent, and an end that looks regular would be a lie.
 */
async function* lines(batches: AsyncIterable<AuditEntryAnswer[]>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const batch of batches) {
    yield encoder.encode(batch.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  }
}
