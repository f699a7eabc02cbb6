/** Ctrl-C and signals at each moment, in a pseudo terminal and without one. */
import { describe, expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { type CliProgram, CTRL_C, DOWN, ENTER } from "../support/cliProgram.ts";
import { type CliWorld, PLANS, cliTest as test } from "../support/cliTest.ts";

async function statusOf(world: CliWorld, stack: string): Promise<string> {
  const path = `/api/v1/orgs/${world.org}/stacks/${stack}/deployments`;
  return (await world.api.call("GET", path, { token: world.token })).body.items[0].status;
}

/** A program that watches a plan under way, at a terminal. */
async function watching(
  world: CliWorld,
): Promise<{ stack: string; program: CliProgram; run: Awaited<ReturnType<CliWorld["nextRun"]>> }> {
  const stack = await world.stack();
  const program = world.start(["up", stack], { terminal: true });
  const run = await world.nextRun();
  await run.live(0, Buffer.from("engine at work\n"));
  await program.sees(/engine at work/);
  return { stack, program, run };
}

async function asked(world: CliWorld): Promise<{ stack: string; program: CliProgram }> {
  const stack = await world.stack();
  const program = world.start(["up", stack], { terminal: true });
  await world.plan(PLANS.changes);
  await program.sees(/Apply these changes/);
  return { stack, program };
}

describe("while it is watched, Ctrl-C asks", () => {
  test("and goes on, or cancels", async ({ world }) => {
    const { stack, program } = await watching(world);
    program.type(CTRL_C);
    await program.sees(/What now/);
    program.type(ENTER);
    // Answered, and not only shown: until then Ctrl-C is an answer too.
    await program.sees(/◇ +The deployment goes on/);
    const before = program.screen.length;
    program.type(CTRL_C);
    await program.sees(/What now/, before);
    program.type(DOWN);
    program.type(ENTER);
    await program.sees(/It is being cancelled/);
    expect(["requested_cancellation", "cancelling"]).toContain(await statusOf(world, stack));
    program.type(CTRL_C);
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(program.screen).toContain("goes on");
  });

  test("and leaves it running, also by a second Ctrl-C", async ({ world }) => {
    for (const keys of [[DOWN, DOWN, ENTER], [CTRL_C]]) {
      const { stack, program } = await watching(world);
      program.type(CTRL_C);
      await program.sees(/What now/);
      for (const key of keys) program.type(key);
      expect(await program.exited).toBe(EXIT.interrupted);
      expect(program.screen).toContain(`deploy watch ${stack}/`);
      expect(await statusOf(world, stack)).toBe("planning");
    }
  });
});

describe("at the question", () => {
  test("yes applies", async ({ world }) => {
    const { program } = await asked(world);
    expect(program.screen).toMatch(/1 to add/);
    program.type(DOWN);
    program.type(ENTER);
    await world.apply();
    expect(await program.exited).toBe(EXIT.done);
    expect(program.screen).toMatch(/applied\n/);
  });

  test("enter by itself applies nothing: it asks what becomes of the plan", async ({ world }) => {
    const { stack, program } = await asked(world);
    program.type(ENTER);
    await program.sees(/The plan waits/);
    program.type(ENTER);
    expect(await program.exited).toBe(EXIT.ended);
    expect(await statusOf(world, stack)).toBe("skipped");
  });

  test("Ctrl-C offers to skip; once more leaves it waiting", async ({ world }) => {
    const { stack, program } = await asked(world);
    program.type(CTRL_C);
    await program.sees(/The plan waits/);
    program.type(CTRL_C);
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(await statusOf(world, stack)).toBe("waiting");
    const again = world.start(["confirm", stack], { terminal: true });
    await again.sees(/Apply these changes/);
    expect(again.screen).not.toContain("planned\n");
    again.type(CTRL_C);
    await again.sees(/The plan waits/);
    again.type(ENTER);
    expect(await again.exited).toBe(EXIT.ended);
  });

  test("somebody else's answer takes it away", async ({ world }) => {
    const { stack, program } = await asked(world);
    expect((await world.run(["skip", stack])).code).toBe(EXIT.done);
    expect(await program.exited).toBe(EXIT.ended);
  });
});

describe("without a terminal a signal", () => {
  test.for([
    [[], "SIGTERM", "planning"],
    [["--on-interrupt", "leave"], "SIGINT", "planning"],
    [["--on-interrupt", "cancel"], "SIGTERM", "requested_cancellation"],
  ] as const)("with %j: %s leaves it %s", async ([options, signal, status], { world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack, "--auto-approve", ...options]);
    const run = await world.nextRun();
    await program.sees(/planning/);
    program.kill(signal);
    if (status === "planning") {
      expect(await program.exited).toBe(EXIT.interrupted);
      expect(await statusOf(world, stack)).toBe(status);
      return;
    }
    await program.sees(/It is being cancelled/);
    expect(await statusOf(world, stack)).toBe(status);
    await run.acknowledge();
    await run.done({ status: "cancelled" });
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(await statusOf(world, stack)).toBe("cancelled");
  });
});
