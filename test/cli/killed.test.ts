/** A command that is killed says nothing: the next one does, and nothing of it is left on the machine. */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { startProxy } from "../../bench/harness/proxy.ts";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { type CliProgram, DOWN, ENTER } from "../support/cliProgram.ts";
import { type CliWorld, PLANS, statusOf, cliTest as test } from "../support/cliTest.ts";
import { processesOf } from "../support/localInstallation.ts";
import { waitFor } from "../support/waitFor.ts";

async function killed(program: CliProgram): Promise<void> {
  process.kill(await program.self(), "SIGKILL");
  await program.exited;
}

/** What the next command says of it, once. */
async function told(world: CliWorld): Promise<string> {
  const first = await world.run(["stacks"]);
  expect((await world.run(["stacks"])).stderr).toBe("");
  return first.stderr;
}

describe("a command that is killed", () => {
  test("before the service has answered may have begun something", async ({ world, folder }) => {
    const { hostname, port } = new URL(world.api.baseUrl);
    const proxy = await startProxy({ host: hostname, port: Number(port) });
    proxy.stall();
    const stack = await world.stack();
    const env = { DEPLOY_HOST: `http://127.0.0.1:${proxy.port}` };
    const program = world.start(["up", stack], { terminal: true, env });
    await waitFor(() => proxy.opened() > 0, { what: "the call that begins it" });
    await killed(program);
    proxy.mend();
    expect((await world.run(["stacks"])).stderr).toBe("");
    const next = await world.run(["stacks"], { env });
    expect(next.stderr).toContain(`may have begun a deployment of ${stack}: deploy queue ${stack}`);
    expect((await processesOf(folder)).size).toBe(0);
    await proxy.close();
  });

  test("while it plans, or at its question, leaves what is told by the next one", async ({ world, folder }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack], { terminal: true });
    const run = await world.nextRun();
    await program.sees(/planning/);
    await killed(program);
    expect((await processesOf(folder)).size).toBe(0);
    expect(await told(world)).toMatch(
      new RegExp(`begun by a command that was killed, goes on: deploy watch ${stack}/`),
    );

    const again = world.start(["watch", stack]);
    await world.finish(run, PLANS.changes);
    expect(await again.exited).toBe(EXIT.done);
    expect((await world.run(["skip", stack])).code).toBe(EXIT.done);

    const asking = world.start(["up", stack], { terminal: true });
    await world.plan(PLANS.changes);
    await asking.sees(/Apply these changes/);
    await killed(asking);
    expect(await statusOf(world, stack)).toBe("waiting");
    // Programs are told nothing that they did not ask for.
    expect((await world.run(["stacks", "--json"])).stderr).toBe("");
    expect(await told(world)).toMatch(new RegExp(`waits for a person: deploy confirm ${stack}/`));
    expect((await world.run(["skip", stack])).code).toBe(EXIT.done);
  });

  test("while it applies leaves an apply, which is told until it is over", async ({ world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack], { terminal: true });
    await world.plan(PLANS.changes);
    await program.sees(/Apply these changes/);
    program.type(DOWN);
    program.type(ENTER);
    const run = await world.nextRun();
    await program.sees(/applying/);
    await killed(program);
    await world.finish(run, { status: "success" });
    await waitFor(async () => (await statusOf(world, stack)) === "finished", { what: "the end of the apply" });
    expect((await world.run(["stacks"])).stderr).toBe("");
  });

  test("while it sends files leaves no copy of them once the next one packs", async ({ world, folder }) => {
    const { hostname, port } = new URL(world.api.baseUrl);
    const proxy = await startProxy({ host: hostname, port: Number(port) });
    const stack = await world.stack();
    const [tree, temporary] = [join(folder, "tree"), join(folder, "temporary")];
    for (const each of [tree, temporary]) await mkdir(each);
    await writeFile(join(tree, "large.bin"), randomBytes(5_000_000));
    const env = { DEPLOY_HOST: `http://127.0.0.1:${proxy.port}`, TMPDIR: temporary };
    proxy.stallAfter(1_000_000);
    const program = world.start(["plan", stack, "--local"], { terminal: true, cwd: tree, env });
    await program.sees(/1 files of/);
    await killed(program);
    proxy.mend();
    const [left] = await readdir(temporary);
    const next = await world.run(["plan", stack, "--local", "--detach"], { cwd: tree, env });
    expect(next.code).toBe(EXIT.done);
    expect([left, await readdir(temporary)]).toEqual([expect.stringMatching(/^deploy-/), []]);
    await proxy.close();
  });
});
