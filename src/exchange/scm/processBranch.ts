/**
 * One pass over what arrived about a branch (docs/rules/source-control.md#a-delivery-is-a-hint). A delivery is a hint
 * and the host is asked for the truth, so events that wait together are answered together: one question about the
 * branch's head, one about its pull requests.
 */
import { parseScmEventKey } from "../../../workflows/ids.ts";
import type { BranchView } from "../../../workflows/views.ts";
import { syncPullRequests } from "../../core/pullRequests/sync.ts";
import { DecryptionError } from "../../platform/crypto/wrapping.ts";
import { isDatabaseOutage } from "../../platform/problems/databaseOutage.ts";
import type { RetryPolicy } from "../../platform/time/pause.ts";
import { QuotaReachedError } from "../../work/quotas.ts";
import type { Service } from "../../work/service.ts";
import {
  branchView,
  markFailed,
  markProcessed,
  type OpenEvent,
  openEvents,
  removeEvents,
  type SyncFailure,
} from "./events.ts";
import { HostError } from "./host/errors.ts";
import type { Hosts } from "./host/hosts.ts";
import { pullRequestHost } from "./host/ports.ts";
import type { InboxBranch } from "./inbox.ts";
import { integrationsInOrder } from "./integrations.ts";
import { syncPush } from "./pushSync.ts";
import type { IntegrationRow } from "./schema.ts";
import { lastTold } from "./toldRequests.ts";

export type InboxDeps = {
  service: Service;
  hosts: Hosts;
  policy: RetryPolicy;
  /** Told of a failure that nobody foresaw; the event itself is tried again like any other. */
  onUnexpected?: (error: unknown) => void;
};

/** @throws only for an outage of our own database */
export async function processBranch(deps: InboxDeps, key: string): Promise<BranchView> {
  const name = parseScmEventKey(key);
  if (name === null) return { open: 0, nextMs: null };
  const { db } = deps.service;
  const events = await openEvents(db, key);
  const [first] = events;
  if (first !== undefined && events.some((event) => event.due)) {
    const { org_id: orgId, repository_key: repositoryKey, branch } = first;
    const at: InboxBranch = { orgId, integrationId: name.integrationId, repositoryKey, branch };
    const integration = (await integrationsInOrder(db, orgId)).find(({ id }) => id === name.integrationId);
    const pushes = events.filter(({ kind }) => kind === "push_branch_changed");
    const others = events.filter(({ kind }) => kind !== "push_branch_changed");
    // Its events go with it; one that slipped in meanwhile has nobody to ask.
    if (integration === undefined) await removeEvents(db, events);
    else {
      await settle(deps, pushes, (some) => applyPushes(deps, integration, at, some));
      await settle(deps, others, (some) => refreshPullRequests(deps, integration, at, some));
    }
  }
  return branchView(db, key);
}

async function applyPushes(
  { service, hosts }: InboxDeps,
  integration: IntegrationRow,
  branch: InboxBranch,
  events: readonly OpenEvent[],
): Promise<void> {
  const [oldest, newest] = [events[0] as OpenEvent, events.at(-1) as OpenEvent];
  const push = {
    before: oldest.before_sha,
    after: newest.after_sha,
    eventId: newest.id,
    retried: newest.attempts > 0,
  };
  await hosts.asking(integration, branch.repositoryKey, (client) => syncPush(service, client, branch, push));
}

async function refreshPullRequests(
  { service, hosts }: InboxDeps,
  integration: IntegrationRow,
  { orgId, repositoryKey, branch }: InboxBranch,
  events: readonly OpenEvent[],
): Promise<void> {
  const host = pullRequestHost(service.db, hosts, integration, lastTold(events));
  await syncPullRequests(service, host, { orgId, repositoryKey, branch }, events.at(-1)?.id ?? null);
}

/**
 * Work on events of one kind if any is due, and write down how it ended. What waits for its next try is settled by a
 * success. What has waited for the host to know better does not wait again because of what came later: that may come
 * without end, and be old deliveries under new ids.
 */
async function settle(
  deps: InboxDeps,
  events: readonly OpenEvent[],
  work: (events: readonly OpenEvent[]) => Promise<void>,
): Promise<void> {
  if (!events.some((event) => event.due)) return;
  try {
    await work(events);
  } catch (error) {
    if (isDatabaseOutage(error)) throw error;
    if (!(error instanceof HostError || error instanceof QuotaReachedError)) deps.onUnexpected?.(error);
    const isBehind = error instanceof HostError && error.failure === "behind";
    const waited = isBehind ? events.filter(({ due, attempts }) => due && attempts > 0) : [];
    // Nothing of these is held against the answer, so it cannot be behind them.
    await settle(deps, waited, work);
    const others = events.filter((event) => !waited.includes(event));
    await markFailed(deps.service, deps.policy, others, failureOf(error));
    return;
  }
  await markProcessed(deps.service.db, events);
}

/** What is stored and shown: texts of our own only (docs/rules/secrets.md#errors-are-texts-of-our-own). */
function failureOf(error: unknown): SyncFailure {
  if (error instanceof HostError) {
    return { text: error.reason, retryAfterMs: error.retryAfterMs, onlyLater: error.failure === "behind" };
  }
  // What waits is worked off meanwhile.
  if (error instanceof QuotaReachedError) return { text: error.detail, retryAfterMs: null, onlyLater: false };
  const text =
    error instanceof DecryptionError ? "the integration's credentials could not be decrypted" : "internal error";
  return { text, retryAfterMs: null, onlyLater: false };
}
