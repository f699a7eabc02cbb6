/** Pull requests without a network: a host whose answers a test decides, behind the port that the product declares. */

import type { PullRequestHost } from "../../src/core/pullRequests/host.ts";
import { type OpenPullRequest, type PublishingHost, PublishRefused } from "../../src/core/pullRequests/host.ts";
import { repositoryHash } from "../../src/core/stacks/previewName.ts";
import { previewKey, workflowIds } from "../../workflows/ids.ts";
import type { TestDatabase } from "./database.ts";
import { makeStack } from "./fixtures.ts";

export const REPOSITORY = "git.example/acme/infra";
const REPOSITORY_URL = "https://git.example/acme/infra.git";

/** A commit id that is told apart at a glance. */
export const sha = (n: number): string => n.toString(16).padStart(4, "0").repeat(10);

const DAWN = Date.parse("2026-01-01T00:00:00Z");

export function pullRequest(
  number: number,
  changes: Partial<OpenPullRequest> & { paths?: string[] } = {},
): OpenPullRequest {
  const { paths = ["network/main.tf"], ...rest } = changes;
  return {
    number,
    title: `Request ${number}`,
    url: `https://git.example/acme/infra/pull/${number}`,
    body: "",
    author: "ann",
    baseBranch: "main",
    headBranch: `feature-${number}`,
    headSha: sha(number),
    isFork: false,
    updatedAt: "2026-01-01T00:00:00Z",
    files: { paths, complete: true },
    approved: null,
    approvedReason: null,
    mergeable: null,
    checksPassed: null,
    checksReason: null,
    ...rest,
  };
}

export type StatedHost = PullRequestHost & {
  /** Write a pull request's present state; its time moves on, as the host's would. */
  set(request: OpenPullRequest): void;
  close(number: number): void;
};

/** A host that tells its state of the moment it is asked. */
export function statedHost(): StatedHost {
  const open = new Map<number, OpenPullRequest>();
  let edits = 0;
  return {
    set: (request) => {
      edits += 1;
      open.set(request.number, { ...request, updatedAt: new Date(DAWN + edits * 1_000).toISOString() });
    },
    close: (number) => void open.delete(number),
    openPullRequests: async (_repository, branch) =>
      [...open.values()].filter(({ baseBranch }) => baseBranch === branch).map((request) => ({ ...request })),
  };
}

export type Shown = {
  statuses: { sha: string; state: string; context: string; description: string }[];
  comments: Map<string, string>;
};
export type PublishedHost = PublishingHost & Shown & { refuse: boolean; refusals: number };

/** Keeps what is published; `refuse` makes it answer as a host that is overloaded. */
export function publishedHost(): PublishedHost {
  const refuse = (): never => {
    shown.refusals += 1;
    throw new PublishRefused(null);
  };
  const shown: PublishedHost = {
    statuses: [],
    comments: new Map(),
    refuse: false,
    refusals: 0,
    async putStatus(_repository, { sha: commit, state, context, description }) {
      if (shown.refuse) refuse();
      shown.statuses.push({ sha: commit, state, context, description });
    },
    async putComment(_repository, { number, commentId, marker, body }) {
      if (shown.refuse) refuse();
      const known = [...shown.comments].find(([, text]) => text.includes(marker))?.[0];
      const id = commentId ?? known ?? `${number}-${shown.comments.size + 1}`;
      shown.comments.set(id, body);
      return id;
    },
  };
  return shown;
}

/** A stack of the repository's main branch. */
export function requestStack(
  database: TestDatabase,
  orgId: string,
  directory: string,
  settings: object = {},
): Promise<string> {
  return makeStack(database, orgId, {
    repository_url: REPOSITORY_URL,
    repository_key: REPOSITORY,
    working_directory: directory,
    ...settings,
  });
}

export type PreviewRow = {
  id: string;
  status: string;
  skipped_reason: string | null;
  generation: number;
  head: string;
};

/** The previews of a stack, oldest first. */
export async function previewsOf({ sql }: TestDatabase, stackKey: string): Promise<PreviewRow[]> {
  return sql<PreviewRow[]>`
    select id, status, skipped_reason, origin_pr_generation as generation, origin_head_sha as head from deployments
    where stack_key = ${stackKey} and origin_type = 'pull_request' order by created_at, id`;
}

/** The numbers of the pull requests that a stack lists. */
export async function requestsOf({ sql }: TestDatabase, stackKey: string): Promise<number[]> {
  const rows = await sql`
    select p.number from pull_request_stacks l join pull_requests p on p.id = l.pull_request_id
    where l.stack_key = ${stackKey} order by p.number`;
  return rows.map((row) => row.number as number);
}

export function previewWorkflow(stackKey: string, number: number): string {
  return workflowIds.preview(previewKey(stackKey, repositoryHash(REPOSITORY), number));
}
