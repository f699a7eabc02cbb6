/** How the kinds of code hosts differ in where they are, and who speaks to them. */
import type { AuthConfig } from "../authConfig.ts";
import type { HostKind } from "../hostKind.ts";
import { appCredentials } from "./appCredentials.ts";
import { fixedCredentials, type HostCredentials } from "./credentials.ts";
import { giteaRepository } from "./gitea/repository.ts";
import { githubRepository } from "./githubRepository.ts";
import { gitlabRepository } from "./gitlab/repository.ts";
import type { OpenedRepository, Place } from "./repositoryHost.ts";
import type { Transport } from "./transport.ts";

export type HostKindRules = {
  /** Where an integration without an `api_base_url` of its own leads; null: there is no such place. */
  publicApi: string | null;
  /** Other names of the public host, as where it takes SSH from behind a firewall. */
  publicNames: string[];
  /** What an API's path ends with, after the path of the host itself; null: a host has none of its own. */
  apiPath: RegExp | null;
  /** Whether repositories may lie in groups within groups. */
  nested: boolean;
  credentials(auth: AuthConfig, transport: Transport): HostCredentials;
  repository(transport: Transport, credentials: HostCredentials, place: Place): OpenedRepository;
};

const tokenOf = (auth: AuthConfig) => (auth.kind === "token" ? auth.token : undefined);

export const KINDS: Readonly<Record<HostKind, HostKindRules>> = {
  github: {
    publicApi: "https://api.github.com",
    publicNames: ["ssh.github.com"],
    apiPath: null,
    nested: false,
    credentials: (auth, transport) =>
      auth.kind === "app" ? appCredentials(auth, transport) : fixedCredentials(tokenOf(auth)),
    repository: githubRepository,
  },
  gitea: {
    publicApi: null,
    publicNames: [],
    apiPath: /\/api\/v1$/,
    nested: false,
    credentials: (auth) => fixedCredentials(tokenOf(auth)),
    repository: giteaRepository,
  },
  gitlab: {
    publicApi: "https://gitlab.com/api/v4",
    publicNames: ["altssh.gitlab.com"],
    apiPath: /\/api\/v4$/,
    nested: true,
    credentials: (auth) => fixedCredentials(tokenOf(auth), { scheme: "Bearer", username: "oauth2" }),
    repository: gitlabRepository,
  },
};
