/** What pull requests need of a code host; the clients of `src/exchange/scm` are put behind it. */

/** An open pull request as the host describes it at one moment. */
export type OpenPullRequest = {
  number: number;
  title: string;
  url: string;
  body: string;
  author: string | null;
  baseBranch: string;
  headBranch: string;
  headSha: string;
  isFork: boolean;
  /** The host's own time of this state, RFC 3339. */
  updatedAt: string;
  /** Every file it changes, renames under both names; `complete` is false when the list had to be cut short. */
  files: { paths: string[]; complete: boolean };
  /** Null: the host cannot say (yet). */
  approved: boolean | null;
  /** Why it is not approved, for people; null when it is, or nobody asked. */
  approvedReason: string | null;
  mergeable: boolean | null;
  checksPassed: boolean | null;
  /** The same of the checks. */
  checksReason: string | null;
  /** What kept the host from saying something for now: the rest counts, and it is asked again. */
  failure?: Error;
};

export type Repository = { orgId: string; repositoryKey: string };

/** Each method throws when the host refuses, answers nonsense or is out of reach: an answer is whole or it is none. */
export type PullRequestHost = {
  /** Every open pull request whose base is this branch, pages followed to their end. */
  openPullRequests(repository: Repository, branch: string): Promise<OpenPullRequest[]>;
};

/** How a commit stands to the one a stack was last given. */
export type Standing =
  /** It is that commit, or in its history. */
  | { relation: "contained" }
  /** That commit is in its history. */
  | { relation: "ahead" }
  /** Each has what the other has not; the files are those of the stack's commit that it lacks. */
  | { relation: "diverged"; lacking: OpenPullRequest["files"] }
  /** The host cannot compare the two, or does not know one of them. */
  | { relation: "unknown" };

export type CommitHost = {
  /** Null when no integration with credentials serves the repository. */
  standing(repository: Repository, commit: string, stackCommit: string): Promise<Standing | null>;
};

export type CommitStatus = {
  sha: string;
  state: "pending" | "success" | "failure" | "error";
  context: string;
  description: string;
  targetUrl: string | null;
};

export type PreviewComment = {
  number: number;
  /** The host's id of the comment made before; one that is gone there, or null, is found by its marker or made anew. */
  commentId: string | null;
  /** A line of the body that no other comment has. */
  marker: string;
  body: string;
};

/** Where previews are published. Throws PublishRefused when the host does not take something. */
export type PublishingHost = {
  putStatus(repository: Repository, status: CommitStatus): Promise<void>;
  /** @returns the comment's id; null when the host takes no comments from us, as without an integration. */
  putComment(repository: Repository, comment: PreviewComment): Promise<string | null>;
};

/** The host did not take what was published. */
export class PublishRefused extends Error {
  override name = "PublishRefused";
  /** It will never take it as it is: only another text is worth a try. */
  readonly final: boolean;
  /** Milliseconds the host asked to be left alone, or null. */
  readonly notBeforeMs: number | null;
  /** Our own words, which people are shown. */
  readonly reason: string;
  constructor(notBeforeMs: number | null, reason = "the code host did not take it", final = false, cause?: unknown) {
    super(reason, { cause });
    this.final = final;
    this.notBeforeMs = notBeforeMs;
    this.reason = reason;
  }
}
