/** `deploy state`: what goes in comes out as it was, under a lock that nobody is left with. */
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { type CliWorld, cliTest as test } from "../support/cliTest.ts";
import { state } from "../support/stateTest.ts";

const text = (serial: number, more: object = {}) => JSON.stringify(state(serial, more));

const lockOf = async ({ api, org, token }: CliWorld, stack: string) =>
  (await api.call("GET", `/api/v1/orgs/${org}/stacks/${stack}/state/lock`, { token })).body;

test("a state is pushed, listed, pulled as it was, and rolled back", async ({ world, folder }) => {
  const stack = await world.stack();
  const file = join(folder, "state");
  await writeFile(file, text(1));
  const pushed = await world.run(["state", "push", stack, "--input", file]);
  expect([pushed.code, pushed.stdout, pushed.stderr]).toEqual([EXIT.done, "", expect.stringContaining("Version 1 is")]);
  const piped = await world.run(["state", "push", stack, "--input", "-", "--json"], { input: text(5) });
  expect([piped.code, JSON.parse(piped.stdout)]).toEqual([
    EXIT.done,
    expect.objectContaining({ number: 2, serial: 5, is_newest: true }),
  ]);
  expect(await lockOf(world, stack)).toMatchObject({ locked: false });

  const listed = await world.run(["state", "versions", stack]);
  expect(listed.stdout).toMatch(/^VERSION .*\n2 \(newest\) +5 .*push.*\n1 +1 .*push/);
  const one = JSON.parse((await world.run(["state", "versions", stack, "--json", "--limit", "1"])).stdout);
  expect([one.items.length, one.next_cursor]).toEqual([1, expect.any(String)]);

  const pulled = await world.run(["state", "pull", stack]);
  expect([pulled.code, pulled.stdout]).toEqual([EXIT.done, text(5)]);
  const older = join(folder, "older");
  expect((await world.run(["state", "pull", stack, "--at", "1", "--output", older])).code).toBe(EXIT.done);
  expect([await readFile(older, "utf8"), (await stat(older)).mode & 0o777]).toEqual([text(1), 0o600]);

  const rollback = ["state", "rollback", stack, "--to", "1", "--reason", "a bad import"];
  expect((await world.run(rollback)).code).toBe(EXIT.usage);
  const rolled = await world.run([...rollback, "--yes", "--json"]);
  expect([rolled.code, JSON.parse(rolled.stdout)]).toEqual([
    EXIT.done,
    expect.objectContaining({ number: 3, restores: 1, origin: "rollback" }),
  ]);
});

test("a person is asked before a rollback", async ({ world }) => {
  const stack = await world.stack();
  for (const serial of [1, 2]) {
    await world.run(["state", "push", stack, "--input", "-"], { input: text(serial) });
  }
  const rollback = ["state", "rollback", stack, "--to", "1", "--reason", "a bad import"];
  const program = world.start(rollback, { terminal: true });
  await program.sees(/back to version 1, serial 1\?/);
  program.type("\r");
  expect(await program.exited).toBe(EXIT.ended);
  expect(JSON.parse((await world.run(["state", "versions", stack, "--json"])).stdout).items).toHaveLength(2);
});

test("what cannot be done ends with its code", async ({ world }) => {
  const stack = await world.stack();
  const run = async (args: string[], input = "") => {
    const { code, stderr } = await world.run(["state", ...args], { input });
    return [code, stderr];
  };
  const push = (serial: number, more = {}) => run(["push", stack, "--input", "-"], text(serial, more));
  expect(await run(["pull", stack])).toEqual([EXIT.notFound, expect.stringContaining("keeps no state")]);
  expect(await run(["pull", "nowhere"])).toEqual([EXIT.notFound, expect.any(String)]);
  expect(await run(["push", stack])).toEqual([EXIT.usage, expect.stringContaining("--input")]);
  expect(await run(["push", stack, "--input", "-"], "no state")).toEqual([EXIT.usage, expect.any(String)]);
  expect(await push(2)).toEqual([EXIT.done, expect.any(String)]);
  expect(await push(1)).toEqual([EXIT.conflict, expect.stringContaining("serial 2")]);
  expect(await push(3, { lineage: "another" })).toEqual([EXIT.conflict, expect.stringContaining("lineage")]);
  expect(await run(["pull", stack, "--at", "7"])).toEqual([EXIT.notFound, expect.stringContaining("no version 7")]);
  const rollback = ["rollback", stack, "--to", "1", "--yes"];
  expect(await run(rollback)).toEqual([EXIT.usage, expect.stringContaining("--reason")]);

  const { api, org, token } = world;
  const body = { ID: "left", Who: "ada@laptop", Operation: "OperationTypeApply" };
  await api.call("PUT", `/api/v1/orgs/${org}/stacks/${stack}/state/lock`, { token, body });
  expect(await push(3)).toEqual([EXIT.conflict, expect.stringContaining("locked by ada@laptop")]);
  expect(await run([...rollback, "--reason", "r"])).toEqual([EXIT.conflict, expect.stringContaining("locked")]);
  expect(await lockOf(world, stack)).toMatchObject({ locked: true, id: "left" });
});

test("a state of many megabytes goes in and comes out whole", async ({ world, folder }) => {
  const stack = await world.stack();
  const large = text(1, { outputs: { filler: { type: "string", value: "0123456789abcdef".repeat(1_500_000) } } });
  const file = join(folder, "large");
  await writeFile(file, large);
  expect((await world.run(["state", "push", stack, "--input", file])).code).toBe(EXIT.done);
  const out = join(folder, "out");
  expect((await world.run(["state", "pull", stack, "--output", out])).code).toBe(EXIT.done);
  expect((await readFile(out)).equals(Buffer.from(large))).toBe(true);
});

test("a push that is interrupted gives its lock back", async ({ world, onTestFinished }) => {
  const stack = await world.stack();
  const slow = await neverStoring(world.api.baseUrl);
  onTestFinished(() => slow.close());
  const program = world.start(["state", "push", stack, "--input", "-"], {
    env: { DEPLOY_HOST: slow.url },
    input: text(1),
  });
  await slow.storing;
  expect(await lockOf(world, stack)).toMatchObject({ locked: true, operation: "state push" });
  program.kill("SIGTERM");
  expect(await program.exited).toBe(EXIT.interrupted);
  expect(await lockOf(world, stack)).toMatchObject({ locked: false });
});

/** Everything of the service but an answer to a state that is sent. */
async function neverStoring(target: string): Promise<{ url: string; storing: Promise<void>; close(): void }> {
  const { promise: storing, resolve } = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const { url = "/", method = "GET" } = request;
    if (method === "POST" && /\/state\?/.test(url)) {
      resolve();
      return;
    }
    const { host: _, connection: __, "transfer-encoding": ___, ...headers } = request.headers as Record<string, string>;
    const body = method === "GET" ? {} : { body: new Uint8Array(await buffer(request)) };
    const answer = await fetch(target + url, { method, headers, ...body });
    response
      .writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
      .end(Buffer.from(await answer.arrayBuffer()));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, storing, close };
}
