/** Ctrl-C at each moment, in a pseudo terminal. */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { startProxy } from "../../bench/harness/proxy.ts";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { type CliProgram, CTRL_C, DOWN, ENTER } from "../support/cliProgram.ts";
import { type CliWorld, PLANS, statusOf, cliTest as test } from "../support/cliTest.ts";
import { waitFor } from "../support/waitFor.ts";

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

async function cancelIt(program: CliProgram): Promise<void> {
  program.type(CTRL_C);
  await program.sees(/What now/);
  program.type(DOWN);
  program.type(ENTER);
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
    await program.readsNoKeys();
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

describe("at every other stage Ctrl-C", () => {
  test("before the service has answered waits for it, and once more says where to look", async ({ world }) => {
    const { hostname, port } = new URL(world.api.baseUrl);
    const proxy = await startProxy({ host: hostname, port: Number(port) });
    proxy.stall();
    const stack = await world.stack();
    const env = { DEPLOY_HOST: `http://127.0.0.1:${proxy.port}` };
    const program = world.start(["up", stack], { terminal: true, env });
    await waitFor(() => proxy.opened() > 0, { what: "the call that begins it" });
    program.type(CTRL_C);
    await program.sees(/has not said yet/);
    program.type(CTRL_C);
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(program.screen).toMatch(/Nobody knows whether it began[\s\S]*deploy queue/);
    await proxy.close();
  });

  test("while a runner is waited for, or another one is before it, cancels it at once", async ({ world }) => {
    const stack = await world.stack();
    for (const seen of [/waiting for a runner/, /queued, number 1/]) {
      const program = world.start(["up", stack], { terminal: true });
      await program.sees(seen);
      if (seen.source.includes("runner")) continue;
      await cancelIt(program);
      expect(await program.exited).toBe(EXIT.ended);
      expect(await statusOf(world, stack)).toBe("cancelled");
    }
    expect((await world.run(["cancel", stack])).code).toBe(EXIT.done);
  });

  test("during the apply leaves it, cancels it, or goes on", async ({ world }) => {
    const { stack, program } = await asked(world);
    program.type(DOWN);
    program.type(ENTER);
    const run = await world.nextRun();
    await run.live(0, Buffer.from("applying it\n"));
    await program.sees(/applying it/);
    program.type(CTRL_C);
    await program.sees(/What now/);
    program.type(DOWN);
    program.type(DOWN);
    program.type(ENTER);
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(program.screen).toMatch(/goes on\.\n.*deploy watch/);
    expect(await statusOf(world, stack)).toBe("applying");
  });

  test("while files are sent begins nothing, and leaves none of them behind", async ({ world, folder }) => {
    const { hostname, port } = new URL(world.api.baseUrl);
    const proxy = await startProxy({ host: hostname, port: Number(port) });
    const stack = await world.stack();
    const [tree, temporary] = [join(folder, "tree"), join(folder, "temporary")];
    for (const each of [tree, temporary]) await mkdir(each);
    await writeFile(join(tree, "large.bin"), randomBytes(5_000_000));
    const env = { DEPLOY_HOST: `http://127.0.0.1:${proxy.port}`, TMPDIR: temporary };
    proxy.stallAfter(1_000_000);
    const program = world.start(["plan", stack, "--local"], { terminal: true, cwd: tree, env });
    await program.sees(/uploading/);
    program.type(CTRL_C);
    expect(await program.exited).toBe(EXIT.interrupted);
    expect(program.screen).toContain("Nothing was begun");
    expect(await readdir(temporary)).toEqual([]);
    await proxy.close();
  });

  test("while a person is waited for at the sign-in ends it", async ({ world }) => {
    const program = world.start(["login", "--host", world.api.baseUrl, "--no-browser"], { terminal: true });
    await program.sees(/compare this code/);
    program.type(CTRL_C);
    expect(await program.exited).toBe(EXIT.interrupted);
  });

  test("and the end of --timeout takes a question away too", async ({ world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack, "--timeout", "8s"], { terminal: true });
    await world.plan(PLANS.changes);
    await program.sees(/Apply these changes/);
    expect(await program.exited).toBe(EXIT.timeout);
    expect(program.screen).toMatch(/waits for a person[\s\S]*deploy confirm/);
    expect((await world.run(["skip", stack])).code).toBe(EXIT.done);
  });
});
