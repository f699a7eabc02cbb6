import { sql } from "drizzle-orm";
import * as v from "valibot";
import { expect } from "vitest";
import { DeploymentListQuery, listDeployments } from "../../src/core/deployments/list.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { create, makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { databaseTest } from "../support/test.ts";

const test = databaseTest().extend("service", { scope: "file" }, ({ database }) => testService(database));

test("walks a stack's deployments page by page, newest first, each page one statement", async ({
  database,
  service,
}) => {
  const { orgId } = await makeOrg(database);
  const stackKey = await makeStack(database, orgId);
  const made: string[] = [];
  for (let i = 0; i < 5; i++) made.push(await create(service, stackKey));
  await create(service, await makeStack(database, orgId));
  // Two share their time to the microsecond: the id alone decides their order.
  await database.sql`update deployments set created_at = (select created_at from deployments where id = ${made[1] ?? ""})
    where id = ${made[2] ?? ""}`;

  const walked: string[] = [];
  for (let cursor: string | undefined, pages = 1; ; pages++) {
    const query = { limit: "2", ...(cursor === undefined ? {} : { cursor }) };
    const { result, statements } = await countStatements(() => listDeployments(database.db, null, stackKey, query));
    expect(statements).toHaveLength(1);
    walked.push(...result.items.map(({ id }) => id));
    if (result.next_cursor === null) {
      expect(pages).toBe(3);
      break;
    }
    cursor = result.next_cursor;
  }
  expect(walked).toEqual(made.toReversed());
});

test("shows a queued deployment its place and its blocker, also on a page", async ({ database, service }) => {
  const { orgId } = await makeOrg(database);
  const stackKey = await makeStack(database, orgId);
  const [holder, , last] = [
    await create(service, stackKey),
    await create(service, stackKey),
    await create(service, stackKey),
  ];
  const { items } = await listDeployments(database.db, null, stackKey, { limit: "1" });
  expect(items).toMatchObject([{ id: last, queue_position: 2, blocked_by: holder }]);
});

test("filters by status, mode, origin, creator, commit and time, each exactly", async ({ database, service }) => {
  const { orgId } = await makeOrg(database);
  const stackKey = await makeStack(database, orgId);
  const [plan, other] = [await create(service, stackKey), await create(service, stackKey, { mode: "destroy" })];
  await database.sql`update deployments set commit_sha = 'abcd' || substr(commit_sha, 5), created_by = 'ada%' where id = ${plan}`;
  const [row] =
    await database.sql`select to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from deployments where id = ${other}`;
  const found = async (query: Record<string, string>) => {
    const page = await listDeployments(database.db, null, stackKey, v.parse(DeploymentListQuery, query));
    return page.items.map(({ id }) => id);
  };
  expect(await found({})).toEqual([other, plan]);
  expect(await found({ status: "pending,failed" })).toEqual([plan]);
  expect(await found({ mode: "destroy" })).toEqual([other]);
  expect(await found({ origin_type: "push" })).toEqual([]);
  expect(await found({ created_by: "ada%" })).toEqual([plan]);
  expect(await found({ created_by: "ada_" })).toEqual([]);
  expect(await found({ commit_sha: "abcd" })).toEqual([plan]);
  expect(await found({ created_after: row?.at })).toEqual([other]);
  expect(await found({ created_before: row?.at })).toEqual([plan]);
});

test.each(["status", "mode", "origin_type", "created_by", "commit_sha", "created_after", "created_before"])(
  "refuses an empty %s instead of listing everything",
  (filter) => expect(v.safeParse(DeploymentListQuery, { [filter]: "" }).success).toBe(false),
);

test("keeps the plan of a page, which takes as long to make as the page to read", async ({ database, service }) => {
  const { orgId } = await makeOrg(database);
  const stackKey = await makeStack(database, orgId);
  await create(service, stackKey);
  const plans = await database.db.transaction(async (tx) => {
    // More often than Postgres tries plans of their own before it keeps one.
    for (let i = 0; i < 8; i++) await listDeployments(tx, null, stackKey, { limit: "77" });
    return tx.execute<{ kept: boolean }>(
      sql`select generic_plans > 0 as kept from pg_prepared_statements where statement like '%limit 78)%'`,
    );
  });
  expect([...plans]).toEqual([{ kept: true }]);
});
