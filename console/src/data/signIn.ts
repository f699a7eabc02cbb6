/** Ways of signing in, as the service offers them. */
import { queryOptions } from "@tanstack/react-query";
import { answerOf } from "../../../clients/api/client.ts";
import type { operations } from "../../../clients/api/schema.d.ts";
import { api } from "./api.ts";
import { BASE_PATH } from "./base.ts";

export type Way = { key: string; name: string; path: string };
/** Of the service's own providers. */
export type PlatformKey = operations["startLinking"]["parameters"]["path"]["provider_key"];

export function platformWaysQuery() {
  return queryOptions({
    queryKey: ["sign-in", "platform"],
    queryFn: async ({ signal }): Promise<(Way & { key: PlatformKey })[]> =>
      (await answerOf(api.GET("/api/v1/auth/sso/providers", { signal }))).map(({ key, display_name }) => ({
        key: key as PlatformKey,
        name: display_name,
        path: `/api/v1/auth/sso/${encodeURIComponent(key)}/start`,
      })),
  });
}

/** Of one organization, by the handle that its people know. */
export function orgWaysQuery(handle: string) {
  return queryOptions({
    queryKey: ["sign-in", "org", handle],
    enabled: /^[a-z0-9][a-z0-9-]{1,62}$/.test(handle),
    queryFn: async ({ signal }): Promise<Way[]> =>
      (
        await answerOf(api.GET("/api/v1/auth/sso/orgs/{handle}/providers", { params: { path: { handle } }, signal }))
      ).map(({ key, display_name, start_path }) => ({ key, name: display_name, path: start_path })),
  });
}

/** @param returnTo a path of the console, without what a proxy puts in front of it */
export function signInAddress({ path }: Way, returnTo: string): string {
  return `${BASE_PATH}${path}?return_to=${encodeURIComponent(returnTo)}`;
}
