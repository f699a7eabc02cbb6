/** The pool whose connections are lost: the mends of the driver (patches/README.md) that only this shows. */
import { connect as connectTcp, createServer, type Socket } from "node:net";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { connect, type Db } from "../../src/platform/db/client.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const pidOf = async (db: Pick<Db, "execute">) => {
  const rows = await db.execute(sql`select pg_backend_pid() as pid`);
  return (rows[0] as { pid: number }).pid;
};

const test = databaseTest().extend("world", ({ database }) => {
  async function pool(max: number, url = database.url): Promise<Db & AsyncDisposable> {
    const db = connect(url, { max, name: "lost-connection" });
    return Object.assign(db, { [Symbol.asyncDispose]: () => db.$client.end({ timeout: 1 }) });
  }

  /** End a session as a server that is killed does, and wait until it is gone. */
  async function killSession(pid: number): Promise<void> {
    await database.sql`select pg_terminate_backend(${pid})`;
    await waitFor(async () => (await database.sql`select 1 from pg_stat_activity where pid = ${pid}`).length === 0, {
      what: "the session to end",
    });
  }

  return { pool, killSession };
});

test.beforeAll(async ({ database }) => {
  await database.sql`create table written (what text)`;
});

test("sends nothing more of a transaction whose connection was lost, though its slot has a new session", async ({
  database,
  world,
}) => {
  await using db = await world.pool(1);
  let inTransaction: Promise<unknown> | undefined;
  const transaction = db.transaction(async (tx) => {
    await world.killSession(await pidOf(tx));
    // The pool gives the slot a new session for somebody else.
    await waitFor(() => pidOf(db), { what: "a new session" });
    inTransaction = Promise.resolve(tx.execute(sql`insert into written values ('after the loss')`));
    await inTransaction;
  });
  await expect(transaction).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await waitFor(() => inTransaction !== undefined, { what: "the body to go on" });
  await expect(inTransaction).rejects.toMatchObject({ cause: { code: "CONNECTION_CLOSED" } });
  expect(await database.sql`select * from written`).toEqual([]);
});

test("survives a transaction that goes on after its connection was lost", async ({ world }) => {
  await using db = await world.pool(2);
  const transaction = db.transaction(async (tx) => {
    await world.killSession(await pidOf(tx));
    await tx.execute(sql`select 1`).catch(() => {});
    await tx.execute(sql`select 2`);
  });
  await expect(transaction).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(await pidOf(db)).toBeGreaterThan(0);
});

test("refuses what is asked of a reserved connection that was lost, and the process lives", async ({ world }) => {
  await using db = await world.pool(2);
  const reserved = await db.$client.reserve();
  const [session] = await reserved`select pg_backend_pid() as pid`;
  await world.killSession(session?.pid);
  // The first may still find its socket open; once it is refused there is none.
  await reserved`select 1`.catch(() => {});
  await expect(reserved`select 2`.execute()).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(await pidOf(db)).toBeGreaterThan(0);
});

test("refuses nobody with what ended the session before", async ({ database, world }) => {
  await using db = await world.pool(1);
  const refused = expect(db.execute(sql`select pg_sleep(10)`)).rejects.toMatchObject({
    cause: { code: "CONNECTION_CLOSED" },
  });
  const pid = await waitFor(
    async () =>
      (await database.sql`select pid from pg_stat_activity where query = 'select pg_sleep(10)' and state = 'active'`)[0]
        ?.pid,
    { what: "the query to run" },
  );
  await world.killSession(pid);
  await refused;
  expect(await pidOf(db)).toBeGreaterThan(0);
});

test("has every slot back at once after all connections were lost together", async ({ database, world }) => {
  await using proxy = await startProxy(new URL(database.url));
  await using db = await world.pool(2, proxy.url);
  for (let round = 0; round < 5; round++) {
    await Promise.all([db.execute(sql`select pg_sleep(0.05)`), db.execute(sql`select pg_sleep(0.05)`)]);
    // Whoever was refused asks again at once, in the very moment in which the other connection is lost too.
    const impatient = Promise.resolve(db.execute(sql`select pg_sleep(10)`)).catch(() =>
      Promise.resolve(db.execute(sql`select 1`)).catch(() => {}),
    );
    await waitFor(
      async () =>
        (await database.sql`select 1 from pg_stat_activity where query like 'select pg_sleep(10)' and state = 'active'`)
          .length === 1,
      { what: "the query to run" },
    );
    proxy.cut();
    await impatient;
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(10)'`;
    const back = performance.now();
    await Promise.all([db.execute(sql`select 3`), db.execute(sql`select 4`)]);
    // A slot that is not back answers after the connect timeout of 10 s.
    expect(performance.now() - back).toBeLessThan(5_000);
  }
});

test("answers who tries again at once when the connection is reset, and whoever comes after with their own", async ({
  database,
  world,
}) => {
  await using proxy = await startProxy(new URL(database.url));
  await using db = await world.pool(1, proxy.url);
  for (let round = 0; round < 5; round++) {
    // Its refusal is told before the connection has ended: this one is asked of a connection that is about to.
    const impatient = Promise.resolve(db.execute(sql`select pg_sleep(10)`)).catch(() =>
      Promise.resolve(db.execute(sql`select 'impatient' as who`)).catch(() => "refused"),
    );
    await waitFor(
      async () =>
        (await database.sql`select 1 from pg_stat_activity where query = 'select pg_sleep(10)' and state = 'active'`)
          .length === 1,
      { what: "the query to run" },
    );
    proxy.reset();
    const answer = await Promise.race([impatient, new Promise((resolve) => setTimeout(resolve, 3_000, "none"))]);
    expect(["refused", [{ who: "impatient" }]]).toContainEqual(answer);
    for (const who of [1, 2, 3]) expect(await db.execute(sql`select ${who}::int as who`)).toEqual([{ who }]);
    await database.sql`select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(10)'`;
  }
});

test("survives the loss of a connection at every moment of its beginning", async ({ database, world }) => {
  for (const bytes of [0, 13, 400, 600, 700, 900, 1_500, 3_000, 6_000]) {
    await using proxy = await startProxy(new URL(database.url), bytes);
    await using db = await world.pool(1, proxy.url);
    // Refused or, after another try of the driver's, answered; never left alone, and the process lives.
    await Promise.resolve(db.execute(sql`select 1`)).catch(() => {});
    proxy.spare();
    await waitFor(() => pidOf(db), { what: "the pool to connect again" });
  }
});

type Proxy = AsyncDisposable & { url: string; cut(): void; reset(): void; spare(): void };

/**
 * Passes bytes to the server until all connections are cut or reset in one moment; or each is reset, as by a server
 * that is killed, after so many bytes of its answers, until told to spare them.
 */
async function startProxy(target: URL, resetAfter = Number.POSITIVE_INFINITY): Promise<Proxy> {
  const open = new Set<Socket>();
  let spared = false;
  const server = createServer((client) => {
    let answered = 0;
    const upstream = connectTcp(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      socket.on("error", () => {});
      open.add(socket);
      socket.on("close", () => open.delete(socket));
    }
    client.pipe(upstream);
    upstream.on("end", () => client.end());
    upstream.on("data", (data) => {
      answered += data.length;
      if (spared || answered <= resetAfter) return void client.write(data);
      // What came before the reset has arrived.
      client.write(data.subarray(0, data.length - (answered - resetAfter)), () => client.resetAndDestroy());
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target.href);
  url.port = String((server.address() as { port: number }).port);
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    reset: () => {
      for (const socket of open) socket.resetAndDestroy();
    },
    spare: () => {
      spared = true;
    },
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
