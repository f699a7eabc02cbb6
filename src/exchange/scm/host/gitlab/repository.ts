/** A project on GitLab: commits, statuses and notes in its own words. */
import type { CommitStatus, PreviewComment } from "../../../../core/pullRequests/host.ts";
import { repositoryCalls } from "../client.ts";
import type { HostCredentials } from "../credentials.ts";
import { kindAt } from "../kindOf.ts";
import { upsertComment } from "../publishing.ts";
import { readRequests } from "../readRequests.ts";
import type { OpenedRepository, Place } from "../repositoryHost.ts";
import type { Transport } from "../transport.ts";
import { branchHead, commitNamed, comparison, relation } from "./commits.ts";
import { mayWrite } from "./members.ts";
import { requestSource } from "./requests.ts";
import { setStatus } from "./statuses.ts";
import { gitlabWebhook } from "./webhooks.ts";

export function gitlabRepository(transport: Transport, credentials: HostCredentials, place: Place): OpenedRepository {
  const calls = repositoryCalls(transport, credentials, place, {
    // The whole path is one name, however many groups the project is in.
    below: "/projects/{project}",
    named: { project: `${place.owner}/${place.name}` },
    pageSize: ["per_page", 100],
    pages: "numbers",
  });
  return {
    ...calls,
    head: (branch) => branchHead(calls, branch),
    commit: (id) => commitNamed(calls, id),
    compare: (before, after) => comparison(calls, before, after),
    relation: (before, after) => relation(calls, before, after),
    openPullRequests: (branch, writers, files) => readRequests(requestSource(calls), branch, writers, files),
    mayWrite: (person) => mayWrite(calls, person),
    setStatus: (status: CommitStatus) => setStatus(calls, status),
    putComment: (comment: PreviewComment) => upsertComment(calls, comment, NOTES),
    kind: () => kindAt(calls),
    webhook: (path) => gitlabWebhook(calls, path),
  };
}

const NOTES = {
  all: "/merge_requests/{number}/notes",
  one: "/merge_requests/{number}/notes/{id}",
  change: "PUT",
  order: { sort: "asc", order_by: "created_at" },
};
