/**
 * An API that is killed between an apply and the storing of what it left: its runner tells the outputs again, before
 * the apply's end.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect } from "vitest";
import { openOutputs } from "../../src/core/outputs/outputs.ts";
import { freePorts } from "../../src/main/dev/ports.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { type ApiProcess, startApiProcess } from "../support/apiProcess.ts";
import { create, decide, makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { commitFiles, RunnerProcess, removeTemporaryDirectories, TOOL } from "../support/runnerProcess.ts";
import type { ScriptedService } from "../support/scriptedService.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const KEY = randomBytes(32);

const test = databaseTest().extend("world", { scope: "file" }, async ({ database, folder }, { onCleanup }) => {
  const [port] = await freePorts(1);
  const settings = {
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    // Nothing listens there: all of this works without.
    SVC_TEMPORAL_ADDRESS: "127.0.0.1:9",
    SVC_OBJECTS_URL: `file://${folder}/objects`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: KEY.toString("base64"),
    SVC_LISTEN: `127.0.0.1:${port}`,
  };
  const apis: ApiProcess[] = [];
  const startApi = async () => {
    const api = await startApiProcess(settings, join(folder, `api-${apis.length}.log`));
    apis.push(api);
    return api;
  };
  const api = await startApi();
  const org = await makeOrg(database);
  const runner = new RunnerProcess({
    url: api.baseUrl,
    groupId: org.groupId as ScriptedService["groupId"],
    privateKey: org.privateKeyPem,
  });
  onCleanup(async () => {
    await runner.stop("SIGTERM");
    await Promise.all(apis.map((each) => each.stop("SIGTERM", 30_000)));
    removeTemporaryDirectories();
  });
  return { org, api, startApi, service: testService(database) };
});

test("nothing of what an apply left is lost", { timeout: 180_000 }, async ({ database, world }) => {
  const { sql } = database;
  const { url, commit } = commitFiles({ "main.tf": 'output "vpc_id" {\n  value = "vpc-1"\n}\n' });
  const stackKey = await makeStack(database, world.org.orgId, {
    ...{ repository_url: url, working_directory: ".", tool: TOOL },
  });
  const id = await create(world.service, stackKey, { commitSha: commit });
  const becomes = (status: string) =>
    waitFor(
      async () => {
        const [row] = await sql`select status, error from deployments where id = ${id}`;
        if (row?.status === "failed") throw new Error(String(row.error));
        return row?.status === status;
      },
      { what: `the deployment to be ${status}`, timeoutMs: 60_000, everyMs: 100 },
    );
  await becomes("waiting");
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = sql.begin(async (tx) => {
    await tx`lock table stack_outputs in access exclusive mode`;
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  await decide(world.service, database, id, "confirm", { action: "apply" });
  const waitingForTable = () =>
    sql`select from pg_locks where not granted and relation = 'stack_outputs'::regclass`.then(({ length }) => length);
  await waitFor(async () => (await waitingForTable()) > 0, {
    what: "the outputs to be stored",
    timeoutMs: 60_000,
    everyMs: 50,
  });
  await world.api.stop("SIGKILL");
  // Nor does what the dead process began come through.
  await sql`select pg_terminate_backend(pid) from pg_locks where not granted and relation = 'stack_outputs'::regclass`;
  released.resolve();
  await holding;
  expect(await sql`select from stack_outputs`).toHaveLength(0);
  await world.startApi();
  await becomes("finished");
  const [stored] = await sql`select run_id, sealed from stack_outputs`;
  const keyring = createKeyring({ provider: "aes-256", key: KEY, previousKeys: [] });
  const outputs = await openOutputs(keyring, stored?.run_id, stored?.sealed);
  expect(outputs).toEqual([{ name: "vpc_id", type: '"string"', sensitive: false, value: '"vpc-1"' }]);
});
