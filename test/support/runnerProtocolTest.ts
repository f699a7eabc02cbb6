/** Runs that a runner has claimed: what the tests of the runner protocol begin with. */
import { noSources } from "../../src/core/runnerProtocol/context.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import type { TestDatabase } from "./database.ts";
import { create, type Group, makeOrg, makeStack } from "./fixtures.ts";
import { coordinator, type RunnerApi, runner } from "./runnerApi.ts";
import { runnerTest } from "./test.ts";

/** A claimed run of a new deployment, with its runner. */
export async function claimRun({ database, api }: { database: TestDatabase; api: RunnerApi }, group?: Group) {
  const org = group ?? (await makeOrg(database));
  const stackKey = await makeStack(database, org.orgId);
  const deploymentId = await create(api.service, stackKey);
  const polling = await coordinator(api, org);
  const stub = await polling.claim();
  return { database, api, org, stackKey, deploymentId, polling, stub, runner: await runner(api, org, stub) };
}

export const test = runnerTest({ sources: noSources }).extend("world", ({ database, api }) => {
  const claimed = (group?: Group) => claimRun({ database, api }, group);

  async function runRow(runId: string) {
    const [row] = await database.sql`select * from runs where id = ${runId}`;
    return row ?? {};
  }
  const seen = async (runId: string) =>
    (await database.sql`select last_seen_at::text as at from run_liveness where run_id = ${runId}`)[0]?.at as string;

  /** What a call in this process sends, whatever it answers. */
  async function count(method: string, path: string, authorization: string, body?: unknown) {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const { result, statements } = await countStatements(() =>
      api.fetch(path, { method, ...init, headers: { authorization, ...init.headers } }),
    );
    return { status: result.status, statements: statements.length, json: () => result.json() };
  }

  return { claimed, runRow, seen, count };
});

/** The parts of an answer that a runner acts on. */
export async function verdict(given: Response | Promise<Response>): Promise<{ status: number; code?: string }> {
  const answer = await given;
  const problem = answer.headers.get("content-type") === "application/problem+json";
  const { code } = (problem ? await answer.json() : {}) as { code?: string };
  return code === undefined ? { status: answer.status } : { status: answer.status, code };
}
