/** A repository on Gitea or Forgejo, whose API is GitHub's in statuses and comments and its own in most else. */
import { repositoryCalls } from "../client.ts";
import type { HostCredentials } from "../credentials.ts";
import { kindAt } from "../kindOf.ts";
import { setCommitStatus, upsertComment } from "../publishing.ts";
import { readRequests } from "../readRequests.ts";
import type { OpenedRepository, Place } from "../repositoryHost.ts";
import type { Transport } from "../transport.ts";
import { mayWriteOf } from "../writers.ts";
import { branchHead, commitNamed } from "./commits.ts";
import { comparison } from "./comparison.ts";
import { relation } from "./history.ts";
import { requestSource } from "./requests.ts";
import { giteaWebhook } from "./webhooks.ts";

export function giteaRepository(transport: Transport, credentials: HostCredentials, place: Place): OpenedRepository {
  const calls = repositoryCalls(transport, credentials, place, {
    below: "/repos/{owner}/{repo}",
    named: { owner: place.owner, repo: place.name },
    pageSize: ["limit", 50],
    pages: "counted",
  });
  return {
    ...calls,
    head: (branch) => branchHead(calls, branch),
    commit: (id) => commitNamed(calls, id),
    compare: (before, after) => comparison(calls, before, after),
    relation: (before, after) => relation(calls, before, after),
    openPullRequests: (branch, mayWrite, files) => readRequests(requestSource(calls), branch, mayWrite, files),
    mayWrite: (person) => mayWriteOf(calls, person),
    setStatus: (status) => setCommitStatus(calls, status),
    putComment: (comment) => upsertComment(calls, comment),
    kind: () => kindAt(calls),
    webhook: (path) => giteaWebhook(calls, path),
  };
}
