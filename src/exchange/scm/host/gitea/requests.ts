/** Open pull requests as Gitea tells of them. */
import { type Checks, type RequiredCheck, verdictOfChecks } from "../checks.ts";
import type { RepositoryCalls } from "../client.ts";
import { pathsOf } from "../commits.ts";
import { HostError } from "../errors.ts";
import {
  type Conditions,
  type ListedRequest,
  listIfAnswered,
  NO_LIST,
  type RequestSource,
  textOf,
} from "../readRequests.ts";
import { type Approval, approvalOf, type MayWrite, wordsOf } from "../reviews.ts";
import { writersIn } from "../writers.ts";
import { matching, requiredContexts } from "./requiredChecks.ts";

export function requestSource(calls: RepositoryCalls): RequestSource {
  return {
    async list(branch) {
      const { items, complete } = await calls.list("/pulls", { state: "open", base_branch: branch });
      return { requests: items.map(listedOf), complete };
    },
    async files({ number }) {
      const { items, complete } = await listIfAnswered(() => calls.list("/pulls/{number}/files", { number }));
      return { paths: items.flatMap(pathsOf), complete };
    },
    async conditions(branch, mayWrite) {
      const contexts = await requiredContexts(calls, branch);
      return (request) => conditionsOf(calls, request, mayWrite, contexts);
    },
  };
}

/** To whom an issue can be given: all who may write, and those who may only write requests. */
const writersOf = (calls: RepositoryCalls) => writersIn(calls, "/assignees");

async function conditionsOf(
  calls: RepositoryCalls,
  { number, headSha, authorId }: ListedRequest,
  mayWrite: MayWrite,
  contexts: readonly string[],
): Promise<Conditions> {
  const { data } = await calls.call("GET", "/pulls/{number}", { number });
  const { mergeable } = data as { mergeable?: unknown };
  const reviews = await listIfAnswered(() => calls.list("/pulls/{number}/reviews", { number }));
  const approval: Approval = reviews.complete
    ? await approvalOf(wordsOf(reviews.items.map(reviewOf), { headSha, authorId }), mayWrite, writersOf(calls))
    : { approved: null, reason: NO_LIST };
  const checks = await checksOf(calls, headSha, contexts);
  return {
    approved: approval.approved,
    approvedReason: approval.reason,
    mergeable: typeof mergeable === "boolean" ? mergeable : null,
    checksPassed: checks.passed,
    checksReason: checks.reason,
    ...(approval.failure && { failure: approval.failure }),
  };
}

const STATES: Readonly<Record<string, string>> = { APPROVED: "APPROVED", REQUEST_CHANGES: "CHANGES_REQUESTED" };

/** `official`: the host counted its writer among those whose word decides when they wrote it. */
function reviewOf(item: unknown): object {
  const { state, dismissed, official, ...review } = (item ?? {}) as Record<string, unknown>;
  const said = typeof state === "string" && Object.hasOwn(STATES, state) ? STATES[state] : undefined;
  return {
    ...review,
    state: said !== undefined && dismissed === true ? "DISMISSED" : said,
    author_association: official === true ? "MEMBER" : "",
  };
}

async function checksOf(calls: RepositoryCalls, sha: string, contexts: readonly string[]): Promise<Checks> {
  const { items, complete } = await listIfAnswered(() =>
    calls.list("/commits/{sha}/status", { sha }, (data) => (data as { statuses?: unknown }).statuses ?? []),
  );
  if (!complete) return { passed: null, reason: NO_LIST };
  const statuses = items.map((item) => {
    const { context, status } = (item ?? {}) as { context?: unknown; status?: unknown };
    return { context, state: status === "skipped" ? "success" : status };
  });
  const reported = statuses.map(({ context }) => textOf(context));
  const required: RequiredCheck[] = contexts.flatMap((pattern) => matching(pattern, reported));
  return verdictOfChecks(statuses, [], required);
}

/** @throws HostError for an entry without what makes it a pull request */
function listedOf(item: unknown): ListedRequest {
  type Side = { ref?: unknown; sha?: unknown; repo_id?: unknown };
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
    isFork: !isOwnBranch(head, base),
    updatedAt: updatedAt as string,
  };
}

/**
 * Whether the head is a branch of the repository, which only those with write access can push. What somebody pushed
 * for review (`refs/for/...`) is in the repository without that, and shown under the request's own name.
 */
function isOwnBranch(
  head: { ref?: unknown; repo_id?: unknown } | undefined,
  base: { repo_id?: unknown } | undefined,
): boolean {
  const sameRepository = typeof base?.repo_id === "number" && base.repo_id > 0 && head?.repo_id === base.repo_id;
  return sameRepository && !String(head?.ref).startsWith("refs/");
}
