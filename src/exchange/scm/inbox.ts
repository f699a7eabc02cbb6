/**
 * Puts events into the inbox and tells the workflows of their branches, in the caller's transaction
 * (docs/rules/source-control.md#the-inbox).
 */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { scmEventKey } from "../../../workflows/ids.ts";
import type { RefreshInbox } from "../../core/pullRequests/refresh.ts";
import type { NamedRow } from "../../platform/db/sqlRow.ts";
import { currentTraceparent } from "../../platform/telemetry/traceContext.ts";
import type { OutboxMessage } from "../../work/message.ts";
import type { OutboxRow } from "../../work/schema.ts";
import type { Work } from "../../work/unitOfWork.ts";
import { integrationFor } from "./integrations.ts";
import type { NormalizedEvent } from "./normalize.ts";
import type { EventKind, scmEvents } from "./schema.ts";

export type InboxBranch = NamedRow<typeof scmEvents, "orgId" | "integrationId" | "repositoryKey" | "branch">;
export type NewEvent = Omit<NormalizedEvent, "kind"> & { kind: EventKind };

export type Repository = Omit<InboxBranch, "branch">;

/**
 * An event on its way into the inbox; `version` is that of the integrations it was judged by, null when they were read
 * just now.
 */
export type EventRow = ReturnType<typeof eventRow>;
export type Taken = { ids: string[]; versions: Record<string, string>; messages: OutboxRow[] };

/** As `take_scm_deliveries` in SQL takes them. */
export function eventRow({ orgId, integrationId, repositoryKey }: Repository, event: NewEvent, version: string | null) {
  const key = branchKey(integrationId, repositoryKey, event.branch);
  const at = { org: orgId, integration: integrationId, repository: repositoryKey, branchKey: key };
  return { id: uuidv7(), version, ...at, ...event, traceparent: currentTraceparent() };
}

/** Add events in the caller's transaction. @returns the ids of what is new */
export async function addEvents(
  { tx, messages }: Pick<Work, "tx" | "messages">,
  repository: Repository,
  events: readonly NewEvent[],
): Promise<string[]> {
  const rows = JSON.stringify(events.map((event) => eventRow(repository, event, null)));
  const [{ taken }] = (await tx.execute(sql`select take_scm_deliveries(${rows}::jsonb, null) as taken`)) as unknown as [
    { taken: Taken },
  ];
  messages.push(...taken.messages.map(({ message }) => message));
  return taken.ids;
}

/** Starts or wakes the workflow of a branch. */
export function arrivedMessage({ orgId, integrationId, repositoryKey, branch }: InboxBranch): OutboxMessage {
  return { kind: "scmEventArrived", orgId, key: branchKey(integrationId, repositoryKey, branch) };
}

/** What the workflow of a branch is known by. */
export function branchKey(integrationId: string, repositoryKey: string, branch: string): string {
  return scmEventKey(integrationId, hashOf(repositoryKey), hashOf(branch));
}

/** Long enough that no two names of an organization meet, also when somebody looks for such names. */
function hashOf(name: string): string {
  return createHash("sha256").update(name).digest("hex").slice(0, 32);
}

/** A refresh that a person asked for is an event like a delivery's. */
export const refreshInbox: RefreshInbox = async (work, stack) => {
  const { orgId, repositoryKey, branch } = stack;
  const integration = await integrationFor(work.tx, orgId, stack.repositoryUrl);
  if (integration === null) return null;
  const id = uuidv7();
  const event = { kind: "pr_refresh_requested", branch, prNumber: null, before: null, after: null } as const;
  const [added] = await addEvents(work, { orgId, integrationId: integration.id, repositoryKey }, [
    { externalId: `refresh-${id}`, ...event },
  ]);
  return added ?? null;
};
