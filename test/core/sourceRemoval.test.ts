/** When an uploaded source is removed, and when not (docs/rules/deployments.md#local-plans). */
import { afterAll, describe, expect } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { claim } from "../support/fixtures.ts";
import { DAY, RETENTION, test } from "../support/localSourcesTest.ts";
import { removeTemporaryDirectories } from "../support/runnerProcess.ts";

afterAll(() => {
  removeTemporaryDirectories();
});

describe("removal", () => {
  test("unused ones after a day, used ones a retention after their last deployment ended", async ({
    api,
    org,
    newPerson,
    world,
  }) => {
    const { slug } = await world.makeStack();
    const unused = await world.uploaded(slug);
    const used = await world.uploaded(slug);
    const shared = await world.uploaded(slug);
    const keys = [unused, used, shared].map((source) => source.local_source_key);
    const standing = () => Promise.all(keys.map(world.exists));
    const ended = async (source: object) => {
      const { body } = await world.plan(slug, source);
      const run = await claim(api.database, org, body.id);
      await acceptRun(api.service, run.runId, run.runnerId);
      await reportDone(api.service, run.runId, run.runnerId, { status: "success" });
    };
    await ended(used);
    await ended(shared);
    const live = await world.plan(slug, shared);
    await world.pass();
    expect(await standing()).toEqual([true, true, true]);
    await api.database.advanceClock(DAY + 1_000);
    await world.pass();
    expect(await standing()).toEqual([false, true, true]);
    await api.database.advanceClock(RETENTION);
    await world.pass();
    expect(await standing()).toEqual([false, false, true]);
    const run = await claim(api.database, org, live.body.id);
    await acceptRun(api.service, run.runId, run.runnerId);
    await reportDone(api.service, run.runId, run.runnerId, { status: "failure" });
    await world.pass();
    expect(await standing()).toEqual([false, false, true]);
    await api.database.advanceClock(RETENTION + 1_000);
    expect((await world.pass()).localSources).toBeGreaterThanOrEqual(1);
    expect(await standing()).toEqual([false, false, false]);
    const { token } = await newPerson();
    const read = await api.call("GET", `${world.stackPath(slug)}/deployments/${live.body.id}`, { token });
    expect(read.body.local_source_key).toBe(shared.local_source_key);
  });

  test("a pass that was interrupted after its mark is taken up", async ({ api, world }) => {
    const { slug } = await world.makeStack();
    const source = await world.uploaded(slug);
    await api.database.sql`update local_sources set removed_at = svc_now() where id = ${source.local_source_key}`;
    await world.pass();
    expect(await world.exists(source.local_source_key)).toBe(false);
  });

  test("a plan and a removal of the same source at once: either it is planned and stays, or it is gone and refused", async ({
    api,
    world,
  }) => {
    const { slug } = await world.makeStack();
    for (let round = 0; round < 15; round++) {
      const source = await world.uploaded(slug);
      await api.database.sql`
        update local_sources set created_at = svc_now() - interval '2 days' where id = ${source.local_source_key}`;
      const [answer] = await Promise.all([world.plan(slug, source), world.pass()]);
      expect([201, 422]).toContain(answer.status);
      expect(await world.exists(source.local_source_key)).toBe(answer.status === 201);
    }
  });

  test("a removal that meets a plan in the middle of its transaction leaves the source", async ({ api, world }) => {
    const { slug } = await world.makeStack();
    const source = await world.uploaded(slug);
    const id = source.local_source_key;
    const { sql } = api.database;
    await sql`update local_sources set created_at = svc_now() - interval '2 days' where id = ${id}`;
    await sql.begin(async (tx) => {
      await tx`update local_sources set used_at = svc_now() where id = ${id}`;
      // It neither waits for the plan nor removes what the plan is about to name.
      expect(await world.pass()).toEqual({ localSources: 0 });
    });
    await world.pass();
    expect(await world.exists(id)).toBe(true);
  });
});
