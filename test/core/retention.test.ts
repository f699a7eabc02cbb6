/**
 * Retention: what has outlived its setting goes, files and rows, and nothing that is still needed
 * (docs/operations.md#retention).
 */
import { randomBytes } from "node:crypto";
import { readdir } from "node:fs/promises";
import { test as base, expect } from "vitest";
import { type Retired, retire } from "../../src/core/retention/retire.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import type { SealedObjects } from "../../src/platform/objects/sealed.ts";
import { driftWorld, refreshed } from "../support/driftTest.ts";
import { ACTOR, create, decide, makeOrg, makeStack, statuses } from "../support/fixtures.ts";
import { makeNotifier } from "../support/notifications.ts";
import { startPeopleApi } from "../support/peopleApi.ts";
import { coordinator, PLAN_WITH_CHANGES, runner, startRunnerApi } from "../support/runnerApi.ts";

const DAY_MS = 86_400_000;
const KEEP = loadConfig({
  SVC_DATABASE_URL: "postgres://x/x",
  SVC_EXPLORE_DATABASE_URL: "postgres://x/x",
  SVC_TEMPORAL_ADDRESS: "x:1",
  SVC_OBJECTS_URL: "file:///x",
  SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
  SVC_DATA_ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
}).retention;

const NOTHING: Retired = {
  logChunks: 0,
  artifacts: 0,
  trees: 0,
  deploymentEvents: 0,
  domainEvents: 0,
  decisions: 0,
  scmEvents: 0,
  notificationDeliveries: 0,
  idempotencyKeys: 0,
  driftChecks: 0,
};

const test = base
  .extend("people", async ({}, { onCleanup }) => {
    const people = await startPeopleApi();
    onCleanup(() => people.close());
    return people;
  })
  .extend("runners", async ({ people }, { onCleanup }) => {
    const { objects, keyring } = people;
    const runners = await startRunnerApi(people.database, { objects, keyring });
    onCleanup(() => runners.close());
    return runners;
  })
  .extend("world", async ({ people, runners }) => {
    const org = await makeOrg(people.database);
    const retired = (objects: Pick<SealedObjects, "delete"> = people.objects): Promise<Retired> =>
      retire(people.database.db, objects, KEEP);

    async function nextRunner() {
      const started = await runner(runners, org, await (await coordinator(runners, org)).claim());
      await started.accept();
      return started;
    }

    /** A deployment that waits with its plan, with two sealed log chunks and a live one. */
    async function planned() {
      const stackKey = await makeStack(people.database, org.orgId);
      const deploymentId = await create(runners.service, stackKey);
      const planner = await nextRunner();
      await planner.seal(0, randomBytes(1_000));
      await planner.seal(1, randomBytes(1_000));
      await planner.live(2, Buffer.from("the end"));
      for (const kind of ["plan", "changes", "plan-text", "tree"]) await planner.upload(kind, randomBytes(500));
      await planner.done(PLAN_WITH_CHANGES);
      return { deploymentId, planner };
    }

    async function ended() {
      const { deploymentId, planner } = await planned();
      await decide(runners.service, people.database, deploymentId, "skip");
      return { deploymentId, planner };
    }

    /** Stored objects, the store's own folders aside. */
    async function files(): Promise<string[]> {
      const found = await readdir(people.objectFolder, { recursive: true, withFileTypes: true });
      return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
    }

    async function count(table: string, deploymentId: string): Promise<number> {
      const { sql } = people.database;
      const rows = await (table === "log_chunks" || table === "artifacts"
        ? sql`select 1 from ${sql(table)} t join runs r on r.id = t.run_id where r.deployment_id = ${deploymentId}`
        : sql`select 1 from ${sql(table)} where deployment_id = ${deploymentId}`);
      return rows.length;
    }

    return { retired, nextRunner, planned, ended, files, count, org };
  });

test("logs, plans and events go when their deployment ended long enough ago; the deployment and its summary stay", async ({
  people,
  world,
}) => {
  const { deploymentId, planner } = await world.ended();
  expect(await world.files()).toHaveLength(6);
  await people.database.advanceClock(DAY_MS + 60_000);
  expect(await world.retired()).toMatchObject({ trees: 1, artifacts: 0 });
  expect(await world.files()).toHaveLength(5);
  await people.database.advanceClock(89 * DAY_MS - 120_000);
  expect(await world.retired()).toMatchObject({ logChunks: 0, artifacts: 0, deploymentEvents: 0, domainEvents: 0 });
  await people.database.advanceClock(120_000);
  expect(await world.retired()).toMatchObject({ logChunks: 3, artifacts: 3, deploymentEvents: 0 });
  expect(await world.files()).toEqual([]);
  expect(await world.count("log_chunks", deploymentId)).toBe(0);
  expect(await world.count("artifacts", deploymentId)).toBe(0);
  expect(await world.count("domain_events", deploymentId)).toBe(0);
  expect(await world.count("deployment_events", deploymentId)).toBe(2);
  const { deployment, runs } = await statuses(people.database, deploymentId);
  expect({ deployment, runs }).toEqual({ deployment: "skipped", runs: ["plan_run:success"] });
  const [run] = await people.database.sql`select plan_summary from runs where id = ${planner.run_id}`;
  expect(run?.plan_summary).toEqual(PLAN_WITH_CHANGES.plan_summary);
  await people.database.advanceClock(310 * DAY_MS);
  expect(await world.retired()).toEqual({ ...NOTHING, deploymentEvents: 2 });
  expect(await world.retired()).toEqual(NOTHING);
});

