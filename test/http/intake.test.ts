/** While much comes in at once, whatever is asked of the API is answered soon: nothing holds its event loop. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { freePorts } from "../../src/main/dev/ports.ts";
import { startApiProcess } from "../support/apiProcess.ts";
import { create, makeOrg, makeStack, testService } from "../support/fixtures.ts";
import { coordinator, runner } from "../support/runnerApi.ts";
import { databaseTest } from "../support/test.ts";

const MOST_MS = 1_000;

/** A file of JSON of about this many megabytes, as an engine's plan is: many small values. @returns its size */
async function writePlan(file: string, megabytes: number): Promise<number> {
  const change = JSON.stringify({ address: "a.b", change: { actions: ["create"], after: { value: "x".repeat(400) } } });
  const count = Math.ceil((megabytes * 1_048_576) / (change.length + 1));
  const text = `{"resource_changes":[${Array.from({ length: count }, () => change).join(",")}]}`;
  await writeFile(file, text);
  return text.length;
}

/** As the reference runner does: streamed from disk, so that this process's own event loop stays free to measure. */
async function uploadFile(url: string, authorization: string, file: string): Promise<number | undefined> {
  const sending = request(url, { method: "PUT", headers: { authorization } });
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  await pipeline(createReadStream(file), sending);
  const [answer] = await answered;
  answer.resume();
  return answer.statusCode;
}

const test = databaseTest()
  .extend("api", { scope: "file" }, async ({ database, folder }, { onCleanup }) => {
    const [port] = await freePorts(1);
    const api = await startApiProcess(
      {
        SVC_DATABASE_URL: database.url,
        SVC_EXPLORE_DATABASE_URL: database.url,
        // Nothing listens there: all of this works without.
        SVC_TEMPORAL_ADDRESS: "127.0.0.1:9",
        SVC_OBJECTS_URL: `file://${folder}/objects`,
        SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
        SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
        SVC_LISTEN: `127.0.0.1:${port}`,
        SVC_DISPATCH_RATE_LIMIT: "off",
        SVC_LOG_LEVEL: "silent",
      },
      join(folder, "api.log"),
    );
    onCleanup(() => api.stop("SIGTERM", 30_000));
    return api;
  })
  .extend("world", { scope: "file" }, async ({ database, api }) => {
    const org = await makeOrg(database);
    const base = () => ({ base: `${api.baseUrl}/api/v1` });

    async function running() {
      await create(testService(database), await makeStack(database, org.orgId));
      const started = await runner(base(), org, await (await coordinator(base(), org)).claim());
      expect((await started.accept()).status).toBe(200);
      return started;
    }

    return { base, running, org };
  });

test("50 MB plans and hundreds of log chunks come in while health, polls and statuses are answered within a second", async ({
  database,
  api,
  folder,
  world,
}) => {
  const runners = await Promise.all(Array.from({ length: 4 }, () => world.running()));
  const watched = await world.running();
  const polling = await coordinator(world.base(), world.org);
  const planFile = join(folder, "plan.json");
  const planBytes = await writePlan(planFile, 50);
  const chunk = randomBytes(65_536);
  const live = { data: gzipSync(Buffer.alloc(65_536, "a log line that packs well\n")).toString("base64") };

  let taking = true;
  const slowest: Record<string, number> = {};
  const watch = async (name: string, ask: () => Promise<Response>, expected: number) => {
    let asked = 0;
    while (taking) {
      const from = performance.now();
      const answer = await ask();
      await answer.arrayBuffer();
      slowest[name] = Math.max(slowest[name] ?? 0, performance.now() - from);
      expect(answer.status).toBe(expected);
      asked++;
    }
    // A handful of answers would prove nothing.
    expect(asked).toBeGreaterThan(10);
  };
  const watching = Promise.all([
    watch("health", () => fetch(`${api.baseUrl}/healthz`), 200),
    watch("poll", () => polling.poll(), 204),
    watch("status", () => watched.status(), 200),
  ]);

  const intake = runners.flatMap((sender) => [
    uploadFile(`${world.base().base}/runs/${sender.run_id}/artifacts/plan-json`, sender.authorization, planFile).then(
      (status) => expect(status).toBe(204),
    ),
    (async () => {
      for (let index = 0; index < 100; index++) {
        const pushed = sender.call("POST", `/runs/${sender.run_id}/logs/live`, {
          chunk_index: index + 1,
          sealed_chunks: index,
          ...live,
        });
        const [sealed, accepted] = await Promise.all([sender.seal(index, chunk), pushed]);
        expect([sealed.status, accepted.status]).toEqual([204, 204]);
      }
    })(),
  ]);
  await Promise.all(intake).finally(() => {
    taking = false;
  });
  await watching;
  for (const [name, ms] of Object.entries(slowest)) expect(ms, name).toBeLessThan(MOST_MS);
  const stored = await database.sql`select size::float8 as size from artifacts where kind = 'plan-json'`;
  expect(stored.map((row) => row.size)).toEqual(Array.from({ length: 4 }, () => planBytes));
  expect(await database.sql`select 1 from log_chunks where sealed`).toHaveLength(400);
}, 120_000);
