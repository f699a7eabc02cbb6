/** Real engines on a state that is kept here: what they do, not what we think they do (docs/state.md). */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect } from "vitest";
import { removeTemporaryDirectories, temporaryDirectory } from "../support/runnerProcess.ts";
import { BACKEND, EngineFolder, resource, test } from "../support/stateTest.ts";
import { waitFor } from "../support/waitFor.ts";

afterAll(() => removeTemporaryDirectories());

const configuration = (...resources: string[]) => ({
  "main.tf": BACKEND + resources.map((name) => resource(name)).join(""),
});

/** A configuration whose apply waits until a file is there. */
function waiting(): { files: Record<string, string>; begun: string; go: string } {
  const folder = temporaryDirectory("waits");
  const [begun, go] = [join(folder, "begun"), join(folder, "go")];
  const command = `touch ${begun}; while [ ! -e ${go} ]; do sleep 0.05; done`;
  const provisioner = `  provisioner "local-exec" {\n    command = ${JSON.stringify(command)}\n  }\n`;
  const files = { "main.tf": `${BACKEND}resource "terraform_data" "slow" {\n${provisioner}}\n` };
  return { files, begun, go };
}

test("apply, plan, list and destroy work on it, and every version is sealed", async ({ api, world }) => {
  const stack = await world.makeStack();
  const engine = new EngineFolder(configuration("one"), stack, world.writer.token);
  await engine.does("init");
  await engine.does("apply", "-auto-approve");
  expect(await engine.does("state", "list")).toBe("terraform_data.one\n");
  // Another machine, which has never seen it.
  const second = new EngineFolder(configuration("one", "two"), stack, world.writer.token);
  await second.does("init");
  expect((await second.run("plan", "-detailed-exitcode")).code).toBe(2);
  await second.does("apply", "-auto-approve");
  await engine.does("destroy", "-auto-approve", "-target=terraform_data.one");
  const versions = await world.versions(stack.stackKey);
  expect(versions.length).toBeGreaterThanOrEqual(3);
  expect(versions.map(({ number }) => Number(number))).toEqual(versions.map((_, i) => i + 1));
  expect(versions.at(-1)).toMatchObject({ origin: "push", created_by: world.writer.id, resources: "1" });
  const sealed = readFileSync(join(api.objectFolder, versions[0]?.object_key));
  expect(sealed.includes("terraform_data")).toBe(false);
  const [now] = await api.database.sql`select lock_id from stack_states where stack_key = ${stack.stackKey}`;
  expect(now?.lock_id).toBeNull();
});

describe("locks", () => {
  test("a second engine is told who is at work, and waits as it was asked to", async ({ world }) => {
    const stack = await world.makeStack();
    const { files, begun, go } = waiting();
    const [first, second] = [1, 2].map(() => new EngineFolder(files, stack, world.writer.token)) as [
      EngineFolder,
      EngineFolder,
    ];
    await first.does("init");
    await second.does("init");
    const applying = first.start("apply", "-auto-approve");
    await waitFor(async () => existsSync(begun), { what: "the first apply to be at work" });
    const refused = await second.run("apply", "-auto-approve");
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("Error acquiring the state lock");
    expect(refused.output).toMatch(/Who: +\S+@/);
    expect(refused.output).toMatch(/Operation: +OperationTypeApply/);
    const patient = second.start("plan", "-lock-timeout=60s");
    writeFileSync(go, "");
    expect((await applying.ended).code).toBe(0);
    expect((await patient.ended).output).toContain("No changes");
  });

  test("a killed engine leaves its lock; it is taken away with a reason, and the next one goes on", async ({
    api,
    world,
  }) => {
    const stack = await world.makeStack();
    const { files, begun, go } = waiting();
    const engine = new EngineFolder(files, stack, world.writer.token);
    await engine.does("init");
    const applying = engine.start("apply", "-auto-approve");
    await waitFor(async () => existsSync(begun), { what: "the apply to be at work" });
    process.kill(-(applying.child.pid as number), "SIGKILL");
    await applying.ended;
    writeFileSync(go, "");
    expect((await engine.run("apply", "-auto-approve")).output).toContain("Error acquiring the state lock");
    const held = await api.call("GET", `${stack.path}/state/lock`, { token: world.writer.token });
    expect(held.body).toMatchObject({ locked: true, operation: "OperationTypeApply", run_id: null });
    const freed = await api.call("POST", `${stack.path}/state/force-unlock`, {
      token: world.writer.token,
      body: { reason: "it was killed" },
    });
    expect(freed.status, freed.text).toBe(204);
    await engine.does("apply", "-auto-approve");
    const [entry] = await api.database.sql`
      select details from audit_log where org_id = ${world.orgId} and action = 'state.force_unlock'`;
    expect(entry?.details).toMatchObject({ reason: "it was killed", stack_id: stack.slug, lock_id: held.body.id });
  });

  test("an engine's own force-unlock takes the id that the refusal named", async ({ world }) => {
    const stack = await world.makeStack();
    const engine = new EngineFolder(configuration("one"), stack, world.writer.token);
    await engine.does("init");
    expect((await world.lock(stack, "0b1c")).status).toBe(200);
    expect((await engine.run("apply", "-auto-approve")).output).toContain("0b1c");
    await engine.does("force-unlock", "-force", "0b1c");
    await engine.does("apply", "-auto-approve");
  });

  test("engines that are killed at any moment lose no version that was answered and leave no half one", async ({
    api,
    world,
  }) => {
    const stack = await world.makeStack();
    const engine = new EngineFolder(configuration("one"), stack, world.writer.token);
    await engine.does("init");
    for (let round = 0; round < 6; round++) {
      engine.write({ "main.tf": BACKEND + resource("one", `round ${round}`) });
      const applying = engine.start("apply", "-auto-approve");
      const seen = waitFor(
        async () =>
          (await api.database.sql`select from stack_states where stack_key = ${stack.stackKey} and lock_id is not null`)
            .length > 0,
        { what: "a lock", timeoutMs: 45_000, everyMs: 5 },
      );
      await Promise.race([seen, applying.ended]);
      for (let i = 0; i < round * 4; i++) await new Promise(setImmediate);
      if (applying.child.exitCode === null) process.kill(-(applying.child.pid as number), "SIGKILL");
      await applying.ended;
      const held = await api.call("GET", `${stack.path}/state/lock`, { token: world.writer.token });
      if (held.body.locked) await engine.does("force-unlock", "-force", held.body.id);
    }
    await engine.does("apply", "-auto-approve");
    const versions = await world.versions(stack.stackKey);
    const serials = versions.map(({ serial }) => Number(serial));
    expect(serials).toEqual([...new Set(serials)].sort((a, b) => a - b));
    expect((await engine.run("plan", "-detailed-exitcode")).code).toBe(0);
  });
});

