/** What runs and their creation need of a repository: a token to clone with, and the head of a branch. */

import type { Head } from "../../core/deployments/head.ts";
import type { RunContext } from "../../core/runs/protocol.ts";
import { repositoryKey } from "../../core/stacks/repositoryUrl.ts";
import type { Db } from "../../platform/db/client.ts";
import { ProblemError } from "../../platform/problems/problem.ts";
import type { Commit } from "./host/commits.ts";
import { HostError } from "./host/errors.ts";
import { type Hosts, servesHost } from "./host/hosts.ts";
import { servesOrigin } from "./host/origin.ts";
import type { RepositoryHost } from "./host/repositoryHost.ts";
import { integrationFor } from "./integrations.ts";
import type { IntegrationRow } from "./schema.ts";

/** The host gave no token; a later accept may get one. */
class CloneCredentialsError extends ProblemError {
  constructor(cause: HostError) {
    const detail = `The repository's credentials could not be obtained: ${cause.reason}.`;
    const retryAfterSeconds = Math.ceil((cause.retryAfterMs ?? 5_000) / 1_000);
    super({ status: 503, code: "credentials_unavailable", detail, retryAfterSeconds });
  }
}

type Located = { orgId: string; repositoryUrl: string };

/**
 * A short-lived token for this one repository, minted when a run is accepted, and one for its owner's other
 * repositories unless the code is foreign, whose author would choose what it opens. Null for a public one, for
 * ssh, which does not take tokens, and for an origin that is not the integration's.
 * @throws CloneCredentialsError
 */
export async function cloneCredentials(
  db: Db,
  hosts: Hosts,
  { orgId, repositoryUrl, isForeign }: Located & { isForeign: boolean },
): Promise<RunContext["scm_credentials"]> {
  const integration = await authenticated(db, orgId, repositoryUrl);
  if (integration === null || !servesOrigin(integration, repositoryUrl)) return null;
  try {
    return await hosts.asking(integration, repositoryKey(repositoryUrl), async (repository) => {
      const credentials = await repository.cloneCredentials();
      const owner = credentials === null || isForeign ? null : await repository.ownerCredentials();
      return credentials && { ...credentials, integration: integration.name, ...(owner && { owner }) };
    });
  } catch (error) {
    throw error instanceof HostError ? new CloneCredentialsError(error) : error;
  }
}

/**
 * The branch's head as the integration sees it, or the commit that an id leads to; undefined when none can be asked,
 * null when there is no such branch or commit.
 * @throws HostError
 */
export async function headOf(
  db: Db,
  hosts: Hosts,
  { orgId, repositoryUrl, branch }: Located & { branch: string },
  named?: string,
): Promise<(Commit & Pick<Head, "onBranch">) | null | undefined> {
  const integration = await authenticated(db, orgId, repositoryUrl);
  if (integration === null) return undefined;
  return hosts.asking(integration, repositoryKey(repositoryUrl), async (repository) => {
    if (named === undefined) return repository.head(branch);
    const commit = await repository.commit(named);
    return commit && { ...commit, onBranch: await isOnBranch(repository, commit.sha, branch) };
  });
}

/**
 * Whether the branch has the commit in its history; undefined when the host cannot compare them. An address serves the
 * commits of forks too, so that the host knows a commit says nothing.
 */
async function isOnBranch(repository: RepositoryHost, sha: string, branch: string): Promise<boolean | undefined> {
  const head = await repository.head(branch);
  if (head === null) return false;
  if (head.sha === sha) return true;
  const relation = await repository.relation(head.sha, sha);
  if (relation === "unknown") return undefined;
  return relation === "identical" || relation === "behind";
}

/** The integration of a repository, when it has credentials for that repository's host. */
async function authenticated(db: Db, orgId: string, repositoryUrl: string): Promise<IntegrationRow | null> {
  const integration = await integrationFor(db, orgId, repositoryUrl);
  const usable = integration !== null && integration.authConfigSummary.kind !== "none";
  return usable && servesHost(integration, repositoryKey(repositoryUrl)) ? integration : null;
}
