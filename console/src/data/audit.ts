import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
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
