/**
 * `/metrics` of both programs: every documented name is there, and the figures are the rows'
 * (docs/rules/limits.md#metrics).
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client, Connection } from "@temporalio/client";
import { expect, inject } from "vitest";
import { FIGURES, queueFigures } from "../../src/core/dispatch/queueFigures.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import { freePorts } from "../../src/main/dev/ports.ts";
import { startApi } from "../../src/main/service/api.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { createMetrics } from "../../src/platform/telemetry/metrics.ts";
import { freshDatabase } from "../support/database.ts";
import { create, makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { freshNamespace } from "../support/temporal.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";
import { startWorkerProcess } from "../support/workerProcess.ts";

async function scrape(base: string): Promise<string> {
  const answer = await fetch(`${base}/metrics`);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** A sample's value: its name with its labels, as it stands in the text. */
function sample(text: string, name: string): number | undefined {
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

async function documented(): Promise<{ name: string; programs: string[] }[]> {
  const manual = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const rows = manual.matchAll(/^\| `((?:svc|temporal)_\w+)` \| ([a-z, ]+) \|/gm);
  return [...rows].map(([, name = "", programs = ""]) => ({ name, programs: programs.split(", ") }));
}

const test = databaseTest()
  .extend("temporal", { scope: "file" }, async ({}, { onCleanup }) => {
    const temporal = await freshNamespace();
    onCleanup(() => temporal.close());
    return temporal;
  })
  .extend("environment", { scope: "file" }, async ({ database, temporal, folder }) => ({
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    SVC_TEMPORAL_ADDRESS: temporal.address,
    SVC_TEMPORAL_NAMESPACE: temporal.namespace,
    SVC_OBJECTS_URL: `file://${folder}/objects`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_LISTEN: "127.0.0.1:0",
    SVC_API_HEALTH_LISTEN: "127.0.0.1:0",
    SVC_WORKER_LISTEN: `127.0.0.1:${(await freePorts(1))[0]}`,
    SVC_WORKFLOW_BUNDLE: inject("workflowBundlePath"),
    RUNNER_ASSIGNMENT_TIMEOUT: "PT0.5S",
  }))
  .extend("api", { scope: "file" }, async ({ environment }, { onCleanup }) => {
    const api = await startApi(loadConfig(environment), { log: createLogger("silent", "test") });
    onCleanup(() => api.close());
    return api;
  })
  // A process of its own: the SDK has one runtime to a process, and this one's is the tests'.
  .extend("worker", { scope: "file" }, async ({ environment, folder }, { onCleanup }) => {
    const worker = await startWorkerProcess(environment, join(folder, "worker.log"));
    onCleanup(() => worker.stop("SIGTERM", 30_000));
    return worker;
  })
  .extend("world", ({ api, worker }) => {
    const ofApi = () => scrape(api.healthUrl);
    const ofWorker = () => scrape(worker.healthUrl);

    return { ofApi, ofWorker };
  });

test("the manual lists each metric of the service, and no other", async () => {
  const names = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
  const listed = (await documented()).map(({ name }) => name);
  expect(listed.filter((name) => name.startsWith("svc_")).sort()).toEqual(
    names.filter((name) => name.startsWith("svc_")).sort(),
  );
});

test("each documented name is in the answer of its programs, those of the Temporal SDK too", async ({
  temporal,
  world,
}) => {
  // A workflow of a type that no worker knows: its task fails.
  const connection = await Connection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const unknown = await client.workflow.start("noSuchWorkflow", { taskQueue: "core", workflowId: "unknown" });
  await waitFor(async () => (await world.ofWorker()).includes("temporal_workflow_task_execution_failed_total{"), {
    what: "the failed workflow task to be counted",
    timeoutMs: 45_000,
    everyMs: 200,
  });
  await unknown.terminate();
  await connection.close();
  const texts = { api: await world.ofApi(), worker: await world.ofWorker() };
  for (const { name, programs } of await documented()) {
    for (const program of programs) {
      expect(texts[program as keyof typeof texts], `${name} of the ${program}`).toContain(`# TYPE ${name} `);
    }
  }
});

test("a deadline that was carried out is observed with its delay", async ({ database, world }) => {
  const org = await makeOrg(database);
  const service = testService(database);
  const deploymentId = await create(service, await makeStack(database, org.orgId));
  // Claimed and never accepted: the lease's workflow, which the outbox starts, gives it back half a second later.
  const { sql } = database;
  const [run] = await sql`select id from runs where deployment_id = ${deploymentId}`;
  const [runner] = await sql`
    insert into runners (org_id, group_id, run_id, claim_seq) values (${org.orgId}, ${org.groupId}, ${run?.id}, 1) returning id`;
  await sql`
    update runs set status = 'assigned', claim_seq = 1, assigned_runner_id = ${runner?.id}, assigned_group_id = ${org.groupId},
      assigned_at = svc_now(), assigned_expires_at = svc_now() + interval '500 ms' where id = ${run?.id}`;
  const message = {
    kind: "assignLease",
    runId: run?.id,
    orgId: org.orgId,
    stackKey: (await sql`select stack_key from deployments where id = ${deploymentId}`)[0]?.stack_key,
    deploymentId,
    mode: "plan",
    origin: "manual",
  };
  await sql`insert into outbox (message, due_at) values (${sql.json(message)}, svc_now())`;
  const name = 'svc_deadline_overshoot_seconds_count{deadline="lease"}';
  await waitFor(async () => (sample(await world.ofWorker(), name) ?? 0) >= 1, {
    what: "the lapse to be observed",
    timeoutMs: 45_000,
    everyMs: 200,
  });
  const text = await world.ofWorker();
  const seconds = sample(text, 'svc_deadline_overshoot_seconds_sum{deadline="lease"}') as number;
  expect(seconds).toBeGreaterThanOrEqual(0);
  expect(seconds / (sample(text, name) as number)).toBeLessThan(5);
});

test("the figures are the rows': by status, oldest pending, oldest that could be dispatched, outbox", async () => {
  await using own = await freshDatabase();
  const { sql } = own;
  const org = await makeOrg(own);
  const service = testService(own);
  const metrics = createMetrics();
  const text = async () => {
    const fresh = createMetrics();
    await queueFigures(own.db, fresh)();
    return fresh.registry.metrics();
  };
  expect(sample(await text(), "svc_runs_oldest_pending_age_seconds")).toBe(0);
  expect(sample(await text(), 'svc_runs{status="running"}')).toBe(0);

  const stackKey = await makeStack(own, org.orgId);
  const served = await create(service, stackKey);
  await create(service, stackKey);
  const prioritized = await create(service, await makeStack(own, org.orgId));
  const unserved = await create(
    service,
    await makeStack(own, org.orgId, { labels: sql.json({ "svc:runner-group:pool": "none" }) }),
  );
  const aged = (id: string, seconds: number) =>
    sql`update runs set first_pending_at = svc_now() - ${seconds} * interval '1 second' where deployment_id = ${id}`;
  await aged(served, 100);
  await aged(prioritized, 300);
  await sql`update runs set prioritized_at = svc_now() where deployment_id = ${prioritized}`;
  await aged(unserved, 900);
  await sql`update outbox set created_at = svc_now() - interval '50 seconds' where id = (select min(id) from outbox)`;
  const [outbox] = await sql`select count(*)::int as messages from outbox`;
  const [told] = await sql`
    insert into notification_integrations (org_id, name, provider_type, events, auth_config)
    values (${org.orgId}, 'on call', 'webhook', '{stack_created}', '\\x00') returning id`;
  await sql`
    insert into notification_deliveries (org_id, integration_id, domain_event_id, event_type, body, status, dead_at)
    select ${org.orgId}, ${told?.id}, uuidv7(), 'stack_created', '{}', status, case status when 'dead' then svc_now() end
    from unnest('{pending,pending,dead}'::text[]) status`;

  const figures = await text();
  expect(sample(figures, 'svc_runs{status="pending"}')).toBe(3);
  expect(sample(figures, 'svc_runs{status="queued"}')).toBe(1);
  expect(sample(figures, "svc_runs_oldest_pending_age_seconds")).toBeCloseTo(900, -1);
  expect(sample(figures, "svc_dispatch_oldest_dispatchable_age_seconds")).toBeCloseTo(300, -1);
  expect(sample(figures, "svc_outbox_messages")).toBe(outbox?.messages);
  expect(sample(figures, "svc_outbox_oldest_age_seconds")).toBeCloseTo(50, -1);
  expect(sample(figures, 'svc_notification_deliveries{status="pending"}')).toBe(2);
  expect(sample(figures, 'svc_notification_deliveries{status="dead"}')).toBe(1);

  await sql`update dispatch_orgs set throttled_until = svc_now() + interval '1 hour' where org_id = ${org.orgId}`;
  expect(sample(await text(), "svc_dispatch_oldest_dispatchable_age_seconds")).toBe(0);

  const refresh = queueFigures(own.db, metrics);
  const { statements } = await countStatements(async () => {
    await Promise.all([refresh(), refresh()]);
    await refresh();
  });
  expect(statements).toHaveLength(1);
});

test("the oldest message of each class is shown, whichever organization's it is and though it is in back-off", async () => {
  await using own = await freshDatabase();
  const { sql } = own;
  const [first, second] = [await makeOrg(own), await makeOrg(own)];
  await sql`delete from outbox`;
  const write = (kind: string, orgId: string, ageSeconds: number, dueInSeconds = 0) => sql`
    insert into outbox (message, due_at, created_at)
    values (${sql.json({ kind, orgId, domainEventId: "1", deploymentId: "1", runId: "1" })},
      svc_now() + ${dueInSeconds} * interval '1 second', svc_now() - ${ageSeconds} * interval '1 second')`;
  await write("assignLease", first.orgId, 10);
  await write("assignLease", second.orgId, 70, 20);
  await write("fanOut", first.orgId, 20);
  await write("fanOut", second.orgId, 400);
  const metrics = createMetrics();
  await queueFigures(own.db, metrics)();
  const text = await metrics.registry.metrics();
  const of = (urgency: number) => sample(text, `svc_outbox_class_oldest_age_seconds{class="${urgency}"}`);
  expect(of(0)).toBeCloseTo(70, -1);
  expect([of(1), of(2)]).toEqual([0, 0]);
  expect(of(3)).toBeCloseTo(400, -1);
});

test("one statement over indexes, however long the queues", async () => {
  await using own = await freshDatabase();
  const plan = await own.db.transaction(async (tx) => {
    await tx.execute("set local enable_seqscan = off");
    const { sql: text, params } = (
      own.db as unknown as { dialect: { sqlToQuery(query: unknown): Query } }
    ).dialect.sqlToQuery(FIGURES);
    const inlined = params.reduce<string>(
      (query, value, place) => query.replaceAll(`$${place + 1}::`, `${value}::`),
      text,
    );
    return tx.execute(`explain ${inlined}`);
  });
  const lines = (plan as unknown as Record<string, string>[]).map((row) => row["QUERY PLAN"]).join("\n");
  const indexes = [
    "runs_claimable",
    "runs_held",
    "deployments_queue",
    "outbox_pkey",
    "outbox_urgent",
    "outbox_patient",
  ];
  for (const index of [...indexes, "notification_deliveries_pending", "notification_deliveries_dead"]) {
    expect(lines).toContain(index);
  }
  expect(lines).not.toMatch(/Seq Scan on (?:runs|deployments|outbox|notification_deliveries)/);
});
type Query = { sql: string; params: unknown[] };

test("with the database away the answer still comes, says so, and shows no old figure", async () => {
  const away = await freshDatabase();
  const metrics = createMetrics();
  const refresh = queueFigures(away.db, metrics);
  await away.close();
  metrics.scrape.before(refresh);
  const text = await metrics.scrape.metrics();
  expect(sample(text, "svc_metrics_collection_failures_total")).toBe(1);
  expect(sample(text, "svc_outbox_messages")).toBeNaN();
  expect(text).not.toContain("svc_runs{");
  expect(text).not.toContain("svc_notification_deliveries{");
});
