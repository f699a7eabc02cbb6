/** However many are added at once, nobody has more than a quota allows (docs/rules/limits.md#quotas). */
import { expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { connect } from "../../src/platform/db/client.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { QuotaReachedError, type Quotas } from "../../src/work/quotas.ts";
import { claim, create, makeOrg, makeStack, testService } from "../support/fixtures.ts";
import type { Answer } from "../support/peopleApi.ts";
import { databaseTest, peopleTest } from "../support/test.ts";

const SMALL = { SVC_QUOTA_ORGANIZATIONS: "3", SVC_QUOTA_STACKS: "4" };
const people = peopleTest({ env: SMALL });
const queue = databaseTest({ max: 10 });

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort();

people("a person creates so many organizations, and a super-admin any number", async ({ api }) => {
  for (let round = 0; round < 5; round++) {
    const person = await api.makeUser();
    const post = (i: number) => api.call("POST", "/api/v1/orgs", { ...person, body: { name: `org ${i}` } });
    const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(post));
    expect(statuses(answers)).toEqual([201, 201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      code: "quota_reached",
      detail:
        "The quota organizations is reached: at most 3 organizations that one person has created, and there are 3. " +
        "An operator sets it by SVC_QUOTA_ORGANIZATIONS.",
    });
    const [row] = await api.database
      .sql`select count(*)::int as n from organizations where created_by = ${person.user}`;
    expect(row?.n).toBe(3);
  }
  const root = await api.makeUser({ superAdmin: true });
  const made = [1, 2, 3, 4, 5].map((i) => api.call("POST", "/api/v1/orgs", { ...root, body: { name: `org ${i}` } }));
  expect(statuses(await Promise.all(made))).toEqual([201, 201, 201, 201, 201]);
});

people(
  "an organization has so many stacks; one that is deleted makes room, and others have their own",
  async ({ api }) => {
    const rounds = [1, 2, 3].map(async () => {
      const org = await api.makeOrg();
      const { token } = await api.makeAccount(org, [["*", "*"]]);
      const path = `/api/v1/orgs/${org}/stacks`;
      const post = (i: number) =>
        api.call("POST", path, {
          token,
          body: { name: `s-${i}`, repository_url: "https://git.example/r.git", branch: "main" },
        });
      const answers = await Promise.all([0, 1, 2, 3, 4, 5, 6].map(post));
      expect(statuses(answers)).toEqual([201, 201, 201, 201, 409, 409, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.detail).toContain(
        "at most 4 stacks in one organization, and there are 4.",
      );
      const { id } = (answers.find(({ status }) => status === 201) as Answer).body;
      expect((await api.call("DELETE", `${path}/${id}`, { token })).status).toBeLessThan(300);
      expect(statuses(await Promise.all([10, 11].map(post)))).toEqual([201, 409]);
    });
    await Promise.all(rounds);
  },
);

queue(
  "deployments that have not begun: of many stacks, processes and kinds at once never one too many",
  async ({ database }) => {
    await using other = await pool(database.url);
    const quotas: Quotas = { organizations: 1, stacks: 1, queued_deployments: 5 };
    const services = [testService(database), { ...testService(database), db: other.db }].map((s) => ({ ...s, quotas }));
    for (let round = 0; round < 10; round++) {
      const org = await makeOrg(database);
      const keys = await Promise.all([1, 2, 3].map(() => makeStack(database, org.orgId)));
      // Six wait in lanes, three for a runner beside the lane, three for one in it.
      const ends = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) =>
          create(services[i % 2]!, keys[i % 3]!, { mode: i % 4 === 0 ? "plan_unlocked" : "plan" }),
        ),
      );
      const made = ends.filter((end) => end.status === "fulfilled").map(({ value }) => value);
      const refused = ends.filter((end) => end.status === "rejected").map(({ reason }) => reason);
      expect([made.length, refused.length]).toEqual([5, 7]);
      for (const error of refused) expect(error).toBeInstanceOf(QuotaReachedError);
      const [{ waiting }] = (await database.sql`
      select count(*)::int as waiting from deployments
      where org_id = ${org.orgId} and status in ('queued', 'pending')`) as unknown as [{ waiting: number }];
      expect(waiting).toBe(5);
      // What begins makes room for one, and the refusals left nothing behind.
      const [pending] = await database.sql`
      select d.id from deployments d where org_id = ${org.orgId} and status = 'pending' limit 1`;
      const { runId, runnerId } = await claim(database, org, pending?.id);
      await acceptRun(services[0]!, runId, runnerId);
      await reportDone(services[0]!, runId, runnerId, { status: "failure", exit_code: 1 });
      const again = await Promise.allSettled(keys.map((key) => create(services[0]!, key)));
      expect(again.filter((end) => end.status === "fulfilled")).toHaveLength(1);
    }
  },
);

queue("counting costs no statement", async ({ database }) => {
  const org = await makeOrg(database);
  const key = await makeStack(database, org.orgId);
  const free = testService(database);
  const counted = { ...free, quotas: { organizations: 1, stacks: 1, queued_deployments: 100 } };
  const statementsOf = async (service: typeof free) =>
    (await countStatements(() => create(service, key))).statements.length;
  await create(free, key);
  expect(await statementsOf(counted)).toBe(await statementsOf(free));
});

async function pool(url: string) {
  const db = connect(url, { max: 10, name: "other" });
  return { db, [Symbol.asyncDispose]: () => db.$client.end() };
}
