/** Open pull requests of a branch, each with its files and, where a stack asks for them, its conditions: any host's. */
import type { OpenPullRequest } from "../../../core/pullRequests/host.ts";
import type { Listed } from "./client.ts";
import { HostError } from "./errors.ts";
import type { FileList } from "./fileLists.ts";
import type { MayWrite } from "./reviews.ts";

export type Conditions = Pick<
  OpenPullRequest,
  "approved" | "approvedReason" | "mergeable" | "checksPassed" | "checksReason" | "failure"
>;

/** A request as the host lists it. */
export type ListedRequest = Omit<OpenPullRequest, "files" | keyof Conditions> & { baseSha: string; authorId: unknown };

/** Gives the file list of a request that says this of itself, asking the host only when it has to. */
export type KnownFiles = (request: string, ask: () => Promise<FileList>) => Promise<FileList>;

/** How one kind of host tells of its requests. @throws HostError from each method */
export type RequestSource = {
  /** Those that are open, of the branch at least; the rest is left out here. */
  list(branch: string): Promise<{ requests: ListedRequest[]; complete: boolean }>;
  files(request: ListedRequest): Promise<FileList>;
  /** Asked once for the branch, what it gives once for each request. */
  conditions(branch: string, mayWrite: MayWrite): Promise<(request: ListedRequest) => Promise<Conditions>>;
};

const AT_ONCE = 4;
/**
 * A host may still show the files of the head before for a moment: only the list of a request left alone this long is
 * kept, in milliseconds.
 */
const SETTLED_MS = 120_000;

const nothingKnown: KnownFiles = (_, ask) => ask();

/**
 * Whole or not at all: a list that goes round in circles would prune what it left out.
 * @param mayWrite who may write; null when reviews, merging and checks are not asked for
 * @throws HostError
 */
export async function readRequests(
  source: RequestSource,
  branch: string,
  mayWrite: MayWrite | null,
  known: KnownFiles = nothingKnown,
): Promise<OpenPullRequest[]> {
  const { requests, complete } = await source.list(branch);
  if (!complete) throw new HostError("nonsense");
  // A request that moves between pages while they are read appears twice.
  const listed = new Map(requests.map((request) => [request.number, request]));
  const rest = [...listed.values()].filter(({ baseBranch }) => baseBranch === branch);
  const found: OpenPullRequest[] = [];
  const conditions = mayWrite && rest.length > 0 ? await source.conditions(branch, mayWrite) : null;
  const worker = async () => {
    for (let request = rest.shift(); request !== undefined; request = rest.shift()) {
      const files = await filesOf(source, request, known);
      const { baseSha: _, authorId: __, ...shown } = request;
      found.push({ ...shown, files, ...(conditions === null ? NOT_ASKED : await conditions(request)) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return found.sort((a, b) => a.number - b.number);
}

async function filesOf(source: RequestSource, request: ListedRequest, known: KnownFiles): Promise<FileList> {
  const { number, headSha, baseBranch, baseSha, updatedAt } = request;
  const ask = () => source.files(request);
  const settled = Date.now() - Date.parse(updatedAt) > SETTLED_MS;
  return settled ? known(JSON.stringify([number, headSha, baseBranch, baseSha, updatedAt]), ask) : ask();
}

const NOT_ASKED: Conditions = {
  approved: null,
  approvedReason: null,
  mergeable: null,
  checksPassed: null,
  checksReason: null,
};

export const NO_LIST = "the code host does not give the whole list";

/**
 * A list that the host will never give, as of files whose difference is too large, counts as one that is not whole: one
 * request must not keep the others of its branch from being known.
 */
export async function listIfAnswered(ask: () => Promise<Listed>): Promise<Listed> {
  try {
    return await ask();
  } catch (error) {
    const never = error instanceof HostError && (error.failure === "unacceptable" || error.failure === "too_large");
    if (!never) throw error;
    return { items: [], complete: false };
  }
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
