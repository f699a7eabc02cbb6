/** A repository on GitHub, or an installation of it. */
import { repositoryCalls } from "./client.ts";
import { branchHead, commitNamed, compare, relationOf } from "./commits.ts";
import type { HostCredentials } from "./credentials.ts";
import { githubWebhook } from "./githubWebhooks.ts";
import { kindAt } from "./kindOf.ts";
import { setCommitStatus, upsertComment } from "./publishing.ts";
import { openPullRequests } from "./pullRequests.ts";
import type { OpenedRepository, Place } from "./repositoryHost.ts";
import type { Transport } from "./transport.ts";
import { mayWriteOf } from "./writers.ts";

export function githubRepository(transport: Transport, credentials: HostCredentials, place: Place): OpenedRepository {
  const calls = repositoryCalls(transport, credentials, place);
  const { ofApp } = credentials;
  const asApp = ofApp
    ? async (path: string) => (await transport({ route: `GET ${path}`, authorization: await ofApp() })).data
    : null;
  return {
    ...calls,
    head: (branch) => branchHead(calls, branch),
    commit: (id) => commitNamed(calls, id),
    compare: (before, after) => compare(calls, before, after),
    relation: (before, after) => relationOf(calls, before, after),
    openPullRequests: (branch, mayWrite, files) => openPullRequests(calls, branch, mayWrite, files),
    mayWrite: (person) => mayWriteOf(calls, person),
    setStatus: (status) => setCommitStatus(calls, status),
    putComment: (comment) => upsertComment(calls, comment),
    kind: () => kindAt(calls),
    webhook: (path) => githubWebhook(calls, asApp, path),
  };
}
