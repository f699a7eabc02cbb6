import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import { api, whoAmI } from "./api.ts";
import { keys } from "./keys.ts";
import { pagedQuery } from "./pages.ts";
import { session } from "./session.ts";

/** Who is signed in; null for nobody. */
export function meQuery() {
  return queryOptions({
    queryKey: keys.me,
    queryFn: async () => {
      const me = await whoAmI();
      if (me === null) session.none();
      else session.began(me);
      return me;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const tokensKey = [...keys.me, "tokens"] as const;
export const sessionsKey = [...keys.me, "sessions"] as const;
export const identitiesKey = [...keys.me, "identities"] as const;
export const offersKey = [...keys.me, "offers"] as const;

export function tokensQuery() {
  return pagedQuery(tokensKey, (page, signal) =>
    answerOf(api.GET("/api/v1/me/tokens", { params: { query: page }, signal })),
  );
}

export function sessionsQuery() {
  return pagedQuery(sessionsKey, (page, signal) =>
    answerOf(api.GET("/api/v1/me/sessions", { params: { query: page }, signal })),
  );
}

export function identitiesQuery() {
  return pagedQuery(identitiesKey, (page, signal) =>
    answerOf(api.GET("/api/v1/me/identities", { params: { query: page }, signal })),
  );
}

export function offersQuery() {
  return pagedQuery(offersKey, (page, signal) =>
    answerOf(api.GET("/api/v1/me/membership-offers", { params: { query: page }, signal })),
  );
}
