/** `deploy policies`: pushed, tested, made to count, and overridden. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { evaluatePlan } from "../../src/core/policies/evaluatePlan.ts";
import { PLANS, cliTest as test } from "../support/cliTest.ts";
import { change } from "../support/policyTest.ts";

test("a policy is pushed, tested on a plan, made to count, and overridden", async ({ world, api, onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), "policies-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "keep.json");
  writeFileSync(file, JSON.stringify({ max_destroys: 0 }));
  const stack = await world.stack();
  const destroy = change("vm", "destroy");
  const plan = async () => {
    const run = await world.nextRun();
    await run.upload("changes", Buffer.from(`${JSON.stringify(destroy)}\n`));
    await world.finish(run, PLANS.destroys);
  };

  const first = world.start(["plan", stack, "--quiet", "--json"]);
  await plan();
  expect(await first.exited).toBe(EXIT.done);
  const [{ id }] = (await api.database.sql`select id from deployments order by id desc limit 1`) as unknown as [
    { id: string },
  ];

  expect((await world.run(["policies", "create", "keep"])).stderr).toContain("no version counts yet");
  expect(await world.run(["policies", "push", "keep", file])).toMatchObject({
    code: EXIT.done,
    stderr: expect.stringContaining("deploy policies set keep --at 1"),
  });
  expect(await world.run(["policies", "test", "keep", `${stack}/${id}`])).toMatchObject({
    code: EXIT.refused,
    stdout: expect.stringContaining("deny  The plan destroys, replaces or forgets 1 resources; 0 are allowed."),
  });
  expect((await world.run(["policies", "set", "keep", "--at", "1", "--enforcement", "mandatory"])).stderr).toContain(
    "version 1 counts, mandatory",
  );
  expect((await world.run(["policies"])).stdout).toMatch(/keep +mandatory +version 1 \(rules\)/);
  await world.run(["skip", `${stack}/${id}`]);

  const second = world.start(["up", stack, "--auto-approve", "--quiet"]);
  await plan();
  const [pending] = await api.database.sql`select id, deployment_id from policy_evaluations where status = 'pending'`;
  await evaluatePlan({ service: api.service, objects: api.objects }, pending?.deployment_id, pending?.id);
  expect(await second.exited).toBe(EXIT.refused);
  expect(second.stderr).toContain("Denied by policy keep");

  const named = `${stack}/${pending?.deployment_id}`;
  expect((await world.run(["policies", "said", named])).stdout).toContain("keep version 1, mandatory");
  expect((await world.run(["policies", "override", named])).code).toBe(EXIT.usage);
  expect(await world.run(["policies", "override", named, "--reason", "the move"])).toMatchObject({
    code: EXIT.done,
    stderr: expect.stringContaining("deploy confirm"),
  });
  expect((await world.run(["policies", "said", named])).stderr).toContain("the move");
});

test("a schedule of all stacks of a label is made, paused, resumed and removed by its name", async ({ world }) => {
  const nightly = ["schedules", "add", "nightly", "--label", "env=dev", "--mode", "plan", "--cron", "0 3 * * *"];
  expect((await world.run(nightly)).stderr).toMatch(/^nightly comes 20.* on env=dev\./);
  expect((await world.run(["schedules", "--all"])).stdout).toMatch(/env=dev +nightly +plan +0 3 \* \* \* \(UTC\)/);
  const of = (verb: string) => world.run(["schedules", verb, "nightly", "--organization"]);
  expect((await of("pause")).stderr).toContain("nightly is paused.");
  expect((await of("resume")).stderr).toContain("nightly comes 20");
  const stack = await world.stack();
  expect((await world.run(["schedules", "pause", "nightly", "--stack", stack])).code).toBe(EXIT.usage);
  expect((await of("remove")).stderr).toContain("nightly is removed.");
  expect((await of("remove")).code).toBe(EXIT.usage);
});