test("a deployment that waits keeps everything, and its plan can be applied years later", async ({
  people,
  runners,
  world,
}) => {
  const { deploymentId, planner } = await world.planned();
  await world.ended();
  const before = await Promise.all(
    ["log_chunks", "artifacts", "domain_events", "deployment_events"].map((table) => world.count(table, deploymentId)),
  );
  await people.database.advanceClock(1_000 * DAY_MS);
  expect((await world.retired()).artifacts).toBe(3);
  const after = await Promise.all(
    ["log_chunks", "artifacts", "domain_events", "deployment_events"].map((table) => world.count(table, deploymentId)),
  );
  expect(after).toEqual(before);
  // Tokens are signed by this machine's clock.
  await people.database.advanceClock(-1_000 * DAY_MS);
  await decide(runners.service, people.database, deploymentId, "confirm", { action: "apply" } as never);
  const applier = await world.nextRunner();
  const plan = await applier.download("plan");
  expect(plan.status).toBe(200);
  expect((await plan.arrayBuffer()).byteLength).toBe(500);
  expect(planner.run_id).not.toBe(applier.run_id);
});

test("interrupted at any deletion, the next pass leaves neither a file nor a row", async ({ people, world }) => {
  await world.ended();
  await world.ended();
  await people.database.advanceClock(100 * DAY_MS);
  for (let allowed = 0; ; allowed++) {
    let deletions = 0;
    const failing = {
      // The store forgets to say that it has deleted the last one.
      delete: async (key: string) => {
        if (deletions === allowed) await people.objects.delete(key);
        if (deletions++ >= allowed) throw new Error("the process was killed");
        await people.objects.delete(key);
      },
    };
    const outcome = await world.retired(failing).then(
      () => "done",
      () => "interrupted",
    );
    const rows = await people.database.sql`
      select object_key from log_chunks where object_key is not null union all select object_key from artifacts`;
    const named = rows.map((row) => String(row.object_key).split("/").at(-1));
    // Every file is still named by a row, so it will be found again.
    expect((await world.files()).filter((file) => !named.includes(file))).toEqual([]);
    if (outcome === "done") break;
  }
  expect(await world.files()).toEqual([]);
  expect(await people.database.sql`select 1 from log_chunks union all select 1 from artifacts`).toEqual([]);
});

test("an object store that is away keeps no row of other kinds, and no file for ever", async ({ people, world }) => {
  await world.ended();
  await people.database.advanceClock(100 * DAY_MS);
  const away = { delete: () => Promise.reject(new Error("the store is away")) };
  await expect(world.retired(away)).rejects.toThrow("the store is away");
  expect(await people.database.sql`select 1 from domain_events`).toEqual([]);
  expect(await world.retired()).toMatchObject({ logChunks: 3, artifacts: 3 });
});

test("two passes at once remove everything once", async ({ people, world }) => {
  for (let i = 0; i < 3; i++) await world.ended();
  await people.database.advanceClock(100 * DAY_MS);
  await Promise.all([world.retired(), world.retired()]);
  expect(await world.files()).toEqual([]);
  expect(await people.database.sql`select 1 from log_chunks union all select 1 from artifacts`).toEqual([]);
});

test("more deployments than a batch holds are all done, and one that ends later is not passed over", async ({
  people,
  runners,
  world,
}) => {
  const stackKey = await makeStack(people.database, world.org.orgId);
  const late = await create(runners.service, stackKey, { mode: "plan_unlocked" });
  for (let i = 0; i < 120; i++) {
    const id = await create(runners.service, stackKey, { mode: "plan_unlocked" });
    await decide(runners.service, people.database, id, "cancel");
  }
  await people.database.advanceClock(500 * DAY_MS);
  expect((await world.retired()).deploymentEvents).toBe(240);
  await decide(runners.service, people.database, late, "cancel");
  await people.database.advanceClock(500 * DAY_MS);
  expect((await world.retired()).deploymentEvents).toBe(2);
}, 120_000);

