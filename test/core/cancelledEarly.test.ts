/**
 * A run that is cancelled before its runner has accepted it: from each moment on, whatever the runner calls, a conflict
 * says that the run is over, and the runner goes without an error (docs/rules/runner-protocol.md#refusals-of-accept).
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { ACTOR, create, decide, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, type RunnerApi, runner, startRunnerApi } from "../support/runnerApi.ts";

let database: TestDatabase;
let api: RunnerApi;
let org: Group;
beforeAll(async () => {
  database = await freshDatabase();
  api = await startRunnerApi(database);
  org = await makeOrg(database);
});
afterAll(async () => {
  await api.close();
  await database.close();
});

type Client = Awaited<ReturnType<typeof runner>>;

async function claimed(): Promise<{ client: Client; deployment: string }> {
  const deployment = await create(api.service, await makeStack(database, org.orgId), { actor: ACTOR });
  const run = await (await coordinator(api, org)).claim(5);
  return { client: await runner(api, org, run), deployment };
}

/**
 * All that a runner may call of its run, with what it answers when the run is over: a conflict, or that it does not
 * matter any more.
 */
const CALLS: Record<string, (client: Client) => Promise<Response>> = {
  ready: (client) => client.ready(),
  accept: (client) => client.accept(),
  status: (client) => client.status(),
  acknowledge: (client) => client.acknowledge(),
  live: (client) => client.live(0, Buffer.from("x")),
  upload: (client) => client.upload("plan", Buffer.from("x")),
  source: (client) => client.call("GET", `/runs/${client.run_id}/source`),
  done: (client) => client.done({ status: "success" }),
};

const MOMENTS: Record<string, (client: Client) => Promise<unknown>> = {
  "between claim and ready": async () => {},
  "between ready and accept": (client) => client.ready(),
};

describe.each(Object.entries(MOMENTS))("cancelled %s", (_, before) => {
  test.each(Object.entries(CALLS))("%s is told that the run is over", async (_, call) => {
    const { client, deployment } = await claimed();
    await before(client);
    await decide(api.service, database, deployment, "cancel");
    const answer = await call(client);
    const { code } = answer.status === 409 ? ((await answer.json()) as { code?: string }) : {};
    expect([answer.status, code]).toEqual(
      answer.status === 409 ? [409, "run_already_terminal"] : [answer.status, code],
    );
    expect([200, 204, 409]).toContain(answer.status);
  });
});

test("while the run goes on with another runner, a conflict has no code", async () => {
  const { client } = await claimed();
  await database.sql`update runners set status = 'gone' where id = ${client.runner_id}`;
  const answer = await client.ready();
  expect([answer.status, ((await answer.json()) as { code?: string }).code]).toEqual([409, undefined]);
});
