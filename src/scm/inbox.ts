/** Puts events into the inbox and tells the workflows of their branches, in the caller's transaction (spec 6.3, design 6.5). */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { scmEventKey } from "../../workflows/contract.ts";
import { type Work, WRITER_OWNS } from "../db/unitOfWork.ts";
import type { OutboxMessage, OutboxRow } from "../outbox/message.ts";
import type { RefreshInbox } from "../pullRequests/refresh.ts";
import type { Service } from "../service.ts";
import { integrationFor } from "./integrations.ts";
import type { NormalizedEvent } from "./normalize.ts";
import type { EventKind } from "./schema.ts";

export type InboxBranch = { orgId: string; integrationId: string; repositoryKey: string; branch: string };
export type NewEvent = Omit<NormalizedEvent, "kind"> & { kind: EventKind };

type Repository = Omit<InboxBranch, "branch">;

/** As `take_scm_delivery` in SQL takes them. */
function rowsOf({ integrationId, repositoryKey }: Repository, events: readonly NewEvent[]): string {
  const rows = events.map((event) => ({
    id: uuidv7(),
    ...event,
    branchKey: branchKey(integrationId, repositoryKey, event.branch),
  }));
  return JSON.stringify(rows);
}

type Taken = { ids: string[]; messages: OutboxRow[] };

/** Add events in the caller's transaction. @returns the ids of what is new */
export async function addEvents(
  { tx, messages }: Pick<Work, "tx" | "messages">,
  repository: Repository,
  events: readonly NewEvent[],
): Promise<string[]> {
  const { orgId, integrationId, repositoryKey } = repository;
  const [row] = (await tx.execute(sql`
    select take_scm_delivery(${orgId}, ${integrationId}, scm_integrations_version(${orgId}), ${repositoryKey},
      ${rowsOf(repository, events)}::jsonb, null) as taken`)) as unknown as [{ taken: Taken }];
  messages.push(...row.taken.messages.map(({ message }) => message));
  return row.taken.ids;
}

/**
 * Add a delivery's events with their messages, in one statement that is a transaction of its own. Null, and nothing is stored,
 * when the organization's integrations are not those of `version` any more.
 */
export async function addDelivery(
  service: Pick<Service, "db" | "sendSoon">,
  repository: Repository,
  events: readonly NewEvent[],
  version: string,
): Promise<string[] | null> {
  const { orgId, integrationId, repositoryKey } = repository;
  const [row] = (await service.db.execute(sql`
    select take_scm_delivery(${orgId}, ${integrationId}, ${version}, ${repositoryKey}, ${rowsOf(repository, events)}::jsonb,
      ${WRITER_OWNS}::interval) as taken`)) as unknown as [{ taken: Taken | null }];
  if (row.taken === null) return null;
  if (row.taken.messages.length > 0) service.sendSoon(row.taken.messages);
  return row.taken.ids;
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
