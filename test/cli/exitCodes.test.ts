/** Every code that the program ends with, against the real service. */
import { describe, expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { PLANS, cliTest as test } from "../support/cliTest.ts";

const UNKNOWN = "01a1f77a-0000-7000-8000-00000000dead";

test("0: done, with data on stdout and the rest on stderr", async ({ world }) => {
  const stack = await world.stack();
  const listed = await world.run(["stacks"]);
  expect([listed.code, listed.stderr]).toEqual([EXIT.done, ""]);
  expect(listed.stdout).toMatch(new RegExp(`^STACK .*\n${stack} `));
  const program = world.start(["plan", stack]);
  await world.plan(PLANS.nothing, "from the engine\n");
  expect(await program.exited).toBe(EXIT.done);
  expect(program.stdout).toMatch(/^from the engine\n\nNo changes\n$/);
  expect(program.stderr).toContain(`${stack} `);
});

describe("1", () => {
  test("a plan that fails, with its reason", async ({ world }) => {
    const program = world.start(["plan", await world.stack()]);
    await world.plan({ status: "failure", error: "The engine said no." });
    expect(await program.exited).toBe(EXIT.failed);
    expect(program.stderr).toContain("The engine said no.");
  });

  test("a service that is not there", async ({ world }) => {
    const { code, stderr } = await world.run(["whoami"], { env: { DEPLOY_HOST: "http://127.0.0.1:9" } });
    expect([code, stderr]).toEqual([EXIT.failed, expect.stringContaining("cannot be reached")]);
  });
});

describe("2", () => {
  test("changes, only with --detailed-exitcode", async ({ world }) => {
    for (const [options, code] of [
      [[], EXIT.done],
      [["--detailed-exitcode"], EXIT.changes],
    ] as const) {
      const program = world.start(["plan", await world.stack(), ...options]);
      await world.plan(PLANS.changes);
      expect(await program.exited).toBe(code);
    }
  });

  test("none, after an apply", async ({ world }) => {
    const program = world.start(["up", await world.stack(), "--auto-approve", "--detailed-exitcode"]);
    await world.plan(PLANS.destroys);
    await world.apply();
    expect(await program.exited).toBe(EXIT.done);
    expect(program.stdout).toMatch(/planned\n[\s\S]*applied\n/);
    expect(program.stderr).toMatch(/: applied\n$/);
  });
});

test("3: called wrongly", async ({ world }) => {
  const wrong = [
    [],
    ["no-such-command"],
    ["plan", "x", "--no-such-option"],
    ["stack", "create"],
    ["up", "x"],
    ["ls", "--waiting-for", "godot"],
    ["stacks", "--limit", "0"],
    ["plan", "x", "--timeout", "soon"],
    ["plan", "x", "--on-interrupt", "panic"],
    ["plan", "x", "--commit", "a", "--local"],
    ["watch", "x/y"],
    ["completion", "tcsh"],
    ["stack", "create", "new", "--repository", "not an address"],
  ];
  const codes = await Promise.all(wrong.map(async (args) => [args, (await world.run(args)).code]));
  expect(codes).toEqual(wrong.map((args) => [args, EXIT.usage]));
});

test("4: not signed in, or with a token that is none", async ({ world }) => {
  const without = await world.run(["stacks"], { env: { DEPLOY_TOKEN: "" } });
  expect([without.code, without.stderr]).toEqual([EXIT.notSignedIn, expect.stringContaining("deploy login")]);
  expect((await world.run(["stacks"], { env: { DEPLOY_TOKEN: "svc_pat_nonsense" } })).code).toBe(EXIT.notSignedIn);
});

test("5: not there, or not for the caller", async ({ api, world }) => {
  expect((await world.run(["stack", "show", "no-such-stack"])).code).toBe(EXIT.notFound);
  expect((await world.run(["watch", UNKNOWN])).code).toBe(EXIT.notFound);
  expect((await world.run(["watch", await world.stack()])).code).toBe(EXIT.notFound);
  const { token } = await api.makeAccount(world.org, [["org", "read"]]);
  expect((await world.run(["plan", await world.stack()], { env: { DEPLOY_TOKEN: token } })).code).toBe(EXIT.notFound);
});

test("6: skipped or cancelled, by whomever", async ({ world }) => {
  const stack = await world.stack();
  const program = world.start(["up", stack, "--auto-approve=non-destructive", "--json"]);
  const run = await world.nextRun();
  const deployments = `/api/v1/orgs/${world.org}/stacks/${stack}/deployments`;
  const listed = await world.api.call("GET", deployments, { token: world.token });
  expect((await world.run(["cancel", listed.body.items[0].id])).code).toBe(EXIT.done);
  await run.acknowledge();
  await run.done({ status: "cancelled" });
  expect(await program.exited).toBe(EXIT.ended);
});

test("7: what is approved beforehand does not cover the plan, which goes on waiting", async ({ world }) => {
  const stack = await world.stack();
  const program = world.start(["up", stack, "--auto-approve=non-destructive"]);
  await world.plan(PLANS.destroys);
  expect(await program.exited).toBe(EXIT.refused);
  expect(program.stderr).toContain("not harmless");
  expect((await world.run(["watch", stack, "--detailed-exitcode"])).code).toBe(EXIT.changes);
  expect((await world.run(["skip", stack])).code).toBe(EXIT.done);
});

test("8: the plan is another one than was seen", async ({ world }) => {
  const stack = await world.stack();
  const program = world.start(["up", stack, "--auto-approve=non-destructive"]);
  await world.plan(PLANS.destroys);
  await program.exited;
  const { code, stderr } = await world.run(["confirm", stack, "--plan", UNKNOWN]);
  expect([code, stderr]).toEqual([EXIT.conflict, expect.stringMatching(/plan/)]);
  const confirming = world.start(["confirm", stack, "--plan", await runOf(world, stack)]);
  await world.apply();
  expect(await confirming.exited).toBe(EXIT.done);
  expect(confirming.stdout).toBe("applied\n");
  expect((await world.run(["confirm", stack, "--plan", UNKNOWN])).code).toBe(EXIT.conflict);
});

test("124: the time is over, and the deployment goes on", async ({ world }) => {
  const stack = await world.stack();
  const { code, stderr } = await world.run(["plan", stack, "--timeout", "5s"]);
  expect([code, stderr]).toEqual([EXIT.timeout, expect.stringContaining("goes on")]);
  const watching = world.start(["watch", stack]);
  await world.plan(PLANS.nothing);
  expect(await watching.exited).toBe(EXIT.done);
});

async function runOf(
  world: { api: import("../support/peopleApi.ts").PeopleApi; org: string; token: string },
  stack: string,
) {
  const path = `/api/v1/orgs/${world.org}/stacks/${stack}/queue`;
  const { body } = await world.api.call("GET", path, { token: world.token });
  return body.holder.stages.find(({ kind }: { kind: string }) => kind === "plan_run").run_id as string;
}