describe("what may not follow", () => {
  test("an older state and one of something else are refused; both are kept out", async ({ api, world }) => {
    const stack = await world.makeStack();
    const engine = new EngineFolder(configuration("one"), stack, world.writer.token);
    await engine.does("init");
    await engine.does("apply", "-auto-approve");
    const old = await engine.does("state", "pull");
    engine.write(configuration("one", "two"));
    await engine.does("apply", "-auto-approve");
    engine.write({ "old.tfstate": old, "other.tfstate": old.replace(/"lineage": "[^"]+"/, '"lineage": "another"') });
    const before = (await world.versions(stack.stackKey)).length;
    // The engine looks itself; forced, it leaves it to the service.
    for (const file of ["old.tfstate", "other.tfstate"]) {
      expect((await engine.run("state", "push", file)).code).toBe(1);
      const forced = await engine.run("state", "push", "-force", file);
      expect([forced.code, forced.output]).toEqual([1, expect.stringContaining("409")]);
    }
    expect((await world.versions(stack.stackKey)).length).toBe(before);
    const unfinished = await api.database
      .sql`select from state_versions where stack_key = ${stack.stackKey} and number is null`;
    expect(unfinished.length).toBe(0);
  });
});

describe("moving", () => {
  test("in, by init -migrate-state from a local state, and out again", async ({ world }) => {
    const stack = await world.makeStack();
    const engine = new EngineFolder({ "main.tf": resource("one") }, stack, world.writer.token);
    await engine.does("init");
    await engine.does("apply", "-auto-approve");
    engine.write({ "backend.tf": BACKEND });
    await engine.does("init", "-migrate-state", "-force-copy");
    rmSync(join(engine.cwd, "terraform.tfstate"));
    expect(await engine.does("state", "list")).toBe("terraform_data.one\n");
    expect(await world.versions(stack.stackKey)).toHaveLength(1);
    engine.write({ "backend.tf": 'terraform {\n  backend "local" {\n    path = "out.tfstate"\n  }\n}\n' });
    await engine.does("init", "-migrate-state", "-force-copy");
    expect(JSON.parse(readFileSync(join(engine.cwd, "out.tfstate"), "utf8")).resources).toHaveLength(1);
    expect(await engine.does("state", "list")).toBe("terraform_data.one\n");
  });

  test("in by state push, out by state pull", async ({ world }) => {
    const [from, to] = [await world.makeStack(), await world.makeStack()];
    const engine = new EngineFolder(configuration("one"), from, world.writer.token);
    await engine.does("init");
    await engine.does("apply", "-auto-approve");
    const moved = new EngineFolder(
      { ...configuration("one"), "in.tfstate": await engine.does("state", "pull") },
      to,
      world.writer.token,
    );
    await moved.does("init");
    await moved.does("state", "push", "in.tfstate");
    expect((await moved.run("plan", "-detailed-exitcode")).code).toBe(0);
  });
});

test("who may only read plans, and changes nothing; who may not read is never told that there is nothing", async ({
  world,
}) => {
  const stack = await world.makeStack();
  const writer = new EngineFolder(configuration("one"), stack, world.writer.token);
  await writer.does("init");
  await writer.does("apply", "-auto-approve");
  const reader = new EngineFolder(configuration("one"), stack, world.reader.token);
  await reader.does("init");
  expect((await reader.run("plan", "-lock=false", "-detailed-exitcode")).code).toBe(0);
  expect((await reader.run("apply", "-auto-approve")).output).toContain("invalid auth");
  const stranger = new EngineFolder(configuration("one"), stack, world.other.token);
  await stranger.run("init");
  const planned = await stranger.run("plan", "-lock=false");
  expect([planned.code, planned.output]).toEqual([1, expect.stringContaining("invalid auth")]);
});
