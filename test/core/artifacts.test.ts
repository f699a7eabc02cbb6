/**
 * Artifacts: encrypted, capped, and fixed from the moment the run is over (docs/rules/runner-protocol.md#artifacts).
 */
import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import { create, makeOrg, makeStack } from "../support/fixtures.ts";
import { coordinator, PLAN_WITH_CHANGES, runner } from "../support/runnerApi.ts";
import { runnerTest } from "../support/test.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const test = runnerTest({ artifactBytes: 2_500_000 }).extend("world", { scope: "file" }, async ({ database, api }) => {
  const org = await makeOrg(database);

  async function claimed() {
    await create(api.service, await makeStack(database, org.orgId));
    return runner(api, org, await (await coordinator(api, org)).claim());
  }

  async function running() {
    const started = await claimed();
    await started.accept();
    return started;
  }

  return { claimed, running };
});

test.afterEach(({ api }) => expect(api.unexpected).toEqual([]));

test("every kind comes back as it was sent, with its digest; a second upload replaces the first", async ({
  database,
  world,
}) => {
  const started = await world.running();
  for (const kind of ["plan", "analysis", "plan-json", "changes", "plan-text", "tree"]) {
    const [first, second] = [randomBytes(1_200_000), randomBytes(700)];
    expect((await started.upload(kind, first)).status).toBe(204);
    expect((await started.upload(kind, second)).status).toBe(204);
    const answer = await started.download(kind);
    expect(answer.headers.get("repr-digest")).toBe(`sha-256=:${createHash("sha256").update(second).digest("base64")}:`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(second)).toBe(true);
  }
  const rows = await database.sql`select object_key, size, sha256 from artifacts where run_id = ${started.run_id}`;
  expect(rows.map((row) => Number(row.size))).toEqual([700, 700, 700, 700, 700, 700]);
});

test("an unknown kind and an artifact that was not uploaded are 404", async ({ world }) => {
  const started = await world.running();
  expect((await started.upload("secrets", randomBytes(1))).status).toBe(404);
  expect((await started.download("secrets")).status).toBe(404);
  expect((await started.download("plan")).status).toBe(404);
});

test("one byte over the cap is 413, with and without a length, and stores nothing", async ({ api, world }) => {
  const started = await world.running();
  expect((await started.upload("plan", Buffer.alloc(2_500_000))).status).toBe(204);
  expect((await started.upload("plan-json", Buffer.alloc(2_500_001))).status).toBe(413);
  const chunked = await fetch(`${api.base}/runs/${started.run_id}/artifacts/plan-json`, {
    method: "PUT",
    headers: { authorization: started.authorization },
    body: new Blob([Buffer.alloc(2_500_001)]).stream(),
    duplex: "half",
  } as RequestInit).catch(() => null);
  expect(chunked?.status ?? 413).toBe(413);
  expect((await started.download("plan-json")).status).toBe(404);
});

test("an upload that breaks off stores nothing", async ({ api, world }) => {
  const started = await world.running();
  const abort = new AbortController();
  const upload = fetch(`${api.base}/runs/${started.run_id}/artifacts/plan`, {
    method: "PUT",
    headers: { authorization: started.authorization },
    body: new ReadableStream({
      start: (controller) => controller.enqueue(randomBytes(100_000)),
      pull: () => {
        abort.abort();
      },
    }),
    duplex: "half",
    signal: abort.signal,
  } as RequestInit);
  await expect(upload).rejects.toThrow();
  expect((await started.download("plan")).status).toBe(404);
});

test("a run that nobody accepted takes and gives none", async ({ world }) => {
  const early = await world.claimed();
  expect((await early.upload("plan", randomBytes(10))).status).toBe(409);
  expect((await early.download("plan")).status).toBe(409);
});

test("once the run is over nothing can be replaced or added, and everything can still be read", async ({ world }) => {
  const started = await world.running();
  const plan = randomBytes(500);
  await started.upload("plan", plan);
  await started.done(PLAN_WITH_CHANGES);
  for (const kind of ["plan", "analysis"]) {
    const answer = await started.upload(kind, randomBytes(10));
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([409, "run_already_terminal"]);
  }
  expect(Buffer.from(await (await started.download("plan")).arrayBuffer()).equals(plan)).toBe(true);
});

test("an upload and done at once: the digest that was fixed is the digest of what is stored", async ({
  database,
  world,
}) => {
  for (let round = 0; round < 25; round++) {
    const started = await world.running();
    const [first, second] = [randomBytes(50), randomBytes(60)];
    await started.upload("plan", first);
    const [upload, done] = await Promise.all([started.upload("plan", second), started.done(PLAN_WITH_CHANGES)]);
    expect(done.status).toBe(204);
    expect([204, 409]).toContain(upload.status);
    const [run] = await database.sql`select plan_sha256 from runs where id = ${started.run_id}`;
    const stored = Buffer.from(await (await started.download("plan")).arrayBuffer());
    expect(sha256(stored)).toBe(run?.plan_sha256);
    expect(stored.equals(upload.status === 204 ? second : first)).toBe(true);
  }
});
