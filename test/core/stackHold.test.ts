/** A stack that is renamed, held and released, and its queue (docs/rules/stacks.md). */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { create, decide, statuses } from "../support/fixtures.ts";
import { test } from "../support/stackLifeTest.ts";

describe("rename", () => {
  test("changes id and name together, frees the old id, and the lane passes on under the new one", async ({
    api,
    world,
  }) => {
    const { key, path } = await world.newStack();
    const { id, runId, runnerId } = await world.running(key);
    const next = await create(api.service, key);
    const name = `Renamed ${randomUUID()}`;
    const renamed = await world.call("PATCH", path, { name });
    expect(renamed).toMatchObject({ status: 200, body: { name, id: name.toLowerCase().replace(" ", "-") } });
    expect((await world.call("GET", path)).status).toBe(404);
    await reportDone(api.service, runId, runnerId, { status: "failure" });
    expect((await statuses(api.database, id)).deployment).toBe("failed");
    const answer = await world.call(
      "GET",
      `/api/v1/orgs/${world.org.orgId}/stacks/${renamed.body.id}/deployments/${next}`,
    );
    expect(answer.body).toMatchObject({ stack_id: renamed.body.id, status: "pending" });
    expect(
      (await api.database.sql`select data from domain_events where stack_key = ${key} and name = 'stack_renamed'`)[0]
        ?.data,
    ).toMatchObject({ stack_name: name });
  });

  test("to a taken name is a conflict, to a name the pattern does not cover the uniform 404; both change nothing", async ({
    api,
    world,
  }) => {
    const [one, other] = [await world.newStack(), await world.newStack()];
    const taken = other.path.split("/").at(-1) as string;
    expect(await world.call("PATCH", one.path, { name: taken })).toMatchObject({
      status: 409,
      body: { code: "conflict" },
    });
    const limited = await api.makeAccount(world.org.orgId, [
      ["stack", "update", { pattern: "stack-%" }],
      ["stack", "read"],
    ]);
    expect((await api.call("PATCH", one.path, { token: limited.token, body: { name: "production" } })).status).toBe(
      404,
    );
    expect((await world.call("GET", one.path)).body.name).toBe(one.path.split("/").at(-1));
  });
});

describe("hold and release", () => {
  test("a held stack promotes nothing; release promotes in its own transaction; repeating is fine", async ({
    api,
    world,
  }) => {
    const { key, path } = await world.newStack();
    const holder = await create(api.service, key);
    const queued = await create(api.service, key);
    expect(await world.call("POST", `${path}/hold`, { reason: "incident" })).toMatchObject({
      status: 200,
      body: { hold_reason: "incident" },
    });
    const again = await world.call("POST", `${path}/hold`, { reason: "still the incident" });
    expect(again.body).toMatchObject({ hold_reason: "still the incident" });
    await decide(api.service, api.database, holder, "cancel");
    expect((await statuses(api.database, queued)).deployment).toBe("queued");
    expect((await world.call("GET", `${path}/queue`)).body).toMatchObject({
      holder: null,
      queued_count: 1,
      items: [{ id: queued, waiting_for: "The stack is on hold: still the incident." }],
    });
    expect((await world.call("POST", `${path}/release`)).body).toMatchObject({
      held_at: null,
      latest_deployment_status: "pending",
    });
    expect((await statuses(api.database, queued)).deployment).toBe("pending");
    expect((await world.call("POST", `${path}/release`)).status).toBe(200);
    expect((await world.call("POST", `${path}/hold`, {})).status).toBe(422);
  });

  test("release racing with creates and cancels never loses the lane", async ({ api, world }) => {
    for (let round = 0; round < 20; round++) {
      const { key, path } = await world.newStack({ held_at: "2026-01-01", held_by: "x", hold_reason: "y" });
      const first = await create(api.service, key);
      await Promise.all([
        world.call("POST", `${path}/release`),
        create(api.service, key),
        decide(api.service, api.database, first, "cancel"),
        world.call("POST", `${path}/release`),
      ]);
      const rows = await api.database
        .sql`select status from deployments where stack_key = ${key} and status in ('queued', 'pending') order by status`;
      expect(rows.map((row) => row.status)).toEqual(["pending"]);
    }
  });
});

test("the queue is read in its order, the holder apart, in a bounded number of statements", async ({ api, world }) => {
  const { key, path } = await world.newStack();
  const holder = await create(api.service, key);
  const queued = [];
  for (let i = 0; i < 5; i++) queued.push(await create(api.service, key));
  await decide(api.service, api.database, queued[3] as string, "prioritize");
  const { body } = await world.call("GET", `${path}/queue`);
  expect(body.holder.id).toBe(holder);
  expect(body.items.map((item: { id: string }) => item.id)).toEqual([
    queued[3],
    queued[0],
    queued[1],
    queued[2],
    queued[4],
  ]);
  expect(body.items.map((item: { queue_position: number }) => item.queue_position)).toEqual([1, 2, 3, 4, 5]);
  expect(body.items[0].blocked_by).toBe(holder);
});
