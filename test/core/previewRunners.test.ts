/** Previews, and forks' previews, go to runners of their own (docs/rules/dispatch.md#selectors). */
import { expect } from "vitest";
import { test } from "../support/provenanceTest.ts";
import { coordinator } from "../support/runnerApi.ts";

const LABELS = {
  labels: { "svc:runner-group:zone": "prod" },
  preview_runner_labels: { zone: "previews" },
  fork_runner_labels: { zone: "forks" },
};

test("each kind of run is for the runners that the stack names for it", async ({ world, shared }) => {
  const { commits } = shared;
  const selectorOf = async (settings: object, body: object) => {
    const { body: deployment } = await (await world.stack(settings as never)).create({ ...body, allow_foreign: true });
    const [row] = await world.api.database.sql`
      select s.labels from runs r join runner_selectors s on s.id = r.selector_id where r.deployment_id = ${deployment.id}`;
    return row?.labels;
  };
  const preview = { mode: "plan_unlocked" };
  const fork = { ...preview, commit_sha: commits.fork };
  expect(await selectorOf(LABELS, {})).toEqual({ zone: "prod" });
  expect(await selectorOf(LABELS, preview)).toEqual({ zone: "previews" });
  expect(await selectorOf(LABELS, fork)).toEqual({ zone: "forks" });
  expect(await selectorOf({ ...LABELS, fork_runner_labels: null }, fork)).toEqual({ zone: "previews" });
  expect(await selectorOf({ labels: LABELS.labels }, fork)).toEqual({ zone: "prod" });
});

test("a preview of foreign code is given only to a runner that has a wall", async ({ world, shared }) => {
  const stack = await world.stack();
  const { body } = await stack.create({ mode: "plan_unlocked", commit_sha: shared.commits.fork, allow_foreign: true });
  const { call } = await coordinator({ base: `${world.api.baseUrl}/api/v1` }, world.org);
  for (const without of ["poll", "poll?isolation=none"]) expect((await call("GET", without)).status).toBe(204);
  expect((await call("GET", "poll?isolation=paper")).status).toBe(422);
  const own = (await stack.create({})).body;
  expect(own.id).not.toBe(body.id);
  // What comes later does not wait for it.
  expect((await call("GET", "poll?isolation=none")).status).toBe(200);
  expect((await call("GET", "poll?isolation=bubblewrap")).status).toBe(200);
  expect((await call("GET", "poll?isolation=bubblewrap")).status).toBe(204);
});

test("one that only runners without a wall would take says so, until one with a wall is there", async ({
  world,
  shared,
}) => {
  const stack = await world.stack();
  const fork = { mode: "plan_unlocked", commit_sha: shared.commits.fork, allow_foreign: true };
  const { body } = await stack.create(fork);
  const own = (await stack.create({ mode: "plan_unlocked" })).body;
  const { call } = await coordinator({ base: `${world.api.baseUrl}/api/v1` }, world.org);
  const waits = async ({ id }: { id: string }) =>
    (await world.api.call("GET", `${stack.path}/deployments/${id}`, { token: world.token })).body.waiting_for;
  const anybody = "A runner of a matching group has to take the run.";
  // Who is not there says nothing of walls.
  expect(await waits(body)).toBe(anybody);
  expect((await call("POST", "heartbeat", { isolation: "none" })).status).toBe(204);
  expect(await waits(body)).toMatch(/^Only runners without a wall would take it/);
  expect(await waits(own)).toBe(anybody);
  expect((await call("POST", "heartbeat", { isolation: "user" })).status).toBe(204);
  expect(await waits(body)).toBe(anybody);
});
