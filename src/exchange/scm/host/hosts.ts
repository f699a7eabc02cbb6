/** The code hosts behind integrations: one client each, with its tokens, kept while the integration is as it was. */
import { readCache } from "../../../platform/cache/readCache.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { type AuthConfig, openAuth } from "../authConfig.ts";
import type { IntegrationRow } from "../schema.ts";
import { appCredentials } from "./appCredentials.ts";
import { type RepositoryCalls, repositoryCalls } from "./client.ts";
import { fixedCredentials, type HostCredentials } from "./credentials.ts";
import { HostError } from "./errors.ts";
import { FileLists } from "./fileLists.ts";
import type { IntegrationHealth } from "./health.ts";
import { octokitOver, type Transport, transportOver } from "./transport.ts";
import { Writers } from "./writers.ts";

export type Hosts = {
  /** Calls about one repository with an integration's credentials. @throws HostError, DecryptionError */
  repository(integration: IntegrationRow, repositoryKey: string): Promise<RepositoryCalls>;
  /** The same for some work, whose failures tell which integration was used. @throws as `repository` and the work do */
  asking<T>(
    integration: IntegrationRow,
    repositoryKey: string,
    work: (calls: RepositoryCalls) => Promise<T>,
  ): Promise<T>;
  fileLists: FileLists;
  writers: Writers;
};

type Asking<T> = [integration: IntegrationRow, repositoryKey: string, work: (calls: RepositoryCalls) => Promise<T>];
type Opened = { integration: IntegrationRow; baseUrl: string };
type Client = { transport: Transport; credentials: HostCredentials; baseUrl: string };

const REMEMBERED = 500;

export function openHosts(deps: {
  egress: Pick<Egress, "request" | "through">;
  keyring: Pick<Keyring, "open">;
  /** Told how each piece of work ended. */
  health?: Pick<IntegrationHealth, "succeeded" | "failed">;
  /** Longest time of one call; a setting for tests. */
  timeoutMs?: number;
}): Hosts {
  const clients = readCache((_key: string, { integration, baseUrl }: Opened) => open(integration, baseUrl), {
    max: REMEMBERED,
  });

  async function open(integration: IntegrationRow, baseUrl: string): Promise<Client> {
    const transport = transportOver(octokitOver(deps.egress, baseUrl, deps.timeoutMs));
    const auth = await openAuth(deps.keyring, integration);
    return { transport, credentials: credentialsOf(auth, transport), baseUrl };
  }

  const hosts: Hosts = {
    fileLists: new FileLists(),
    writers: new Writers(),
    async asking(integration, repositoryKey, work) {
      return deps.egress.through(integration.orgId, () => asked(integration, repositoryKey, work));
    },
    async repository(integration, repositoryKey) {
      const address = repositoryOf(repositoryKey);
      if (address === null) throw new HostError("not_found");
      if (!servesHost(integration, repositoryKey)) throw new HostError("refused");
      const baseUrl = integration.apiBaseUrl ?? PUBLIC_API;
      const key = `${integration.id} ${integration.updatedAt} ${baseUrl}`;
      const { transport, credentials } = await clients.forceFetch(key, { context: { integration, baseUrl } });
      return repositoryCalls(transport, credentials, { ...address, baseUrl });
    },
  };
  return hosts;

  async function asked<T>(...[integration, repositoryKey, work]: Asking<T>): Promise<T> {
    try {
      const answer = await work(await hosts.repository(integration, repositoryKey));
      await deps.health?.succeeded(integration.id);
      return answer;
    } catch (error) {
      await deps.health?.failed(integration.id, error);
      throw error instanceof HostError ? error.askedBy(integration.name) : error;
    }
  }
}

function credentialsOf(auth: AuthConfig, transport: Transport): HostCredentials {
  if (auth.kind === "app") return appCredentials(auth, transport);
  return fixedCredentials(auth.kind === "token" ? auth.token : undefined);
}

/** `host/owner/name`; null for other forms, which no host of this family has. */
function repositoryOf(repositoryKey: string): { host: string; owner: string; name: string } | null {
  const [host, owner, name, ...rest] = repositoryKey.split("/");
  return host && owner && name && rest.length === 0 && host !== "file" ? { host, owner, name } : null;
}

/** Where an integration without an `api_base_url` of its own leads. */
export const PUBLIC_API = "https://api.github.com";

/** Where the public code host takes SSH from behind a firewall. */
const PUBLIC_NAMES = ["ssh.github.com"];

/** Names of the host beside that of its API. */
export function otherNames({ apiBaseUrl, hostNames }: Pick<IntegrationRow, "apiBaseUrl" | "hostNames">): string[] {
  return apiBaseUrl === null ? [...hostNames, ...PUBLIC_NAMES] : hostNames;
}

/**
 * Whether the repository's host is the one the integration has credentials for. A pattern may match more addresses than
 * its writer thought of, and whoever may write a stack may write its address: a token never goes to another host than
 * its own.
 */
export function servesHost(
  integration: Pick<IntegrationRow, "apiBaseUrl" | "hostNames">,
  repositoryKey: string,
): boolean {
  const { apiBaseUrl } = integration;
  const host = repositoryKey.split("/", 1)[0] ?? "";
  const api = URL.parse(apiBaseUrl ?? PUBLIC_API)?.hostname ?? "";
  return api === host || api === `api.${host}` || otherNames(integration).includes(host);
}
