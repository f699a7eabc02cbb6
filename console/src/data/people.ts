import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

/** Whatever changes who may do what changes most of this. */
export const peopleKey = (org: string) => [...keys.org(org), "people"] as const;

const at = (org: string) => ({ org_id: org });
const PAGE = 100;

export function membersQuery(org: string, search?: string) {
  return pagedQuery([...peopleKey(org), "members", search], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/members", {
        params: {
          path: at(org),
          query: { sort: "login", order: "asc", limit: PAGE, ...(search && { search }), ...page },
        },
        signal,
      }),
    ),
  );
}

export function invitationsQuery(org: string) {
  return pagedQuery([...peopleKey(org), "invitations"], (page, signal) =>
    answerOf(api.GET("/api/v1/orgs/{org_id}/invitations", { params: { path: at(org), query: page }, signal })),
  );
}

/** All of them: they are choices of other dialogs too. */
export function rolesQuery(org: string) {
  return queryOptions({
    queryKey: [...peopleKey(org), "roles"],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET("/api/v1/orgs/{org_id}/roles", {
            params: { path: at(org), query: { sort: "name", order: "asc", limit: 200 } },
            signal,
          }),
        )
      ).items,
  });
}

/** Of one member, one service account, or one role. */
export type Holder = { user_id: string } | { service_account_id: string } | { role_id: string };

export function assignmentsQuery(org: string, of: Holder) {
  return queryOptions({
    queryKey: [...peopleKey(org), "assignments", of],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET("/api/v1/orgs/{org_id}/role-assignments", {
            params: { path: at(org), query: { limit: 200, ...of } },
            signal,
          }),
        )
      ).items,
  });
}

export function serviceAccountsQuery(org: string) {
  return pagedQuery([...peopleKey(org), "accounts"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/service-accounts", {
        params: { path: at(org), query: { sort: "name", order: "asc", limit: PAGE, ...page } },
        signal,
      }),
    ),
  );
}

export function serviceAccountQuery(org: string, account: string) {
  return queryOptions({
    queryKey: [...peopleKey(org), "account", account],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET("/api/v1/orgs/{org_id}/service-accounts/{account_id}", {
          params: { path: { ...at(org), account_id: account } },
          signal,
        }),
      ),
  });
}

export function accountTokensQuery(org: string, account: string) {
  return pagedQuery([...peopleKey(org), "account", account, "tokens"], (page, signal) =>
    answerOf(
      api.GET("/api/v1/orgs/{org_id}/service-accounts/{account_id}/tokens", {
        params: { path: { ...at(org), account_id: account }, query: page },
        signal,
      }),
    ),
  );
}