test("idempotency keys and decisions go after their day, in batches", async ({ people, runners, world }) => {
  const { sql } = people.database;
  const deploymentId = await create(runners.service, await makeStack(people.database, world.org.orgId));
  await sql`
    insert into idempotency_keys (principal_id, method, path, key, body_sha256, created_at)
    select ${ACTOR.id}, 'POST', '/x', i::text, 'h', svc_now() - interval '25 hours' from generate_series(1, 1200) i`;
  await sql`
    insert into idempotency_keys (principal_id, method, path, key, body_sha256) values (${ACTOR.id}, 'POST', '/x', 'young', 'h')`;
  await sql`
    insert into decisions (org_id, deployment_id, kind, principal_id, principal_kind, created_at, expires_at)
    select ${world.org.orgId}, ${deploymentId}, 'skip', ${ACTOR.id}, ${ACTOR.kind}, svc_now() - i * interval '13 hours', svc_now()
    from generate_series(1, 2) i`;
  expect(await world.retired()).toMatchObject({ idempotencyKeys: 1200, decisions: 1 });
  expect(await sql`select key from idempotency_keys`).toEqual([{ key: "young" }]);
  expect(await sql`select 1 from decisions`).toHaveLength(1);
});

test("notifications that are dead go after their time, those in flight never", async ({ people, world }) => {
  const { sql } = people.database;
  const integration = await makeNotifier(people.database, people.keyring, world.org.orgId, {
    url: "https://hooks.example/",
  });
  await sql`
    insert into notification_deliveries (org_id, integration_id, domain_event_id, event_type, body, status, created_at, dead_at)
    select ${world.org.orgId}, ${integration}, uuidv7(), 'stack_created', '{}', state, svc_now() - days * interval '1 day',
      case state when 'dead' then svc_now() - days * interval '1 day' end
    from unnest(array['dead', 'pending']) state, unnest(array[29, 31, 400]) days`;
  expect(await world.retired()).toEqual({ ...NOTHING, notificationDeliveries: 2 });
  expect(
    await sql`select status, count(*)::int as n from notification_deliveries group by status order by status`,
  ).toEqual([
    { status: "dead", n: 1 },
    { status: "pending", n: 3 },
  ]);
});

test("each statement finds its rows by index", async ({ people }) => {
  const { sql } = people.database;
  for (const [query, index] of [
    [
      "select id from deployments where completed_at < now() and (completed_at, id) > (now(), uuidv7()) order by completed_at, id limit 50",
      "deployments_ended",
    ],
    ["select 1 from idempotency_keys where decision_id = uuidv7()", "idempotency_keys_by_decision"],
    ["select id from domain_events where occurred_at < now() order by occurred_at limit 500", "domain_events_by_age"],
    [
      "select key from idempotency_keys where created_at < now() order by created_at limit 500",
      "idempotency_keys_by_age",
    ],
    [
      "select id from notification_deliveries where status = 'dead' and dead_at < now() order by dead_at limit 500",
      "notification_deliveries_dead",
    ],
    ["select id from decisions where created_at < now() order by created_at limit 500", "decisions_by_age"],
  ] as const) {
    const plan = await sql.begin(async (tx) => {
      await tx`set local enable_seqscan = off`;
      return tx.unsafe(`explain ${query}`);
    });
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain(index);
  }
});

test("old checks for drift go as a whole, but for the one that a stack's status is of", async ({
  people,
  runners,
  world,
}) => {
  const drift = driftWorld(people.database, runners.service, world.org);
  const stackKey = await drift.applied();
  await drift.check(stackKey, refreshed("a.x"));
  await drift.check(stackKey, refreshed("a.x"));
  const modes = async () => (await drift.deployments(stackKey)).map(({ mode }) => mode);
  expect(await modes()).toEqual(["plan", "drift", "drift"]);
  expect((await world.retired()).driftChecks).toBe(0);
  await people.database.advanceClock(91 * DAY_MS);
  // Until its files are gone its row is how they are found.
  const [{ id: run } = {}] = await people.database.sql`
    select r.id from runs r join deployments d on d.id = r.deployment_id where d.stack_key = ${stackKey} and d.mode = 'drift' order by r.id limit 1`;
  await people.database
    .sql`insert into artifacts (run_id, kind, object_key, size, sha256) values (${run}, 'plan', 'k', 1, ${"ab".repeat(32)})`;
  await people.database.sql`
    insert into retention_progress (kind, completed_at, deployment_id) select kind, svc_now(), uuidv7() from unnest(array['artifacts', 'trees', 'logs']) as kind
    on conflict (kind) do update set completed_at = svc_now()`;
  expect((await world.retired()).driftChecks).toBe(0);
  await people.database.sql`delete from artifacts where run_id = ${run}`;
  expect((await world.retired()).driftChecks).toBe(1);
  expect(await modes()).toEqual(["plan", "drift"]);
  expect((await drift.row(stackKey)).checked_id).toBe((await drift.deployments(stackKey))[1]?.id);
});
