/** Whoever stores a domain event, every subscriber hears of it as it stands in its row. */
import "../support/listening.ts";
import { randomUUID } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { deleteStack } from "../../src/core/stackLife/deleteStack.ts";
import { holdStack } from "../../src/core/stackLife/hold.ts";
import { markFailed, openEvents } from "../../src/exchange/scm/events.ts";
import { addEvents, branchKey } from "../../src/exchange/scm/inbox.ts";
import { reportFindings } from "../../src/graph/explore/findingsReport.ts";
import type { DomainEventName } from "../../src/work/domainEvent.ts";
import { domainEvents } from "../../src/work/schema.ts";
import { SUBSCRIBERS } from "../../src/work/subscribers.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { ACTOR, create, makeOrg, makeStack, type TestOrg, type TestService, testService } from "../support/fixtures.ts";
import { poll } from "../support/lifecycle.ts";
import { asked, heard } from "../support/listening.ts";

const HEAD = "b".repeat(40);

let database: TestDatabase;
let service: TestService;
let org: TestOrg;
let stackKey: string;

beforeAll(async () => {
  database = await freshDatabase();
  service = testService(database);
});
afterAll(() => database.close());
beforeEach(async () => {
  org = await makeOrg(database);
  stackKey = await makeStack(database, org.orgId);
});

const person = () => ({ ...ACTOR, orgId: org.orgId, tokenId: null });

/** A push that cannot be worked on, at its last try. */
async function giveUp(): Promise<void> {
  const [integration] = await database.sql`
    insert into scm_integrations (org_id, name, url_pattern) values (${org.orgId}, 'host', '.*') returning id`;
  const at = { orgId: org.orgId, integrationId: integration?.id as string, repositoryKey: "git.example/r" };
  const push = { kind: "push_branch_changed", branch: "main", prNumber: null, before: null, after: HEAD } as const;
  await unitOfWork(service, (work) => addEvents(work, at, [{ externalId: randomUUID(), ...push }]));
  const events = await openEvents(database.db, branchKey(at.integrationId, at.repositoryKey, "main"));
  const failure = { text: "unreachable", retryAfterMs: null, onlyLater: false };
  await markFailed(service, { maxAttempts: 1, firstPauseMs: 1 }, events, failure);
}

async function findCycles(): Promise<void> {
  await database.sql`insert into explore_reports (org_id) values (${org.orgId})`;
  const complete = { cycles_complete: true, orphans_complete: true };
  await reportFindings(service, org.orgId, { cycles: 2, orphans: 0, duplicates: 0, ...complete });
}

async function deleteWithQueue(): Promise<void> {
  await database.sql`update stacks set held_at = now(), held_by = 'x', hold_reason = 'y' where stack_key = ${stackKey}`;
  await create(service, stackKey);
  await create(service, stackKey, { mode: "destroy" });
  await deleteStack(service, person(), stackKey, false);
}

const WRITERS: [writer: string, event: DomainEventName, count: number, act: () => Promise<unknown>][] = [
  ["a transition's log", "deployment_created", 1, () => create(service, stackKey)],
  ["the promotion", "deployment_promoted", 1, () => create(service, stackKey)],
  ["the claim", "run_assigned", 1, () => create(service, stackKey).then(() => poll({ service }, org))],
  ["the end of a queue", "deployment_cancelled", 2, deleteWithQueue],
  ["a stack's life", "stack_held", 1, () => holdStack(service, person(), stackKey, "freeze")],
  ["the inbox of pushes", "scm_sync_failed", 1, giveUp],
  ["the findings", "explore_findings_changed", 1, findCycles],
];

test.each(WRITERS)("%s tells of %s", async (_writer, name, count, act) => {
  await act();
  const ofName = and(eq(domainEvents.orgId, org.orgId), eq(domainEvents.name, name));
  const rows = await database.db.select().from(domainEvents).where(ofName).orderBy(domainEvents.deploymentId);
  const stored = rows.map(({ actorId, actorKind, fannedOutAt: _, occurredAt: __, ...row }) => ({
    ...row,
    actor: actorId === null ? null : { id: actorId, kind: actorKind },
  }));
  expect(stored).toHaveLength(count);
  for (const who of Object.keys(SUBSCRIBERS)) {
    const events = heard.filter((one) => one.who === who).map(({ event: { preview: _, ...event } }) => event);
    expect(events.filter((event) => event.orgId === org.orgId && event.name === name)).toEqual(stored);
    expect(asked).toContain(`${who} ${name}`);
  }
});

test("none of the events stored meanwhile went unheard", async () => {
  const ids = await database.sql`select id from domain_events order by id`;
  const known = new Set(heard.map(({ event }) => event.id));
  expect(ids.filter(({ id }) => !known.has(id))).toEqual([]);
});
