/** What programs rely on: --json, plain output, connections that break, services that are older, large logs. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { longLogChunk } from "../../bench/console/volume.ts";
import { eachAtOnce } from "../../bench/harness/eachAtOnce.ts";
import { startProxy } from "../../bench/harness/proxy.ts";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { LOG_CHUNK_BYTES } from "../../src/core/runs/protocol.ts";
import { PLANS, cliTest as test } from "../support/cliTest.ts";

const lines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("--json", () => {
  test("is one object for what is read", async ({ world }) => {
    const stack = await world.stack();
    for (const args of [
      ["stacks"],
      ["stack", "show", stack],
      ["whoami"],
      ["ls"],
      ["queue", stack],
      ["graph", stack],
      ["profile", "list"],
    ]) {
      const { code, stdout } = await world.run([...args, "--json"]);
      expect([args, code, lines(stdout)]).toEqual([args, EXIT.done, [expect.any(Object)]]);
    }
  });

  test("is one event a line for what goes on, the last of them the end", async ({ world }) => {
    const stack = await world.stack();
    const program = world.start(["up", stack, "--auto-approve", "--json"]);
    await world.plan(PLANS.changes, "first\nsecond");
    await world.apply();
    expect(await program.exited).toBe(EXIT.done);
    const events = lines(program.stdout);
    expect(events[0]).toMatchObject({ event: "created", deployment: { stack_id: stack } });
    expect(events.at(-1)).toMatchObject({ event: "end", exit_code: 0, deployment: { status: "finished" } });
    const texts = events.filter(({ event, kind }) => event === "log" && kind === "plan_run").map(({ text }) => text);
    expect(texts.join("")).toBe("first\nsecond");
    expect(events).toContainEqual(expect.objectContaining({ event: "plan", summary: PLANS.changes.plan_summary }));
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(["created", "status", "log", "plan", "end"]));
  });

  test("is an object for what is refused, too", async ({ world }) => {
    const { code, stdout } = await world.run(["stack", "show", "nowhere", "--json"]);
    expect([code, lines(stdout)]).toEqual([
      EXIT.notFound,
      [expect.objectContaining({ event: "error", exit_code: 5, status: 404, code: "not_found" })],
    ]);
  });
});

test("--json goes through a pipe to a parser, line by line", async ({ world, folder }) => {
  const stack = await world.stack();
  const parser = join(folder, "parser.mjs");
  await writeFile(
    parser,
    `import { createInterface } from "node:readline";
    for await (const line of createInterface({ input: process.stdin })) console.log(JSON.parse(line).event);`,
  );
  const program = world.start(["up", stack, "--auto-approve", "--json"], { pipedInto: `node ${parser}` });
  await world.plan(PLANS.changes);
  await world.apply();
  expect(await program.exited).toBe(0);
  const said = program.stdout.trim().split("\n");
  expect([said[0], said.at(-1), said.includes("plan")]).toEqual(["created", "end", true]);
});

describe("plain output", () => {
  test("has no colours, moves or spinner without a terminal; of a hostile log nothing but text", async ({ world }) => {
    const program = world.start(["plan", await world.stack()]);
    await world.plan(PLANS.changes, "\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2Jplain\r\n");
    await program.exited;
    expect(program.stdout.startsWith("red plain\n")).toBe(true);
    expect(program.stdout + program.stderr).not.toContain("\u001b");
  });

  test("keeps the engine's colours at a terminal, unless NO_COLOR or CI ask for none", async ({ world }) => {
    for (const [env, colored] of [
      [{}, true],
      [{ NO_COLOR: "1" }, false],
    ] as const) {
      const program = world.start(["plan", await world.stack()], { terminal: true, env });
      await world.plan(PLANS.nothing, "\u001b[31mred\u001b[0m\u001b[2J\n");
      expect(await program.exited).toBe(EXIT.done);
      expect(program.stdout.includes("\u001b[31mred")).toBe(colored);
      expect(program.stdout).not.toContain("\u001b[2J");
    }
    const unattended = await world.run(["up", await world.stack()], { terminal: true, env: { CI: "true" } });
    expect(unattended.code).toBe(EXIT.usage);
  });
});

test("a log of 100 MiB comes whole, as a text and while it is watched", async ({ world, folder }) => {
  const stack = await world.stack();
  const program = world.start(["plan", stack, "--detach"]);
  expect(await program.exited).toBe(EXIT.done);
  const run = await world.nextRun();
  const id = program.stdout.trim();
  const CHUNKS = (100 * 1_048_576) / LOG_CHUNK_BYTES;
  const hash = createHash("sha256");
  const chunks = Array.from({ length: CHUNKS }, (_, index) => longLogChunk(index, LOG_CHUNK_BYTES));
  for (const chunk of chunks) hash.update(chunk);
  await eachAtOnce([...chunks.keys()], 8, (index) => run.seal(index, chunks[index]!).then(() => {}));
  await run.done({ status: "failure" });
  const digest = hash.digest("hex");
  for (const [args, code] of [
    [["logs", id], EXIT.done],
    [["watch", `${stack}/${id}`], EXIT.failed],
  ] as const) {
    const out = join(folder, "log");
    // Held neither by the program nor by this test.
    const read = await world.run(args, { into: out });
    expect([args[0], read.code, (await stat(out)).size]).toEqual([args[0], code, 100 * 1_048_576]);
    expect(
      createHash("sha256")
        .update(await readFile(out))
        .digest("hex"),
    ).toBe(digest);
  }
}, 180_000);

test("a connection that breaks in the middle of a log is taken up at the same byte", async ({ world }) => {
  const { hostname, port } = new URL(world.api.baseUrl);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const stack = await world.stack();
  const begun = await world.run(["plan", stack, "--detach"]);
  const run = await world.nextRun();
  const chunks = Array.from({ length: 200 }, (_, index) => longLogChunk(index, LOG_CHUNK_BYTES));
  await eachAtOnce([...chunks.keys()], 8, (index) => run.seal(index, chunks[index]!).then(() => {}));
  await run.done({ status: "failure" });
  const env = { DEPLOY_HOST: `http://127.0.0.1:${proxy.port}` };
  const program = world.start(["logs", `${stack}/${begun.stdout.trim()}`], { env });
  await program.sees(/Still creating/);
  proxy.cut();
  proxy.mend();
  expect(await program.exited).toBe(EXIT.done);
  expect(program.stdout).toBe(Buffer.concat(chunks).toString());
  await proxy.close();
});

test("a connection that is lost in the middle is taken up exactly there", async ({ world }) => {
  const { hostname, port } = new URL(world.api.baseUrl);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  const env = { DEPLOY_HOST: `http://127.0.0.1:${proxy.port}` };
  const stack = await world.stack();
  const program = world.start(["plan", stack, "--json"], { env });
  const run = await world.nextRun();
  await run.seal(0, Buffer.from("before\n"));
  await program.sees(/before/);
  proxy.cut();
  await run.seal(1, Buffer.from("while it was away\n"));
  proxy.mend();
  await program.sees(/while it was away/);
  proxy.cut();
  await run.seal(2, Buffer.from("and after\n"));
  await run.done(PLANS.nothing);
  proxy.mend();
  expect(await program.exited).toBe(EXIT.done);
  const texts = lines(program.stdout)
    .filter(({ event }) => event === "log")
    .map(({ text }) => text);
  expect(texts.join("")).toBe("before\nwhile it was away\nand after\n");
  await proxy.close();
});

test("an older service is told by the call that it does not have", async ({ world, old }) => {
  const env = { DEPLOY_HOST: await old("/api/v1/orgs/{org_id}/deployments") };
  const listed = await world.run(["ls"], { env });
  expect([listed.code, listed.stderr]).toEqual([
    EXIT.failed,
    expect.stringContaining("GET /api/v1/orgs/{org_id}/deployments"),
  ]);
  expect((await world.run(["stacks"], { env })).code).toBe(EXIT.done);
  expect((await world.run(["stack", "show", "nowhere"], { env })).code).toBe(EXIT.notFound);
});

test("any call can be made by hand", async ({ world }) => {
  const named = await world.run(["api", "GET", "/stacks?limit=1"]);
  expect([named.code, JSON.parse(named.stdout)]).toEqual([EXIT.done, { items: [], next_cursor: null }]);
  expect(JSON.parse((await world.run(["api", "get", "/api/v1/auth/me"])).stdout)).toMatchObject({
    kind: "service_account",
  });
  const fields = [
    "--field",
    "name=by hand",
    "--field",
    "repository_url=https://git.example/r",
    "--field",
    "branch=main",
    "--field",
    "deploy_on_push:=false",
  ];
  const made = await world.run(["api", "POST", "/stacks", ...fields]);
  expect(JSON.parse(made.stdout)).toMatchObject({ id: "by-hand", deploy_on_push: false });
  const refused = await world.run(["api", "GET", "/orgs/{org}/stacks/nowhere"]);
  expect([refused.code, JSON.parse(refused.stdout).code]).toEqual([EXIT.notFound, "not_found"]);
  expect((await world.run(["api", "GET", "//evil.example/"])).code).toBe(EXIT.usage);
});

describe("the stack", () => {
  test("is found by option, environment, file and repository, in this order", async ({ world, folder }) => {
    const [stack, other] = [await world.stack(), await world.stack()];
    const shown = async (args: string[], env = {}) =>
      JSON.parse((await world.run(["stack", "show", ...args, "--json"], { env })).stdout).id;
    await writeFile(join(folder, ".deploy.json"), JSON.stringify({ stack }));
    expect(await shown([])).toBe(stack);
    expect(await shown([], { DEPLOY_STACK: other })).toBe(other);
    expect(await shown(["--stack", other])).toBe(other);
    expect(await shown([other], { DEPLOY_STACK: stack })).toBe(other);
    await writeFile(join(folder, ".deploy.json"), "{");
    expect((await world.run(["stack", "show"])).code).toBe(EXIT.usage);
  });

  test("is that of the repository and directory where one stands", async ({ world, folder }) => {
    const stack = await world.stack();
    spawnSync("git", ["-C", folder, "init", "-q"]);
    spawnSync("git", ["-C", folder, "remote", "add", "origin", "git@git.example:acme/infra.git"]);
    const { stdout } = await world.run(["stack", "show", "--json"]);
    expect(JSON.parse(stdout).id).toBe(stack);
    await world.stack();
    const { code, stderr } = await world.run(["stack", "show"]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("Several stacks")]);
  });
});

test.for(["bash", "zsh", "fish"])("completion for %s knows every command", async (shell, { world }) => {
  const { code, stdout } = await world.run(["completion", shell]);
  expect(code).toBe(EXIT.done);
  for (const word of [
    "login",
    "up",
    "destroy",
    "confirm",
    "profile",
    "--auto-approve".slice(shell === "fish" ? 2 : 0),
  ]) {
    expect(stdout).toContain(word);
  }
  if (shell !== "bash") return;
  for (const [typed, offered] of [
    [["stack", "cr"], "create"],
    [["up", "--on-interrupt", ""], "cancel leave"],
    [["completion", "f"], "fish"],
    [["help", "exit"], "exit-codes"],
  ] as const) {
    const line = `COMP_WORDS=(deploy ${typed.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${typed.length}`;
    const script = `${stdout}\n${line}; _deploy; echo "\${COMPREPLY[@]}"`;
    expect([typed, spawnSync("bash", ["-c", script], { encoding: "utf8" }).stdout.trim()]).toEqual([typed, offered]);
  }
});
