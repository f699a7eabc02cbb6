/** What one run may leave: bytes of its log, bytes of its artifacts (docs/rules/limits.md#quotas). */
import { randomBytes } from "node:crypto";
import { expect } from "vitest";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, PLAN_WITH_CHANGES, runner } from "../support/runnerApi.ts";
import { runnerTest } from "../support/test.ts";

const CHUNK = 65_536;
const env = { SVC_QUOTA_LOG_BYTES: String(2 * CHUNK), SVC_QUOTA_ARTIFACT_BYTES: "1000000" };

const test = runnerTest({ env }).extend("started", async ({ database, api }) => {
  const org = await makeOrg(database);
  await create(api.service, await makeStack(database, org.orgId));
  const started = await runner(api, org, await (await coordinator(api, org)).claim());
  await started.accept();
  return started;
});

test.afterEach(({ api }) => expect(api.unexpected).toEqual([]));

test("a log ends at its quota: sealing more is refused by name, pushing more has no effect, the run goes on", async ({
  database,
  started,
}) => {
  for (const index of [0, 1]) expect((await started.seal(index, randomBytes(CHUNK))).status).toBe(204);
  const refused = await started.seal(2, randomBytes(10));
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    {
      code: "quota_reached",
      detail:
        "The quota log_bytes is reached: at most 131072 bytes of one run's log, and there are 131072. " +
        "An operator sets it by SVC_QUOTA_LOG_BYTES.",
    },
  ]);
  expect((await started.live(2, randomBytes(10))).status).toBe(204);
  const [row] = await database.sql`select sum(size)::int as size from log_chunks where run_id = ${started.run_id}`;
  expect(row?.size).toBe(2 * CHUNK);
  expect((await started.upload("plan", Buffer.from("a plan"))).status).toBe(204);
  expect((await started.done(PLAN_WITH_CHANGES)).status).toBe(204);
});

test("artifacts of a run that are sent at once stay within their quota together", async ({ database, started }) => {
  const kinds = ["plan", "analysis", "plan-json", "changes", "plan-text"];
  for (let round = 0; round < 5; round++) {
    await database.sql`delete from artifacts where run_id = ${started.run_id}`;
    const answers = await Promise.all(kinds.map((kind) => started.upload(kind, randomBytes(400_000))));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 409, 409, 409]);
    const refused = answers.find(({ status }) => status === 409) as Response;
    expect(await refused.json()).toMatchObject({
      code: "quota_reached",
      detail: expect.stringContaining("at most 1000000 bytes of one run's artifacts, and there are 800000."),
    });
    const [row] = await database.sql`select sum(size)::int as size from artifacts where run_id = ${started.run_id}`;
    expect(row?.size).toBe(800_000);
  }
});

test("an artifact that is sent again takes the place of the first, and no more", async ({ started }) => {
  for (let again = 0; again < 3; again++) {
    expect((await started.upload("plan", randomBytes(900_000))).status).toBe(204);
  }
  expect((await started.upload("plan-text", randomBytes(200_000))).status).toBe(409);
});
