/** Deliveries that come together are stored together, and one that cannot be stored keeps none of the others out. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { Deliveries } from "../../src/exchange/scm/deliveries.ts";
import { branchKey, type NewEvent, type Repository } from "../../src/exchange/scm/inbox.ts";
import { processBranch } from "../../src/exchange/scm/processBranch.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { openTraces, type Traces } from "../../src/platform/telemetry/traces.ts";
import { startCollector } from "../support/collector.ts";
import { makeOrg, testService } from "../support/fixtures.ts";
import { hostStack, makeIntegration, POLICY, testHosts } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";
import { databaseTest } from "../support/test.ts";

const push = (changes: object = {}) =>
  ({
    externalId: randomUUID(),
    kind: "push_branch_changed",
    branch: "main",
    prNumber: null,
    before: null,
    after: "a",
    ...changes,
  }) as NewEvent;

const test = databaseTest()
  .extend("host", { scope: "file" }, async ({}, { onCleanup }) => {
    const host = await ScriptedHost.start();
    onCleanup(() => host.stop());
    return host;
  })
  .extend("hosts", { scope: "file" }, ({}, { onCleanup }) => {
    const hosts = testHosts();
    onCleanup(() => hosts.egress.close());
    return hosts;
  })
  .extend("world", { scope: "file" }, async ({ database, hosts, host }) => {
    const service = testService(database);

    async function makeInbox(): Promise<{ at: Repository; version: string }> {
      const { orgId } = await makeOrg(database);
      const { id } = await makeIntegration(database, hosts.keyring, orgId, host);
      await hostStack(database, orgId, host);
      const [row] = await database.sql`select scm_integrations_version(${orgId}) as version`;
      return { at: { orgId, integrationId: id, repositoryKey: host.repositoryKey }, version: row?.version };
    }
    const stored = async ({ integrationId }: Repository) =>
      (await database.sql`select count(*)::int as n from scm_events where integration_id = ${integrationId}`)[0]?.n;

    return { makeInbox, stored, service };
  });

test("60 at once cost few statements and their branch one message for each", async ({ world }) => {
  const { at, version } = await world.makeInbox();
  const deliveries = new Deliveries(world.service);
  world.service.sent.length = 0;
  const { result, statements } = await countStatements(() =>
    Promise.all(Array.from({ length: 60 }, () => deliveries.add(at, [push()], version))),
  );
  expect(new Set(result.flat()).size).toBe(60);
  expect(await world.stored(at)).toBe(60);
  expect(statements.length).toBeLessThanOrEqual(3);
  expect(world.service.sent).toHaveLength(statements.length);
});

test("those judged by integrations of another version are not stored, beside others that are", async ({ world }) => {
  const [one, other] = [await world.makeInbox(), await world.makeInbox()];
  const deliveries = new Deliveries(world.service);
  const answers = await Promise.all([
    deliveries.add(one.at, [push()], one.version),
    deliveries.add(one.at, [push()], "outdated"),
    deliveries.add(other.at, [push()], other.version),
  ]);
  expect(answers.map((ids) => ids?.length ?? null)).toEqual([1, null, 1]);
  expect([await world.stored(one.at), await world.stored(other.at)]).toEqual([1, 1]);
});

test("one that the database refuses is refused alone", async ({ world }) => {
  const { at, version } = await world.makeInbox();
  const deliveries = new Deliveries(world.service);
  const ends = await Promise.allSettled(
    [push(), push({ kind: "no such kind" }), push()].map((event) => deliveries.add(at, [event], version)),
  );
  expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(await world.stored(at)).toBe(2);
  expect(await deliveries.add(at, [push()], version)).toHaveLength(1);
});

test("the same deliveries at two processes in opposite order are stored once each, and neither waits both ways", async ({
  database,
  world,
}) => {
  const { at, version } = await world.makeInbox();
  for (let round = 0; round < 20; round++) {
    const ids = Array.from({ length: 40 }, () => randomUUID());
    const store = (order: readonly string[]) => {
      const deliveries = new Deliveries(world.service);
      // Two of each within one batch as well.
      return Promise.all([...order, ...order].map((externalId) => deliveries.add(at, [push({ externalId })], version)));
    };
    const answers = await Promise.all([store(ids), store(ids.toReversed())]);
    expect(new Set(answers.flat(2)).size).toBe(ids.length);
    expect(answers.flat(2)).toHaveLength(ids.length);
  }
  expect(await world.stored(at)).toBe(20 * 40);
  expect(
    await database.sql`select deadlocks::int as n from pg_stat_database where datname = current_database()`,
  ).toEqual([{ n: 0 }]);
});

test("an integration's inbox goes with it", async ({ database, world }) => {
  const { at, version } = await world.makeInbox();
  await new Deliveries(world.service).add(at, [push()], version);
  await database.sql`delete from scm_integrations where id = ${at.integrationId}`;
  expect(await world.stored(at)).toBe(0);
});

test("what slips into the inbox of an integration that is being removed is removed by its branch's workflow", async ({
  database,
  hosts,
  world,
}) => {
  const { at, version } = await world.makeInbox();
  const other = await world.makeInbox();
  await new Deliveries(world.service).add(other.at, [push()], other.version);
  await database.sql.begin(async (tx) => {
    await tx`delete from scm_integrations where id = ${at.integrationId}`;
    // Not committed yet: the delivery is judged by what was there, and waits for nothing.
    expect(await new Deliveries(world.service).add(at, [push(), push({ externalId: "second" })], version)).toHaveLength(
      2,
    );
  });
  expect(await world.stored(at)).toBe(2);
  const key = branchKey(at.integrationId, at.repositoryKey, "main");
  const view = await processBranch({ service: world.service, hosts: hosts.hosts, policy: POLICY }, key);
  expect(view).toEqual({ open: 0, nextMs: null });
  expect([await world.stored(at), await world.stored(other.at)]).toEqual([0, 1]);
});

test("those of several requests keep each its own trace", async ({ database, host, world }) => {
  const { at, version } = await world.makeInbox();
  const [tracing, silent] = [await startCollector(), await world.makeInbox()];
  const traces = (await openTraces("api", {
    endpoint: tracing.url,
    tracesEndpoint: undefined,
    sampleRatio: 1,
  })) as Traces;
  const deliveries = new Deliveries(world.service);
  await hostStack(database, at.orgId, host, { branch: "next" });
  const request = (branch: string) =>
    traces.tracer.startActiveSpan(branch, { root: true }, async (span) => {
      await deliveries.add(at, [push({ branch })], version);
      span.end();
      return span.spanContext().traceId;
    });
  const [main, next] = await Promise.all([
    request("main"),
    request("next"),
    deliveries.add(silent.at, [push()], silent.version),
  ]);
  await traces.close();
  await tracing.close();
  const rows = await database.sql`
    select message ->> 'key' as key, traceparent from outbox where message ->> 'orgId' in (${at.orgId}, ${silent.at.orgId})`;
  const traceOf = (key: string) => rows.find((row) => row.key === key)?.traceparent?.slice(3, 35) ?? null;
  expect(rows).toHaveLength(3);
  expect(traceOf(branchKey(at.integrationId, at.repositoryKey, "main"))).toBe(main);
  expect(traceOf(branchKey(at.integrationId, at.repositoryKey, "next"))).toBe(next);
  expect(traceOf(branchKey(silent.at.integrationId, silent.at.repositoryKey, "main"))).toBeNull();
});
