/** To which origins the credentials of an integration may be sent by git. */
import { parseRepositoryUrl } from "../../../core/stacks/repositoryUrl.ts";
import type { IntegrationRow } from "../schema.ts";

/**
 * Whether a repository's transport and port are the integration's: https at its standard port or that of the API.
 * Another port is another program, perhaps another tenant's. Plain http only where the API itself is plain http.
 */
export function servesOrigin({ apiBaseUrl }: Pick<IntegrationRow, "apiBaseUrl">, repositoryUrl: string): boolean {
  const address = parseRepositoryUrl(repositoryUrl);
  if (address?.protocol !== "https" && address?.protocol !== "http") return false;
  const api = apiBaseUrl === null ? null : URL.parse(apiBaseUrl);
  if (address.protocol === "http" && api?.protocol !== "http:") return false;
  const usual = address.protocol === "https" ? 443 : 80;
  const ofApi = api?.protocol === `${address.protocol}:` && api.port !== "" ? Number(api.port) : usual;
  return address.port === usual || address.port === ofApi;
}
