/** Signals, terminals that close and readers that leave: what is applied goes on, and no plan waits unseen. */
import { describe, expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { DOWN, ENTER } from "../support/cliProgram.ts";
import { PLANS, statusOf, cliTest as test } from "../support/cliTest.ts";
import { waitFor } from "../support/waitFor.ts";

describe("without a terminal", () => {
  test.for([
    ["up", ["--auto-approve"], "SIGTERM", "requested_cancellation"],
    ["up", ["--auto-approve", "--on-interrupt", "cancel"], "SIGINT", "requested_cancellation"],
    ["up", ["--auto-approve", "--on-interrupt", "leave"], "SIGTERM", "planning"],
    ["plan", [], "SIGTERM", "planning"],
    ["plan", ["--on-interrupt", "cancel"], "SIGTERM", "requested_cancellation"],
  ] as const)("%s %j: %s while it plans leaves it %s", async ([command, options, signal, status], { world }) => {
    const stack = await world.stack();
    const program = world.start([command, stack, ...options]);
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

  test("what is applied goes on", async ({ world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack, "--auto-approve"]);
    await world.plan(PLANS.changes);
    const run = await world.nextRun();
    await program.sees(/applying/);
    program.kill("SIGTERM");
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(program.stderr).toContain(`deploy watch ${stack}/`);
    await world.finish(run, { status: "success" });
    await waitFor(async () => (await statusOf(world, stack)) === "finished", { what: "the end of the apply" });
  });

  test("a reader that leaves is as good as a signal while a plan could be left waiting", async ({ world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack, "--auto-approve"]);
    const run = await world.nextRun();
    await program.sees(/planning/);
    program.leaveUnread();
    await run.live(0, Buffer.from("more than anybody reads\n"));
    const status = async () => (await statusOf(world, stack)) === "requested_cancellation";
    await waitFor(status, { what: "the cancellation" });
    await run.acknowledge();
    await run.done({ status: "cancelled" });
    expect(await program.exited).toBe(EXIT.interrupted);
  });

  test("and no failure while one only looks on", async ({ world }) => {
    const program = world.start(["plan", await world.stack()]);
    const run = await world.nextRun();
    await program.sees(/planning/);
    program.leaveUnread();
    await run.live(0, Buffer.from("more than anybody reads\n"));
    expect(await program.exited).toBe(EXIT.done);
  });
});

describe("a terminal that closes", () => {
  test("at the question skips the plan", async ({ world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack], { terminal: true });
    await world.plan(PLANS.changes);
    await program.sees(/Apply these changes/);
    program.kill("SIGKILL");
    await waitFor(async () => (await statusOf(world, stack)) === "skipped", { what: "the end of the plan" });
  });

  test("at the question about a plan that somebody else began leaves it to them", async ({ world }) => {
    const stack = await world.stack();
    expect((await world.run(["up", stack, "--detach"])).code).toBe(EXIT.done);
    await world.plan(PLANS.changes);
    await waitFor(async () => (await statusOf(world, stack)) === "waiting", { what: "the plan" });
    const program = world.start(["confirm", stack], { terminal: true });
    await program.sees(/Apply these changes/);
    const self = await program.self();
    process.kill(self, "SIGTERM");
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(await statusOf(world, stack)).toBe("waiting");
    expect((await world.run(["skip", stack])).code).toBe(EXIT.done);
  });

  test("while it plans cancels it, and while it applies leaves it", async ({ world }) => {
    const [planning, applying] = [await world.stack(), await world.stack()];
    const first = world.start(["up", planning], { terminal: true });
    const run = await world.nextRun();
    await first.sees(/planning/);
    first.kill("SIGKILL");
    const cancelled = async () => (await statusOf(world, planning)) === "requested_cancellation";
    await waitFor(cancelled, { what: "the cancellation" });
    await run.acknowledge();
    await run.done({ status: "cancelled" });

    const second = world.start(["up", applying], { terminal: true });
    await world.plan(PLANS.changes);
    await second.sees(/Apply these changes/);
    second.type(DOWN);
    second.type(ENTER);
    const apply = await world.nextRun();
    await second.sees(/applying/);
    second.kill("SIGKILL");
    await world.finish(apply, { status: "success" });
    await waitFor(async () => (await statusOf(world, applying)) === "finished", { what: "the end of the apply" });
  });
});
