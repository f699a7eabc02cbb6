/** Puts events into the inbox and tells the workflows of their branches, in the caller's transaction (spec 6.3, design 6.5). */
import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";
import { scmEventKey } from "../../workflows/contract.ts";
import type { Work } from "../db/unitOfWork.ts";
import type { OutboxMessage } from "../outbox/message.ts";
import type { RefreshInbox } from "../pullRequests/refresh.ts";
import { integrationFor } from "./integrations.ts";
import type { NormalizedEvent } from "./normalize.ts";
import type { EventKind } from "./schema.ts";

export type InboxBranch = { orgId: string; integrationId: string; repositoryKey: string; branch: string };
export type NewEvent = Omit<NormalizedEvent, "kind"> & { kind: EventKind };

/**
 * Insert events of one repository. Left out are those whose delivery is known already, and those that concern no stack: most
 * pushes go to branches that nothing is deployed from. Two statements, the message's included.
 * @returns the ids of what is new
 */
export async function addEvents(
  work: Pick<Work, "tx" | "messages">,
  { orgId, integrationId, repositoryKey }: Omit<InboxBranch, "branch">,
  events: readonly NewEvent[],
): Promise<string[]> {
  if (events.length === 0) return [];
  const rows = events.map((event) => ({
    id: uuidv7(),
    ...event,
    branchKey: branchKey(integrationId, repositoryKey, event.branch),
  }));
  const added = (await work.tx.execute(sql`
    insert into scm_events (id, org_id, integration_id, external_event_id, kind, repository_key, branch, branch_key,
      pr_number, before_sha, after_sha)
    select r.id, ${orgId}, ${integrationId}, r."externalId", r.kind, ${repositoryKey}, r.branch,
      r."branchKey", r."prNumber", r.before, r.after
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id uuid, "externalId" text, kind text, branch text, "branchKey" text,
      "prNumber" integer, before text, after text)
    where exists (select 1 from stacks s where s.org_id = ${orgId} and s.repository_key = ${repositoryKey}
        and s.branch = r.branch and s.deleted_at is null)
      or r.kind <> 'push_branch_changed' and exists (select 1 from pull_requests p where p.org_id = ${orgId}
        and p.repository_key = ${repositoryKey} and p.number = r."prNumber")
    on conflict (integration_id, external_event_id) do nothing
    returning id, branch`)) as unknown as { id: string; branch: string }[];
  for (const branch of new Set(added.map((row) => row.branch))) {
    work.messages.push(arrivedMessage({ orgId, integrationId, repositoryKey, branch }));
  }
  return added.map((row) => row.id);
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
