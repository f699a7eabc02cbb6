import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export const codeHostsKey = (org: string) => [...keys.org(org), "code-hosts"] as const;
const at = (org: string) => ({ org_id: org });

export function scmIntegrationsQuery(org: string) {
  return pagedQuery([...codeHostsKey(org), "list"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/scm-integrations", {
        params: { path: at(org), query: { sort: "name", order: "asc", ...page } },
        signal,
      }),
    ),
  );
}

export function scmIntegrationQuery(org: string, id: string) {
  return queryOptions({
    queryKey: [...codeHostsKey(org), "one", id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/scm-integrations/{integration_id}", {
          params: { path: { ...at(org), integration_id: id } },
          signal,
        }),
      ),
  });
}

type Inbox = NonNullable<operations["listScmEvents"]["parameters"]["query"]>;
export type InboxStatus = NonNullable<Inbox["status"]>;

export function inboxQuery(org: string, id: string, status: InboxStatus | undefined) {
  const query = pagedQuery([...codeHostsKey(org), "one", id, "inbox", status], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/scm-integrations/{integration_id}/scm-events", {
        params: { path: { ...at(org), integration_id: id }, query: { ...(status && { status }), ...page } },
        signal,
      }),
    ),
  );
  return { ...query, refetchInterval: 15_000 };
}
