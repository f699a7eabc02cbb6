/** Requests that write take turns (docs/rules/api.md#turns): what has the turn, what steps aside, and who passes. */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { COMMIT, insertStacks, type StackRow } from "../../bench/harness/rows.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let batches: PromiseWithResolvers<void>;
let decisions: PromiseWithResolvers<void>;
let sent: string[] = [];

beforeAll(async () => {
  api = await startPeopleApi({
    // One place for all.
    env: { SVC_DATABASE_POOL: "2" },
    sender: {
      async decideMany(id) {
        sent.push(id);
        await batches.promise;
      },
      async decide(_deployment, _kind, id) {
        sent.push(id);
        await decisions.promise;
      },
    },
  });
});
afterAll(() => api.close());
beforeEach(() => {
  sent = [];
  batches = Promise.withResolvers();
  decisions = Promise.withResolvers();
});

async function tenant() {
  const org = await api.makeOrg();
  const { token } = await api.makeAccount(org, [["*", "*"]]);
  const { slug } = (await insertStacks(api.database.sql, org, 1))[0] as StackRow;
  const of = `/api/v1/orgs/${org}/stacks/${slug}/deployments`;
  const create = () => api.call("POST", of, { token, body: { mode: "plan", commit_sha: COMMIT } });
  const call = (path: string, body: object = {}) => api.call("POST", `${of}/${path}`, { token, body });
  return { create, call };
}

const waiting = async () => {
  const [, value] = /^svc_http_requests_waiting (\d+)$/m.exec(await api.metrics.scrape.metrics()) ?? [];
  return Number(value);
};

it("writes nothing of a bulk decision that waits for its turn, while others and other requests pass", async () => {
  const [one, other] = [await tenant(), await tenant()];
  const { body } = await one.create();
  const first = one.call("cancel", { ids: [body.id] });
  await expect.poll(() => sent.length).toBe(1);
  const second = one.call("cancel", { ids: [body.id] });
  await expect.poll(waiting).toBe(1);
  const [counted] = await api.database.sql`select count(*)::int as n from decisions where deployment_id = ${body.id}`;
  expect(counted?.n).toBe(1);
  expect((await one.create()).status).toBe(201);
  expect((await other.create()).status).toBe(201);
  batches.resolve();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
  expect(await waiting()).toBe(0);
});

it("gives the only place away while a workflow is waited for", async () => {
  const one = await tenant();
  const { body } = await one.create();
  const decided = Promise.all([1, 2, 3].map(() => one.call(`${body.id}/cancel`)));
  await expect.poll(() => sent.length).toBe(3);
  expect((await one.create()).status).toBe(201);
  decisions.resolve();
  expect((await decided).map(({ status }) => status)).toEqual([503, 503, 503]);
});
