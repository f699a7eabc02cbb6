/** The pool under load and over a long life: the mends of the driver (patches/README.md) that only these show. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { connect } from "../../src/platform/db/client.ts";
import { freshDatabase } from "../support/database.ts";

test("a transaction behind any number of other queries has its connection for itself", async () => {
  await using database = await freshDatabase();
  await database.sql`create table written (what text)`;
  const { $client: client } = connect(database.url, { max: 1, name: "connection-pool" });
  try {
    await client.unsafe("select 1");
    // The driver puts at most a hundred queries behind the one at work.
    for (const before of [98, 99, 100, 101, 102]) {
      const others = Array.from({ length: before }, () => client.unsafe("select 1").execute());
      const transaction = client.begin((tx) => tx.unsafe("insert into written values ('inside')"));
      const after = client.unsafe("insert into written values ('after')");
      await Promise.all([...others, transaction, after]);
      // Seen by another session, hence committed.
      expect(await database.sql`delete from written returning what`).toHaveLength(2);
    }
  } finally {
    await client.end({ timeout: 1 });
  }
});

test("a statement ends at the pool's limit, and another pool's go on", async () => {
  await using database = await freshDatabase();
  const short = connect(database.url, { max: 1, statementMs: 100 }).$client;
  const long = connect(database.url, { max: 1 }).$client;
  try {
    await expect(short.unsafe("select pg_sleep(5)")).rejects.toMatchObject({ code: "57014" });
    expect(await short.unsafe("select 1 as one")).toEqual([{ one: 1 }]);
    expect(await long.unsafe("select pg_sleep(0.2)")).toHaveLength(1);
  } finally {
    await Promise.all([short.end({ timeout: 1 }), long.end({ timeout: 1 })]);
  }
});

test("a query that cannot be built is refused, and those beside it get their own answers", async () => {
  await using database = await freshDatabase();
  const { $client: client } = connect(database.url, { max: 1, name: "connection-pool" });
  const ask = async (tag: unknown) =>
    (await client.unsafe("select $1::text as tag", [tag as never], { prepare: true }))[0]?.tag;
  try {
    await ask("prepared");
    for (const behind of ["another", "none"]) {
      const other = behind === "another" ? client.unsafe("select pg_sleep(0.05), 'other' as tag").execute() : undefined;
      // The driver refuses to send it.
      const wrong = ask(undefined);
      const after = [ask("one"), ask("two")];
      await expect(wrong).rejects.toMatchObject({ code: "UNDEFINED_VALUE" });
      expect(await Promise.all(after)).toEqual(["one", "two"]);
      if (other) expect(await other).toMatchObject([{ tag: "other" }]);
    }
    const inTransaction = client.begin(async (tx) => {
      await tx.unsafe("select $1::text", [undefined as never], { prepare: true });
    });
    await expect(inTransaction).rejects.toMatchObject({ code: "UNDEFINED_VALUE" });
    expect(await ask("three")).toBe("three");
  } finally {
    await client.end({ timeout: 1 });
  }
});

test("no list of a process grows with the queries it sends, though some connection is always idle", async () => {
  await using database = await freshDatabase();
  const script = `
    import { Session } from "node:inspector/promises";
    import { sql } from ${JSON.stringify(import.meta.resolve("drizzle-orm"))};
    import { connect } from ${JSON.stringify(import.meta.resolve("../../src/platform/db/client.ts"))};
    const session = new Session();
    session.connect();
    const { result: prototype } = await session.post("Runtime.evaluate", { expression: "Array.prototype" });
    // The lengths of all arrays that are alive, added up.
    const length = async () => {
      const { objects } = await session.post("Runtime.queryObjects", { prototypeObjectId: prototype.objectId });
      const add = "function () { return this.reduce((sum, array) => sum + array.length, 0); }";
      const asked = { objectId: objects.objectId, functionDeclaration: add, returnByValue: true };
      const { result } = await session.post("Runtime.callFunctionOn", asked);
      await session.post("Runtime.releaseObject", { objectId: objects.objectId });
      return result.value;
    };
    const db = connect(process.argv[1], { max: 3, name: "connection-pool" });
    const ask = async (times) => {
      for (let i = 0; i < times; i++) await db.execute(sql\`select 1\`);
    };
    await Promise.all(Array.from({ length: 6 }, () => db.execute(sql\`select pg_sleep(0.02)\`)));
    await ask(100);
    const before = await length();
    await ask(1_000);
    console.log((await length()) - before);
    await db.$client.end();`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script, database.url]);
  // The driver's list of idle connections alone would have become longer by a thousand.
  expect(Number.parseInt(stdout, 10)).toBeLessThan(100);
});

test("what a query leaves behind goes with the next small garbage collection", async () => {
  const query = new URL("query.js", import.meta.resolve("postgres")).href;
  const script = `
    import { Query } from ${JSON.stringify(query)};
    const answer = Object.assign((query) => setImmediate(() => query.resolve([])), { debug: false });
    const ask = async (times) => {
      for (let i = 0; i < times; i++) await new Query(["select 1"], [], answer, () => {});
      gc({ type: "minor" });
    };
    await ask(5_000);
    gc();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 20; i++) await ask(1_000);
    console.log(process.memoryUsage().heapUsed - before);`;
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["--expose-gc", "--input-type=module", "-e", script]);
  // Kept until a full collection, they are 8 MB.
  expect(Number(stdout)).toBeLessThan(2_000_000);
});

test("what statements are built from is made young, though some of it lived long", async () => {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { sql } from ${JSON.stringify(import.meta.resolve("drizzle-orm"))};
    import ${JSON.stringify(import.meta.resolve("../../src/platform/db/client.ts"))};
    const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
    const make = (i) => sql\`select \${sql\`\${i}::int + \${sql\`\${i}::text\`}\`} as a, \${sql\`\${i}::int\`} as b\`;
    const waiting = [];
    for (let i = 0; i < 400_000; i++) waiting[i % 20_000] = make(i);
    let last;
    const growth = Array.from({ length: 8 }, () => {
      const before = old();
      for (let i = 0; i < 5_000; i++) last = make(i);
      return old() - before;
    });
    console.log(Math.max(...growth), typeof last);`;
  const small = ["--min-semi-space-size=1", "--max-semi-space-size=1"];
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [...small, "--input-type=module", "-e", script]);
  // Made in the old space, all that 5,000 statements are built from stays: 9 MB.
  expect(Number.parseInt(stdout, 10)).toBeLessThan(3_000_000);
});
