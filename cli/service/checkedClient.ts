/** The typed calls, whose answers are the service's own: else what is wrong is named. */
import { type Api, type ApiOptions, apiClient } from "../../clients/api/client.ts";
import { assertJson, type CallCheck } from "./missingCall.ts";

export function checkedClient(options: ApiOptions, check: CallCheck): Api {
  const { baseUrl } = options;
  const api = apiClient(options);
  api.use({
    async onResponse({ schemaPath, request: { method }, response }) {
      assertJson(baseUrl, response);
      await check({ method, path: schemaPath, response });
      return undefined;
    },
  });
  return api;
}
