/** The hosts as pull requests and their publishing see them. */
import { sql } from "drizzle-orm";
import {
  type CommitHost,
  type PublishingHost,
  PublishRefused,
  type PullRequestHost,
  type Repository,
  type Standing,
} from "../../../core/pullRequests/host.ts";
import type { stacks } from "../../../core/stacks/schema.ts";
import type { Db, Queryable } from "../../../platform/db/client.ts";
import type { SqlRow } from "../../../platform/db/sqlRow.ts";
import { integrationsInOrder } from "../integrations.ts";
import type { IntegrationRow } from "../schema.ts";
import { assertNotOlder, type Told } from "../toldRequests.ts";
import { firstMatch } from "../urlPattern.ts";
import { HostError, type HostFailure } from "./errors.ts";
import { type Hosts, servesHost } from "./hosts.ts";
import type { KnownFiles } from "./readRequests.ts";
import type { RepositoryHost } from "./repositoryHost.ts";

/** Ways of writing one repository's address that are looked at; people have two or three. */
const MOST_ADDRESSES = 20;

/** The host that one integration leads to; its answer is held against what its deliveries have told. */
export function pullRequestHost(
  db: Queryable,
  hosts: Hosts,
  integration: IntegrationRow,
  told: Told = new Map(),
): PullRequestHost {
  return {
    async openPullRequests({ orgId, repositoryKey }, branch) {
      const conditions = await anyRequirement(db, orgId, repositoryKey, branch);
      const place = `${integration.id} ${integration.updatedAt} ${repositoryKey}`;
      return hosts.asking(integration, repositoryKey, async (client) => {
        const files: KnownFiles = (request, ask) => hosts.fileLists.of(`${place} ${request}`, ask);
        const mayWrite = conditions ? hosts.writers.of(place, client) : null;
        const open = await client.openPullRequests(branch, mayWrite, files);
        await assertNotOlder(client, open, told);
        return open;
      });
    },
  };
}

/** What no stack of the branch asks for is not asked of the host. */
async function anyRequirement(db: Queryable, orgId: string, repositoryKey: string, branch: string): Promise<boolean> {
  const rows = await db.execute(sql`
    select 1 from stacks where org_id = ${orgId} and repository_key = ${repositoryKey} and branch = ${branch}
      and deleted_at is null and pr_requirements <> '{}' limit 1`);
  return rows.length > 0;
}

export function commitHost(db: Db, hosts: Hosts): CommitHost {
  return {
    standing: (repository, commit, stackCommit) =>
      asking(db, hosts, repository, (client) => standingOf(client, commit, stackCommit)),
  };
}

async function standingOf(repository: RepositoryHost, commit: string, stackCommit: string): Promise<Standing> {
  switch (await repository.relation(stackCommit, commit)) {
    case "identical":
    case "behind":
      return { relation: "contained" };
    case "ahead":
      return { relation: "ahead" };
    case "unknown":
      return { relation: "unknown" };
    case "diverged": {
      const lacking = await repository.compare(commit, stackCommit);
      const files = lacking.outcome === "compared" ? lacking : { paths: [], complete: false };
      return { relation: "diverged", lacking: { paths: files.paths, complete: files.complete } };
    }
  }
}

/**
 * Whether `ancestor` is `descendant` or in its history. A commit that the host cannot compare is in nobody's.
 * @throws HostError
 */
export async function containsCommit(
  repository: Pick<RepositoryHost, "relation">,
  descendant: string,
  ancestor: string,
): Promise<boolean> {
  if (descendant === ancestor) return true;
  const relation = await repository.relation(ancestor, descendant);
  return relation === "identical" || relation === "ahead";
}

export function publishingHost(db: Db, hosts: Hosts): PublishingHost {
  return {
    async putStatus(repository, status) {
      await published(() => asking(db, hosts, repository, (client) => client.setStatus(status)));
    },
    putComment: (repository, comment) =>
      published(() => asking(db, hosts, repository, (client) => client.putComment(comment))),
  };
}

/** What no later try changes while the text stays. */
const FINAL: ReadonlySet<HostFailure> = new Set(["unacceptable", "too_large"]);

async function published<T>(publish: () => Promise<T>): Promise<T> {
  try {
    return await publish();
  } catch (error) {
    if (error instanceof HostError) {
      throw new PublishRefused(error.retryAfterMs, error.reason, FINAL.has(error.failure), error);
    }
    throw error;
  }
}

/**
 * The stacks' own addresses decide which integration serves their repository: one that none matches, such as the same
 * repository over SSH, does not hide the others. Null: none does, or it has no credentials.
 */
async function asking<T>(
  db: Db,
  hosts: Hosts,
  { orgId, repositoryKey }: Repository,
  work: (client: RepositoryHost) => Promise<T>,
): Promise<T | null> {
  const rows = await db.execute<SqlRow<typeof stacks, "repository_url">>(sql`
    select repository_url from stacks where org_id = ${orgId} and repository_key = ${repositoryKey} and deleted_at is null
    group by repository_url order by min(stack_key::text) limit ${MOST_ADDRESSES}`);
  const addresses = rows.length > 0 ? rows.map((stack) => stack.repository_url) : [`https://${repositoryKey}`];
  const inOrder = await integrationsInOrder(db, orgId);
  for (const address of addresses) {
    const integration = firstMatch(inOrder, address);
    if (integration === null || integration.authConfigSummary.kind === "none") continue;
    if (servesHost(integration, repositoryKey)) return hosts.asking(integration, repositoryKey, work);
  }
  return null;
}
