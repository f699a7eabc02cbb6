/** What super-admins see of the whole installation. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";

export const usersKey = ["installation", "users"] as const;

export type UserFilter = Pick<
  NonNullable<operations["listUsers"]["parameters"]["query"]>,
  "login_prefix" | "disabled" | "is_super_admin"
>;

export function usersQuery(filter: UserFilter) {
  return pagedQuery([...usersKey, "list", filter], (page, signal) =>
    answerOf(
      api.GET("/api/v1/users", { params: { query: { sort: "login", order: "asc", ...filter, ...page } }, signal }),
    ),
  );
}

export function userQuery(id: string) {
  return queryOptions({
    queryKey: [...usersKey, "one", id],
    queryFn: ({ signal }) =>
      answerOf(api.GET("/api/v1/users/{user_id}", { params: { path: { user_id: id } }, signal })),
  });
}

/** All that the reader may see, page by page; the switch in the head has the first of them. */
export function allOrgsQuery() {
  return pagedQuery([...keys.orgs, "all"], (page, signal) =>
    answerOf(api.GET("/api/v1/orgs", { params: { query: { sort: "name", order: "asc", ...page } }, signal })),
  );
}
