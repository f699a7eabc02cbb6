/** Where a host is, and to which of its addresses the credentials of an integration may be sent by git. */
import { parseRepositoryUrl } from "../../../core/stacks/repositoryUrl.ts";
import type { IntegrationRow } from "../schema.ts";
import { KINDS } from "./kinds.ts";

type Where = Pick<IntegrationRow, "hostKind" | "apiBaseUrl">;

/** The path under which the host itself is reached, as where it shares a name with others; in lower case. */
export function pathBefore({ hostKind, apiBaseUrl }: Where): string[] {
  const path = URL.parse(apiBaseUrl ?? "")?.pathname ?? "";
  const end = KINDS[hostKind].apiPath;
  return end?.test(path) ? path.replace(end, "").toLowerCase().split("/").filter(Boolean) : [];
}

/**
 * Whether a repository's transport and port are the integration's: https at its standard port or that of the API.
 * Another port is another program, perhaps another tenant's, and so is another path where the host has one. Plain http
 * only where the API itself is plain http.
 */
export function servesOrigin(integration: Where, repositoryUrl: string): boolean {
  const { apiBaseUrl } = integration;
  const address = parseRepositoryUrl(repositoryUrl);
  if (address?.protocol !== "https" && address?.protocol !== "http") return false;
  const api = apiBaseUrl === null ? null : URL.parse(apiBaseUrl);
  if (address.protocol === "http" && api?.protocol !== "http:") return false;
  const parts = new URL(repositoryUrl).pathname.toLowerCase().split("/").filter(Boolean);
  if (!pathBefore(integration).every((part, at) => parts[at] === part)) return false;
  const usual = address.protocol === "https" ? 443 : 80;
  const ofApi = api?.protocol === `${address.protocol}:` && api.port !== "" ? Number(api.port) : usual;
  return address.port === usual || address.port === ofApi;
}
