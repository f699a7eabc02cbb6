/** Open merge requests as GitLab tells of them. */
import type { RepositoryCalls } from "../client.ts";
import { HostError } from "../errors.ts";
import type { FileList } from "../fileLists.ts";
import { type Conditions, type ListedRequest, listIfAnswered, type RequestSource, textOf } from "../readRequests.ts";
import { approvalOf, type MayWrite } from "../reviews.ts";
import { reviewWords } from "./approvals.ts";
import { checksOf } from "./checks.ts";
import { pathsOf } from "./commits.ts";

export function requestSource(calls: RepositoryCalls): RequestSource {
  return {
    async list(branch) {
      const asked = { state: "opened", target_branch: branch, scope: "all" };
      const { items, complete } = await calls.list("/merge_requests", asked);
      return { requests: items.flatMap(listedOf), complete };
    },
    files: ({ number }) => filesOf(calls, number),
    conditions: async (_, mayWrite) => (request) => conditionsOf(calls, request, mayWrite),
  };
}

/** The host cuts a long list without saying so there; beside the request it tells how many there are. */
async function filesOf(calls: RepositoryCalls, number: number): Promise<FileList> {
  const { items, complete } = await listIfAnswered(() => calls.list("/merge_requests/{number}/diffs", { number }));
  const { data } = await calls.call("GET", "/merge_requests/{number}", { number });
  const { changes_count: count } = (data ?? {}) as { changes_count?: unknown };
  // "1000+" where there are more than it looks at; nothing while it has not looked yet.
  const isWhole = complete && /^\d+$/.test(String(count)) && Number(count) === items.length;
  return { paths: items.flatMap(pathsOf), complete: isWhole };
}

async function conditionsOf(calls: RepositoryCalls, request: ListedRequest, mayWrite: MayWrite): Promise<Conditions> {
  const { number, headSha } = request;
  const { data } = await calls.call("GET", "/merge_requests/{number}", { number });
  const approval = await approvalOf(await reviewWords(calls, request), mayWrite);
  const checks = await checksOf(calls, headSha, data);
  return {
    approved: approval.approved,
    approvedReason: approval.reason,
    mergeable: isMergeable(data),
    checksPassed: checks.passed,
    checksReason: checks.reason,
    ...(approval.failure && { failure: approval.failure }),
  };
}

/** The host is still finding out. */
const UNDECIDED: ReadonlySet<unknown> = new Set(["unchecked", "checking", "preparing", "cannot_be_merged_recheck"]);

/** Whether it can be merged without conflicts; what else the host wants of it are conditions of their own. */
function isMergeable(request: unknown): boolean | null {
  const { has_conflicts, merge_status, detailed_merge_status } = (request ?? {}) as Record<string, unknown>;
  if (UNDECIDED.has(detailed_merge_status) || UNDECIDED.has(merge_status)) return null;
  if (has_conflicts === true || detailed_merge_status === "conflict") return false;
  if (merge_status === "can_be_merged") return true;
  return merge_status === "cannot_be_merged" ? false : null;
}

/**
 * None for one without a head, as after its branch was deleted before the host had looked at it.
 * @throws HostError for an entry without what makes it a merge request
 */
function listedOf(item: unknown): ListedRequest[] {
  const request = (item ?? {}) as Record<string, unknown> & { author?: { id?: unknown; username?: unknown } | null };
  const { iid, sha, target_branch, source_branch, source_project_id, target_project_id, author } = request;
  const texts = [target_branch, source_branch, request.updated_at];
  if (!Number.isSafeInteger(iid) || texts.some((text) => typeof text !== "string")) throw new HostError("nonsense");
  if (typeof sha !== "string") return [];
  return [
    {
      number: iid as number,
      title: textOf(request.title),
      url: textOf(request.web_url),
      body: textOf(request.description),
      author: typeof author?.username === "string" ? author.username : null,
      authorId: author?.id,
      baseBranch: target_branch as string,
      baseSha: "",
      headBranch: source_branch as string,
      headSha: sha,
      // The project of a fork may be gone; what is not certainly ours counts as foreign.
      isFork: typeof target_project_id !== "number" || source_project_id !== target_project_id,
      updatedAt: request.updated_at as string,
    },
  ];
}
