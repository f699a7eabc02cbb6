/** Open pull requests as GitHub tells of them. */
import type { OpenPullRequest } from "../../../core/pullRequests/host.ts";
import { type Checks, type RequiredCheck, verdictOfChecks } from "./checks.ts";
import type { RepositoryCalls } from "./client.ts";
import { pathsOf } from "./commits.ts";
import { HostError } from "./errors.ts";
import {
  type Conditions,
  type KnownFiles,
  type ListedRequest,
  listIfAnswered,
  NO_LIST,
  type RequestSource,
  readRequests,
  textOf,
} from "./readRequests.ts";
import { requiredChecks } from "./requiredChecks.ts";
import { type Approval, approvalOf, type MayWrite, wordsOf } from "./reviews.ts";
import { writersIn } from "./writers.ts";

/** A host ends the file list of a pull request here without saying so. */
const FILES_CAP = 3_000;

/**
 * @param mayWrite null when reviews, merging and checks are not asked for: three to four more calls for each request,
 * two for the branch, and one for each person that was not asked about within a minute
 * @throws HostError
 */
export function openPullRequests(
  calls: RepositoryCalls,
  branch: string,
  mayWrite: MayWrite | null,
  files?: KnownFiles,
): Promise<OpenPullRequest[]> {
  return readRequests(requestSource(calls), branch, mayWrite, files);
}

function requestSource(calls: RepositoryCalls): RequestSource {
  return {
    async list(branch) {
      const { items, complete } = await calls.list("/pulls", { state: "open", base: branch });
      return { requests: items.map(listedOf), complete };
    },
    async files({ number }) {
      const { items, complete } = await listIfAnswered(() => calls.list("/pulls/{number}/files", { number }));
      return { paths: items.flatMap(pathsOf), complete: complete && items.length < FILES_CAP };
    },
    async conditions(branch, mayWrite) {
      const required = await requiredChecks(calls, branch);
      return (request) => conditionsOf(calls, request, { mayWrite, required });
    },
  };
}

const writersOf = (calls: RepositoryCalls) => writersIn(calls, "/collaborators", { permission: "push" });

type Asked = { mayWrite: MayWrite; required: readonly RequiredCheck[] };

async function conditionsOf(
  calls: RepositoryCalls,
  { number, headSha, authorId }: ListedRequest,
  { mayWrite, required }: Asked,
): Promise<Conditions> {
  const { data } = await calls.call("GET", "/pulls/{number}", { number });
  const { mergeable } = data as { mergeable?: unknown };
  const reviews = await listIfAnswered(() => calls.list("/pulls/{number}/reviews", { number }));
  const approval: Approval = reviews.complete
    ? await approvalOf(wordsOf(reviews.items, { headSha, authorId }), mayWrite, writersOf(calls))
    : { approved: null, reason: NO_LIST };
  const checks = await checksOf(calls, headSha, required);
  return {
    approved: approval.approved,
    approvedReason: approval.reason,
    mergeable: typeof mergeable === "boolean" ? mergeable : null,
    checksPassed: checks.passed,
    checksReason: checks.reason,
    ...(approval.failure && { failure: approval.failure }),
  };
}

async function checksOf(calls: RepositoryCalls, sha: string, required: readonly RequiredCheck[]): Promise<Checks> {
  const statuses = await listIfAnswered(() =>
    calls.list("/commits/{sha}/status", { sha }, (data) => (data as { statuses?: unknown }).statuses),
  );
  const runs = await listIfAnswered(() =>
    calls.list("/commits/{sha}/check-runs", { sha }, (data) => (data as { check_runs?: unknown }).check_runs),
  );
  if (!statuses.complete || !runs.complete) return { passed: null, reason: NO_LIST };
  return verdictOfChecks(statuses.items, runs.items, required);
}

/** @throws HostError for an entry without what makes it a pull request */
function listedOf(item: unknown): ListedRequest {
  type Side = { ref?: unknown; sha?: unknown; repo?: { id?: unknown } | null };
  const request = item as Record<string, unknown> & {
    head?: Side;
    base?: Side;
    user?: { id?: unknown; login?: unknown } | null;
  };
  const { number, head, base, user, updated_at: updatedAt } = request;
  const texts = [head?.ref, head?.sha, base?.ref, updatedAt];
  if (!Number.isSafeInteger(number) || texts.some((text) => typeof text !== "string")) throw new HostError("nonsense");
  return {
    number: number as number,
    title: textOf(request.title),
    url: textOf(request.html_url),
    body: textOf(request.body),
    author: typeof user?.login === "string" ? user.login : null,
    authorId: user?.id,
    baseBranch: base?.ref as string,
    baseSha: textOf(base?.sha),
    headBranch: head?.ref as string,
    headSha: head?.sha as string,
    // The repository of a fork may be gone; what is not certainly ours counts as foreign.
    isFork: base?.repo?.id === undefined || head?.repo?.id !== base.repo.id,
    updatedAt: updatedAt as string,
  };
}
