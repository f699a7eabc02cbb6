/** A run that may write its stack's state, accepted by its runner, and the token by which its engine does. */
import type { RunContext } from "../../src/core/runs/protocol.ts";
import type { TestDatabase } from "./database.ts";
import { create, type TestOrg, testService } from "./fixtures.ts";
import { coordinator, runner } from "./runnerApi.ts";

export async function writingRun({
  database,
  org,
  stackKey,
  baseUrl,
}: {
  database: TestDatabase;
  org: TestOrg;
  stackKey: string;
  baseUrl: string;
}) {
  const deploymentId = await create(testService(database), stackKey);
  const base = `${baseUrl}/api/v1`;
  const stub = await (await coordinator({ base }, org)).claim(20);
  const one = await runner({ base }, org, stub);
  await one.ready();
  const context = (await (await one.accept({ protocol: 3 })).json()) as RunContext;
  await database.sql.begin(async (tx) => {
    await tx`alter table runs disable trigger user`;
    await tx`update runs set kind = 'raw_run', state_locked = true where id = ${stub.run_id}`;
    await tx`alter table runs enable trigger user`;
  });
  const address = `${base}/runs/${stub.run_id}/state`;
  return { deploymentId, runId: stub.run_id, runner: one, token: context.state?.token as string, base, address };
}
