/** Lists come from a streaming replica, and nobody can tell: not who has just written, and not when it dies. */
import { randomBytes, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { expect, inject } from "vitest";
import { loadConfig } from "../../src/main/config/config.ts";
import { bootstrap } from "../../src/main/operator/bootstrap.ts";
import { type Api, startApi } from "../../src/main/service/api.ts";
import { migrate, migrateExplore } from "../../src/platform/db/migrate.ts";
import { ReadReplica } from "../../src/platform/db/replica.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { databaseAt } from "../support/database.ts";
import { create, testService } from "../support/fixtures.ts";
import { groupToken, makeGroup } from "../support/runnerApi.ts";
import { startPrimary, startStandby } from "../support/standby.ts";
import { folderTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const log = createLogger("silent", "test");
const PROGRAM = "svc-api-reads";
const NAME = "svc";

const test = folderTest.extend("world", { scope: "file" }, async ({ folder }, { onCleanup }) => {
  const opened = new AsyncDisposableStack();
  onCleanup(() => opened.disposeAsync());
  const dataDir = join(folder, "primary");
  const primary = await startPrimary(dataDir);
  opened.defer(() => primary.stop());
  await primary.createDatabase(NAME);
  await migrate(primary.url(NAME));
  await migrateExplore(primary.url(NAME));
  const standby = await startStandby(primary, dataDir, join(folder, "standby"));
  opened.defer(() => standby.stop());
  const database = opened.use(databaseAt(primary.url(NAME)));
  const replica = opened.use(databaseAt(standby.url(NAME)));
  const org = await bootstrap(database.db, { orgName: "own", runsPerHour: 100, maxUsers: 1 });
  const other = await bootstrap(database.db, { orgName: "other", runsPerHour: 100, maxUsers: 1 });
  const config = loadConfig({
    SVC_DATABASE_URL: primary.url(NAME),
    SVC_DATABASE_READ_URL: standby.url(NAME),
    SVC_EXPLORE_DATABASE_URL: primary.url(NAME),
    SVC_EXPLORE_DATABASE_READ_URL: standby.url(NAME),
    // Nothing listens there.
    SVC_TEMPORAL_ADDRESS: "127.0.0.1:9",
    SVC_OBJECTS_URL: `file://${folder}/objects`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_LISTEN: "127.0.0.1:0",
    SVC_API_HEALTH_LISTEN: "127.0.0.1:0",
    SVC_DECISION_DEADLINE: "PT1S",
  });
  const apis = [await startApi(config, { log }), await startApi(config, { log })] as const;
  for (const api of apis) opened.defer(() => api.close());
  const [api] = apis;

  const call = async (path: string, init: { method?: string; token?: string | null; body?: object; at?: Api } = {}) => {
    const { method = "GET", token = org.admin_token, body, at = api } = init;
    const answer = await fetch(`http://127.0.0.1:${at.port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const isJson = answer.headers.get("content-type")?.startsWith("application/json");
    const text = await answer.text();
    return { status: answer.status, body: isJson ? JSON.parse(text) : null };
  };
  const makeStack = async (name = `s-${randomUUID().slice(0, 8)}`) => {
    const body = { name, repository_url: "https://git.example/r", branch: "main" };
    const made = await call(STACKS, { method: "POST", body });
    expect(made.status).toBe(201);
    return made.body.id as string;
  };
  /** Reads that the replica, and that the primary in its place, have answered to this API. */
  const reads = async (at: Api = api) => {
    const metrics = await (await fetch(`${at.healthUrl}/metrics`)).text();
    const value = (name: string) =>
      Number(new RegExp(`^${name.replace(/[{}]/g, "\\$&")} (\\S+)$`, "m").exec(metrics)?.[1] ?? 0);
    const by = (who: string) => value(`svc_read_replica_reads_total{database="main",by="${who}"}`);
    const about = (what: string) => value(`svc_read_replica_${what}{database="main"}`);
    return { replica: by("replica"), primary: by("primary"), up: about("up"), lag: about("lag_seconds") };
  };
  /** Until the replica answers again, after the API had turned from it. */
  const used = () =>
    waitFor(
      async () => {
        const before = await reads();
        await call(STACKS);
        return (await reads()).replica > before.replica;
      },
      { what: "the replica to be used" },
    );
  const STACKS = `/orgs/${org.org_id}/stacks`;
  return { primary, standby, database, replica, org, other, apis, call, makeStack, reads, used, STACKS };
});

/** A replica without a service, that tells who answered. */
function openReplica(primary: ReturnType<typeof databaseAt>, url: string, statementMs = 30_000) {
  const answers: string[] = [];
  const turns: string[] = [];
  const replica = new ReadReplica(url, {
    ...{ primary: primary.db, name: "alone", max: 2, statementMs },
    answered: (by) => void answers.push(by),
    turned: (to) => void turns.push(to),
  });
  return { reader: replica.reader, answers, turns, [Symbol.asyncDispose]: () => replica.close() };
}

async function usedReplica(...opened: Parameters<typeof openReplica>) {
  const alone = openReplica(...opened);
  const answersAgain = async () => {
    await alone.reader.execute(sql`select 1`);
    return alone.answers.at(-1) === "replica";
  };
  await waitFor(answersAgain, { what: "the replica to be used" });
  // Its first connection may take longer than a read waits.
  alone.turns.length = 0;
  return alone;
}

/** Takes a minute at a replica and no time at the primary. */
const SLOW_AT_REPLICA = sql`pg_sleep(case when pg_is_in_recovery() then 60 else 0 end)`;

test("pages of lists are read from the replica, and nothing else is", async ({ world }) => {
  const { standby, database, org, call, makeStack, used, STACKS } = world;
  const slug = await makeStack();
  const [stack] = await database.sql`select stack_key from stacks where slug = ${slug}`;
  const deployment = await create(testService(database), stack?.stack_key);
  const one = `${STACKS}/${slug}/deployments/${deployment}`;
  await used();
  const asked = async (work: () => Promise<unknown>) => {
    const before = (await standby.statementsOf(PROGRAM)).length;
    await work();
    const statements = (await standby.statementsOf(PROGRAM)).slice(before);
    return statements
      .filter((text) => !/: (?:begin|commit|rollback|select 1$)|pg_last_wal_replay_lsn/m.test(text))
      .join("\n");
  };
  for (const [path, table] of [
    [STACKS, 'from "stacks"'],
    [`${STACKS}/${slug}/deployments`, "from deployments d"],
    [`/orgs/${org.org_id}/deployments`, "join deployments d"],
    [`${one}/events`, "from deployment_events"],
    [`${one}/logs`, "from log_chunks"],
    [`/orgs/${org.org_id}/audit-log`, "from audit_log"],
    [`/orgs/${org.org_id}/audit-log?format=jsonl`, "from audit_log"],
    [`/orgs/${org.org_id}/explore/resources`, "from explore.resources"],
    [`/orgs/${org.org_id}/explore/findings`, "from explore.findings"],
  ] as const) {
    const read = async () => expect([path, (await call(path)).status]).toEqual([path, 200]);
    await waitFor(async () => (await asked(read)).includes(table), { what: `${path} to come from the replica` });
  }
  const group = await makeGroup(database, org.org_id);
  const others = await asked(async () => {
    expect((await call(one)).status).toBe(200);
    expect((await call(`${STACKS}/${slug}`)).status).toBe(200);
    expect((await call(`/runner-groups/poll?wait_seconds=0`, { token: await groupToken(group) })).status).toBeLessThan(
      300,
    );
    await call(`${one}/cancel`, { method: "POST", body: {} });
    await makeStack();
  });
  expect(others).toBe("");
});

test("whoever has just written sees it, whichever API is asked", async ({ world }) => {
  const { apis, call, makeStack, reads, used, STACKS } = world;
  const [, second] = apis;
  await used();
  await call(STACKS, { at: second });
  const before = await reads(second);
  for (let round = 0; round < 20; round++) {
    const slug = await makeStack();
    const { body } = await call(`${STACKS}?sort=created_at&limit=1`, { at: second });
    expect(body.items[0].id).toBe(slug);
  }
  const after = await reads(second);
  expect(after.replica - before.replica).toBeGreaterThan(10);
});

test("another organization sees nothing through it", async ({ world }) => {
  const { org, other, call, makeStack, used, STACKS } = world;
  await makeStack();
  await used();
  const token = other.admin_token;
  expect((await call(STACKS, { token })).body.items).toEqual([]);
  expect((await call(`/orgs/${other.org_id}/stacks`, { token })).body.items).toEqual([]);
  expect((await call(`/orgs/${org.org_id}/deployments`, { token })).body.items).toEqual([]);
  expect((await call(`/orgs/${org.org_id}/audit-log`, { token })).status).toBe(403);
});

test("whose permission was taken away reads nothing from a replica that does not know it yet", async ({ world }) => {
  const { database, replica, org, other, call, used } = world;
  await used();
  await replica.sql`select pg_wal_replay_pause()`;
  try {
    await database.sql`update service_accounts set disabled_at = svc_now() where id = ${other.service_account_id}`;
    expect((await call(`/orgs/${other.org_id}/audit-log`, { token: other.admin_token })).status).toBe(401);
    expect((await call(`/orgs/${org.org_id}/audit-log`)).status).toBe(200);
  } finally {
    await database.sql`update service_accounts set disabled_at = null where id = ${other.service_account_id}`;
    await replica.sql`select pg_wal_replay_resume()`;
  }
});

test("the primary takes over from a replica that falls behind, and gives back once it has caught up", async ({
  world,
}) => {
  const { replica, call, makeStack, reads, used, STACKS } = world;
  await used();
  expect(await reads()).toMatchObject({ up: 1 });
  await replica.sql`select pg_wal_replay_pause()`;
  try {
    const slug = await makeStack();
    const before = await reads();
    expect(before.lag).toBeGreaterThan(0);
    const { body } = await call(`${STACKS}?sort=created_at&limit=1`);
    expect(body.items[0].id).toBe(slug);
    for (let n = 0; n < 5; n++) expect((await call(STACKS)).status).toBe(200);
    expect(await reads()).toMatchObject({ replica: before.replica, primary: before.primary + 6 });
  } finally {
    await replica.sql`select pg_wal_replay_resume()`;
  }
  await used();
});

test("a statement that stands in the way of what is replayed is answered by the primary", async ({ world }) => {
  const { database, replica, standby } = world;
  await database.sql`create table in_the_way (n int)`;
  await using alone = await usedReplica(database, standby.url(NAME));
  const answer = alone.reader.execute(sql`select count(*)::int as n, ${SLOW_AT_REPLICA} from in_the_way`);
  const reading = Promise.resolve(answer);
  await waitFor(
    async () =>
      (await replica.sql`select 1 from pg_stat_activity where application_name = 'alone' and wait_event = 'PgSleep'`)
        .length,
    { what: "the replica to read" },
  );
  await database.sql`truncate in_the_way`;
  expect(await reading).toMatchObject([{ n: 0 }]);
  expect(alone.answers.at(-1)).toBe("primary");
  // It is none of the replica's faults.
  await alone.reader.execute(sql`select 1`);
  expect([alone.answers.at(-1), alone.turns]).toEqual(["replica", []]);
});

test("a statement that takes too long ends as it does at the primary", async ({ world }) => {
  const { database, standby } = world;
  await using alone = await usedReplica(database, standby.url(NAME), 500);
  await expect(Promise.resolve(alone.reader.execute(sql`select ${SLOW_AT_REPLICA}`))).rejects.toMatchObject({
    cause: { code: "57014" },
  });
});

test("a server that falls silent in the middle of an answer keeps nobody waiting", { timeout: 20_000 }, async ({
  world,
}) => {
  const { database, replica, standby } = world;
  await using alone = await usedReplica(database, standby.url(NAME));
  const reading = Promise.resolve(alone.reader.execute(sql`select ${SLOW_AT_REPLICA}, 1 as one`));
  const sessions = await waitFor(
    async () => {
      const rows = await replica.sql`select pid, wait_event from pg_stat_activity where application_name = 'alone'`;
      return rows.some((row) => row.wait_event === "PgSleep") && rows.map((row) => row.pid as number);
    },
    { what: "the replica to read" },
  );
  const server = [standby.pid(), ...sessions];
  for (const pid of server) process.kill(pid, "SIGSTOP");
  try {
    expect(await reading).toMatchObject([{ one: 1 }]);
    expect([alone.answers.at(-1), alone.turns]).toEqual(["primary", ["primary"]]);
  } finally {
    for (const pid of server) process.kill(pid, "SIGCONT");
  }
  await waitFor(
    () => {
      void alone.reader.execute(sql`select 1`);
      return alone.turns.at(-1) === "replica";
    },
    { what: "the replica to be used again", everyMs: 100 },
  );
});

test("a server that is no replica of the primary is never asked", async ({ world }) => {
  const { database } = world;
  for (const url of [database.url, inject("postgresUrl")]) {
    await using alone = openReplica(database, url);
    expect(await alone.reader.execute(sql`select 1 as one`)).toMatchObject([{ one: 1 }]);
    expect([alone.answers, alone.turns]).toEqual([["primary"], ["primary"]]);
  }
});

test("a replica that is killed in the middle of requests fails none, and is used again once it is back", async ({
  world,
}) => {
  const { standby, call, reads, used, STACKS, org } = world;
  await used();
  const paths = [
    STACKS,
    `/orgs/${org.org_id}/deployments`,
    `/orgs/${org.org_id}/audit-log`,
    `/orgs/${org.org_id}/explore/findings`,
  ];
  const statuses: number[] = [];
  let over = false;
  const readers = Array.from({ length: 6 }, async (_, reader) => {
    for (let n = reader; !over; n++) statuses.push((await call(paths[n % paths.length]!)).status);
  });
  const answered = (count: number) => waitFor(() => statuses.length >= count, { what: `${count} answers` });
  await answered(60);
  for (const pid of [standby.pid(), ...(await childrenOf(standby.pid()))]) process.kill(pid, "SIGKILL");
  await answered(statuses.length + 120);
  over = true;
  await Promise.all(readers);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await reads()).toMatchObject({ up: 0, lag: Number.NaN });
  await standby.start();
  await used();
  expect(await reads()).toMatchObject({ up: 1 });
});

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const parents = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
      return { pid: Number(pid), parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) };
    }),
  );
  return parents.filter((each) => each.parent === parent).map(({ pid }) => pid);
}
