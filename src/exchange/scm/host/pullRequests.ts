/** Open pull requests of a branch, each with its files and, where a stack asks for them, its conditions. */
import type { OpenPullRequest } from "../../../core/pullRequests/host.ts";
import { type Checks, type RequiredCheck, verdictOfChecks } from "./checks.ts";
import type { RepositoryCalls } from "./client.ts";
import { pathsOf } from "./commits.ts";
import { HostError } from "./errors.ts";
import type { FileList } from "./fileLists.ts";
import { requiredChecks } from "./requiredChecks.ts";
import { type Approval, approvalOf, type MayWrite, wordsOf } from "./reviews.ts";

/** A host ends the file list of a pull request here without saying so. */
const FILES_CAP = 3_000;
const AT_ONCE = 4;
/**
 * A host may still show the files of the head before for a moment: only the list of a request left alone this long is
 * kept, in milliseconds.
 */
const SETTLED_MS = 120_000;

type Conditions = Pick<
  OpenPullRequest,
  "approved" | "approvedReason" | "mergeable" | "checksPassed" | "checksReason" | "failure"
>;
type Listed = Omit<OpenPullRequest, "files" | keyof Conditions> & { baseSha: string; authorId: unknown };

/** Gives the file list of a request that says this of itself, asking the host only when it has to. */
export type KnownFiles = (request: string, ask: () => Promise<FileList>) => Promise<FileList>;

const nothingKnown: KnownFiles = (_, ask) => ask();

/**
 * Whole or not at all: a list that goes round in circles would prune what it left out.
 * @param mayWrite who may write; null when reviews, merging and checks are not asked for: three to four more calls for
 * each request, two for the branch, and one for each person that was not asked about within a minute
 * @throws HostError
 */
export async function openPullRequests(
  calls: RepositoryCalls,
  branch: string,
  mayWrite: MayWrite | null,
  files: KnownFiles = nothingKnown,
): Promise<OpenPullRequest[]> {
  const { items, complete } = await calls.list("/pulls", { state: "open", base: branch });
  if (!complete) throw new HostError("nonsense");
  // A request that moves between pages while they are read appears twice.
  const listed = new Map(items.map(listedOf).map((request) => [request.number, request]));
  const rest = [...listed.values()].filter(({ baseBranch }) => baseBranch === branch);
  const found: OpenPullRequest[] = [];
  const asked = mayWrite && rest.length > 0 ? { mayWrite, required: await requiredChecks(calls, branch) } : null;
  const worker = async () => {
    for (let request = rest.shift(); request !== undefined; request = rest.shift()) {
      found.push(await detailed(calls, request, asked, files));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.sort((a, b) => a.number - b.number);
}

async function detailed(
  calls: RepositoryCalls,
  { baseSha, authorId, ...request }: Listed,
  asked: Asked | null,
  known: KnownFiles,
): Promise<OpenPullRequest> {
  const { number, headSha, baseBranch, updatedAt } = request;
  const ask = async () => {
    const { items, complete } = await listIfAnswered(calls, "/pulls/{number}/files", { number });
    return { paths: items.flatMap(pathsOf), complete: complete && items.length < FILES_CAP };
  };
  const settled = Date.now() - Date.parse(updatedAt) > SETTLED_MS;
  const files = await (settled ? known(JSON.stringify([number, headSha, baseBranch, baseSha, updatedAt]), ask) : ask());
  if (asked === null) return { ...request, files, ...NOT_ASKED };
  return { ...request, files, ...(await conditionsOf(calls, { ...request, authorId }, asked)) };
}

type Asked = { mayWrite: MayWrite; required: readonly RequiredCheck[] };

const NOT_ASKED: Conditions = {
  approved: null,
  approvedReason: null,
  mergeable: null,
  checksPassed: null,
  checksReason: null,
};
const NO_LIST = "the code host does not give the whole list";

async function conditionsOf(
  calls: RepositoryCalls,
  { number, headSha, authorId }: Pick<Listed, "number" | "headSha" | "authorId">,
  { mayWrite, required }: Asked,
): Promise<Conditions> {
  const { data } = await calls.call("GET", "/pulls/{number}", { number });
  const { mergeable } = data as { mergeable?: unknown };
  const reviews = await listIfAnswered(calls, "/pulls/{number}/reviews", { number });
  const approval: Approval = reviews.complete
    ? await approvalOf(wordsOf(reviews.items, { headSha, authorId }), mayWrite)
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

/**
 * A list that the host will never give, as of files whose difference is too large, counts as one that is not whole: one
 * request must not keep the others of its branch from being known.
 */
async function listIfAnswered(calls: RepositoryCalls, ...list: Parameters<RepositoryCalls["list"]>) {
  try {
    return await calls.list(...list);
  } catch (error) {
    const never = error instanceof HostError && (error.failure === "unacceptable" || error.failure === "too_large");
    if (!never) throw error;
    return { items: [], complete: false };
  }
}

async function checksOf(calls: RepositoryCalls, sha: string, required: readonly RequiredCheck[]): Promise<Checks> {
  const statuses = await listIfAnswered(
    calls,
    "/commits/{sha}/status",
    { sha },
    (data) => (data as { statuses?: unknown }).statuses,
  );
  const runs = await listIfAnswered(
    calls,
    "/commits/{sha}/check-runs",
    { sha },
    (data) => (data as { check_runs?: unknown }).check_runs,
  );
  if (!statuses.complete || !runs.complete) return { passed: null, reason: NO_LIST };
  return verdictOfChecks(statuses.items, runs.items, required);
}

/** @throws HostError for an entry without what makes it a pull request */
function listedOf(item: unknown): Listed {
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

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
