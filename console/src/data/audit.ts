import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { BASE_URL } from "./base.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export type AuditFilter = Omit<NonNullable<operations["listAuditLog"]["parameters"]["query"]>, "cursor" | "format">;

export function auditQuery(org: string, filter: AuditFilter = {}) {
  return pagedQuery([...keys.org(org), "audit", filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/audit-log", {
        params: { path: { org_id: org }, query: { ...filter, ...page } },
        signal,
      }),
    ),
  );
}

/** Every entry that fits, one JSON object a line, for the browser to download by its own session. */
export function auditExportAddress(org: string, filter: AuditFilter): string {
  const query = new URLSearchParams({ format: "jsonl" });
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return `${BASE_URL}/api/v1/orgs/${encodeURIComponent(org)}/audit-log?${query}`;
}

/** What belongs to no organization; for super-admins. */
export function installationAuditQuery(filter: AuditFilter = {}) {
  return pagedQuery(["installation", "audit", filter], (page, signal) =>
    answerOf(api.GET("/api/operator/v1/audit-log", { params: { query: { ...filter, ...page } }, signal })),
  );
}
