/** One repository at its code host, whatever kind that is: the port that each kind stands behind. */
import type { CommitStatus, OpenPullRequest, PreviewComment } from "../../../core/pullRequests/host.ts";
import type { HostKind } from "../hostKind.ts";
import type { RepositoryCalls } from "./client.ts";
import type { Commit, Comparison, Relation } from "./commits.ts";
import type { KnownFiles } from "./readRequests.ts";
import type { MayWrite } from "./reviews.ts";
import type { WebhookFinding } from "./webhooks.ts";

/** Each method throws HostError when the host fails, which is no answer. */
export type RepositoryHost = Pick<RepositoryCalls, "assertVisible" | "cloneCredentials" | "ownerCredentials"> & {
  /** The head of a branch; null when there is no such branch in a repository that the host shows. */
  head(branch: string): Promise<Commit | null>;
  /** The commit that an id leads to; null when there is none. */
  commit(id: string): Promise<Commit | null>;
  /** What `after` has that `before` has not. */
  compare(before: string, after: string): Promise<Comparison>;
  /** How `after` stands to `before`, whatever the size of what lies between. */
  relation(before: string, after: string): Promise<Relation | "unknown">;
  /** Whole or not at all. Conditions are asked for where `mayWrite` is given. */
  openPullRequests(branch: string, mayWrite: MayWrite | null, files?: KnownFiles): Promise<OpenPullRequest[]>;
  mayWrite: MayWrite;
  setStatus(status: CommitStatus): Promise<void>;
  /** @returns the comment's id */
  putComment(comment: PreviewComment): Promise<string>;
  /** What kind of host answers at the address of the API; null: it says nothing of that, as GitHub. */
  kind(): Promise<Exclude<HostKind, "github"> | null>;
  /** The repository's webhook that leads to this path of the service. */
  webhook(path: string): Promise<WebhookFinding>;
};

/** With the calls themselves, below the repository's own address. */
export type OpenedRepository = RepositoryHost & RepositoryCalls;

/** Where a repository is at its host. */
export type Place = {
  /** All that comes before the repository's name: an owner, or a group with those it is in. */
  owner: string;
  name: string;
  baseUrl: string;
};
