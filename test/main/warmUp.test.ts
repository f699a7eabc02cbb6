/** A worker that has just started is ready for many deadlines of one instant, and starts without a database. */
import { expect } from "vitest";
import { coreActivities } from "../../activities/core.ts";
import { warmUp } from "../../src/main/service/warmUp.ts";
import { connect } from "../../src/platform/db/client.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { testService } from "../support/fixtures.ts";
import { databaseTest } from "../support/test.ts";

const test = databaseTest();

test("opens every connection, with the statements of deadlines prepared on each", async ({ database }) => {
  const db = connect(database.url, { max: 3, name: "warm" });
  try {
    const service = { ...testService(database), db };
    const { statements } = await countStatements(() => warmUp(coreActivities(service), 3));
    expect(new Set(statements).size).toBeGreaterThan(3);
    const [open] = await database.sql`select count(*)::int as n from pg_stat_activity where application_name = 'warm'`;
    expect(open?.n).toBe(3);
    const prepared = () =>
      db.transaction((tx) => tx.execute<{ n: number }>("select count(*)::int as n from pg_prepared_statements"));
    const counts = (await Promise.all([prepared(), prepared(), prepared()])).map(([row]) => row?.n ?? 0);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(new Set(statements).size);
    expect(service.sent).toEqual([]);
  } finally {
    await db.$client.end();
  }
});

test("gives up soon where the database is away or silent", async () => {
  const activity = (answer: () => Promise<never>) => ({
    readDeployment: answer,
    readRun: answer,
    deploymentDeadline: answer,
    runDeadline: answer,
  });
  await warmUp(
    activity(() => Promise.reject(new Error("away"))),
    2,
    60_000,
  );
  await warmUp(
    activity(() => new Promise(() => {})),
    2,
    1,
  );
});
