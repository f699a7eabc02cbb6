/** The code hosts behind integrations: one client each, with its tokens, kept while the integration is as it was. */
import { readCache } from "../../../platform/cache/readCache.ts";
import type { Keyring } from "../../../platform/crypto/keyring.ts";
import type { Egress } from "../../../platform/egress/egress.ts";
import { openAuth } from "../authConfig.ts";
import type { IntegrationRow } from "../schema.ts";
import type { HostCredentials } from "./credentials.ts";
import { HostError } from "./errors.ts";
import { FileLists } from "./fileLists.ts";
import type { IntegrationHealth } from "./health.ts";
import { KINDS } from "./kinds.ts";
import { pathBefore } from "./origin.ts";
import type { OpenedRepository, RepositoryHost } from "./repositoryHost.ts";
import { octokitOver, type Transport, transportOver } from "./transport.ts";
import { Writers } from "./writers.ts";

export type Hosts = {
  /** One repository, asked with an integration's credentials. @throws HostError, DecryptionError */
  repository(integration: IntegrationRow, repositoryKey: string): Promise<OpenedRepository>;
  /** The same for some work, whose failures tell which integration was used. @throws as `repository` and the work do */
  asking<T>(
    integration: IntegrationRow,
    repositoryKey: string,
    work: (client: RepositoryHost) => Promise<T>,
  ): Promise<T>;
  fileLists: FileLists;
  writers: Writers;
};

type Asking<T> = [integration: IntegrationRow, repositoryKey: string, work: (client: RepositoryHost) => Promise<T>];
type Opened = { integration: IntegrationRow; baseUrl: string };
type Client = { transport: Transport; credentials: HostCredentials };

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
    return { transport, credentials: KINDS[integration.hostKind].credentials(auth, transport) };
  }

  const hosts: Hosts = {
    fileLists: new FileLists(),
    writers: new Writers(),
    async asking(integration, repositoryKey, work) {
      return deps.egress.through(integration.orgId, () => asked(integration, repositoryKey, work));
    },
    async repository(integration, repositoryKey) {
      const address = repositoryOf(integration, repositoryKey);
      if (address === null) throw new HostError("not_found");
      if (!servesHost(integration, repositoryKey)) throw new HostError("refused");
      const { hostKind } = integration;
      const baseUrl = apiOf(integration);
      if (baseUrl === null) throw new HostError("refused");
      const key = `${integration.id} ${integration.updatedAt} ${baseUrl}`;
      const { transport, credentials } = await clients.forceFetch(key, { context: { integration, baseUrl } });
      return KINDS[hostKind].repository(transport, credentials, { ...address, baseUrl });
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

type Where = Pick<IntegrationRow, "hostKind" | "apiBaseUrl">;

/** The address of the API that an integration leads to; null for a kind without a public place and without its own. */
export function apiOf({ hostKind, apiBaseUrl }: Where): string | null {
  return apiBaseUrl ?? KINDS[hostKind].publicApi;
}

/** `host/owner/name`, or as many groups as the host takes; null for other forms, which it does not have. */
function repositoryOf(integration: Where, repositoryKey: string): { owner: string; name: string } | null {
  const [host = "", ...parts] = repositoryKey.split("/");
  const prefix = pathBefore(integration);
  const isBelow = parts.length >= prefix.length + 2 && prefix.every((part, i) => parts[i] === part);
  const within = isBelow ? parts.slice(prefix.length) : parts;
  const name = within.pop();
  const isDeep = within.length > 1 && !KINDS[integration.hostKind].nested;
  if (host === "" || host === "file" || !name || within.length === 0 || isDeep) return null;
  return { owner: within.join("/"), name };
}

/** Names of the host beside that of its API. */
export function otherNames(integration: Where & Pick<IntegrationRow, "hostNames">): string[] {
  const { hostKind, apiBaseUrl, hostNames } = integration;
  return apiBaseUrl === null ? [...hostNames, ...KINDS[hostKind].publicNames] : hostNames;
}

/**
 * Whether the repository's host is the one the integration has credentials for. A pattern may match more addresses than
 * its writer thought of, and whoever may write a stack may write its address: a token never goes to another host than
 * its own.
 */
export function servesHost(integration: Where & Pick<IntegrationRow, "hostNames">, repositoryKey: string): boolean {
  const host = repositoryKey.split("/", 1)[0] ?? "";
  const api = URL.parse(apiOf(integration) ?? "")?.hostname ?? "";
  if (api === "") return false;
  const isApis = api === host || (integration.hostKind === "github" && api === `api.${host}`);
  return isApis || otherNames(integration).includes(host);
}
