/**
 * Stored objects that do not open: cut, changed, swapped, of another key. Whoever fetches one hears of it at once and
 * by a code, never by a connection that breaks (docs/rules/runner-protocol.md#artifacts).
 */
import { randomBytes } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test as base, describe, expect } from "vitest";
import { sealCommand, storeCommand } from "../../src/core/deployments/rawCommands/rawCommand.ts";
import { createKeyring } from "../../src/platform/crypto/keyring.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sealedObjects } from "../../src/platform/objects/sealed.ts";
import { create, decide, makeOrg, makeStack } from "../support/fixtures.ts";
import { startPeopleApi } from "../support/peopleApi.ts";
import { coordinator, PLAN_WITH_CHANGES, runner, startRunnerApi } from "../support/runnerApi.ts";

const BYTES = 1_500_000;

const test = base
  .extend("people", { scope: "file" }, async ({}, { onCleanup }) => {
    const people = await startPeopleApi();
    onCleanup(() => people.close());
    return people;
  })
  .extend("runners", { scope: "file" }, async ({ people }, { onCleanup }) => {
    const runners = await startRunnerApi(people.database, { objects: people.objects, keyring: people.keyring });
    onCleanup(() => runners.close());
    return runners;
  })
  .extend("world", { scope: "file" }, async ({ people, runners }) => {
    const { database } = people;
    const org = await makeOrg(database);
    const { token } = await people.makeAccount(org.orgId, [["*", "*"]]);
    const accepted = async () => {
      const one = await runner(runners, org, await (await coordinator(runners, org)).claim());
      return { ...one, answer: await one.accept() };
    };

    /** A plan with all that its run stores, and the apply of it that goes on. */
    async function applying() {
      const stackKey = await makeStack(database, org.orgId);
      const [stack] = await database.sql`select slug from stacks where stack_key = ${stackKey}`;
      const id = await create(runners.service, stackKey);
      const plan = await accepted();
      for (const kind of ["plan", "tree"]) await plan.upload(kind, randomBytes(BYTES));
      await plan.upload("plan-text", Buffer.from(randomBytes(BYTES / 2).toString("hex")));
      await plan.upload("changes", Buffer.from("{}\n".repeat(500_000)));
      await plan.seal(0, randomBytes(500));
      expect((await plan.done(PLAN_WITH_CHANGES)).status).toBe(204);
      await decide(runners.service, database, id, "confirm", { action: "apply" } as never);
      const at = `/api/v1/orgs/${org.orgId}/stacks/${stack?.slug}/deployments/${id}`;
      return { at, id, plan, apply: await accepted() };
    }

    async function objectOf(runId: string, kind: string): Promise<string> {
      const [row] =
        kind === "log"
          ? await database.sql`select object_key from log_chunks where run_id = ${runId}`
          : await database.sql`select object_key from artifacts where run_id = ${runId} and kind = ${kind}`;
      return row?.object_key;
    }
    const fileOf = (key: string) => join(people.objectFolder, key);

    const DAMAGE: Record<string, (key: string, other: string) => Promise<unknown>> = {
      emptied: (key) => writeFile(fileOf(key), ""),
      cut: (key) => writeFile(fileOf(key), readFileSync(fileOf(key)).subarray(0, -1)),
      "cut to its half": (key) => {
        const bytes = readFileSync(fileOf(key));
        return writeFile(fileOf(key), bytes.subarray(0, bytes.length / 2));
      },
      changed: (key) => {
        const bytes = readFileSync(fileOf(key));
        bytes.writeUInt8(bytes.readUInt8(200) ^ 1, 200);
        return writeFile(fileOf(key), bytes);
      },
      swapped: (key, other) => writeFile(fileOf(key), readFileSync(fileOf(other))),
      "of a key that nobody has": (key) => {
        const foreign = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
        const store = openObjectStore(`file://${people.objectFolder}`);
        return sealedObjects(store, foreign).putSealed(
          key,
          { table: "x", column: "y", rowId: "z" },
          randomBytes(BYTES),
        );
      },
    };
    const get = (path: string, headers = {}) => people.call("GET", path, { token, headers });
    return { org, accepted, applying, objectOf, damage: DAMAGE, get, token };
  });

test.afterEach(({ runners, people }) => {
  expect(runners.unexpected).toEqual([]);
  expect(people.logged.filter(({ msg }) => msg === "a request failed unexpectedly")).toEqual([]);
});

/** Every reader of stored objects, and where it is shown below, or beside it, what becomes of one that is damaged. */
const READERS: Record<string, string> = {
  "src/core/runnerProtocol/artifactRoutes.ts": "an apply",
  "src/core/runnerProtocol/sourceRoutes.ts": "a local plan",
  "src/core/plans/planData.ts": "people",
  "src/core/logs/logChunks.ts": "people",
  "src/core/runs/analysisFile.ts": "caught by each of its callers, which then know nothing of the stack",
  "src/core/state/engineCalls.ts": "an engine and people: states.test",
  "src/core/state/compareVersions.ts": "people: states.test",
  "src/core/state/restoreVersion.ts": "people: states.test",
  "src/graph/explore/indexStack.ts": "a task, which is tried again",
};

test("the readers of stored objects are these", () => {
  const readers = globSync("src/**/*.ts").filter((file) => /\bgetSealed\(\s*[a-z]/.test(readFileSync(file, "utf8")));
  expect(readers.filter((file) => !file.startsWith("src/platform/")).sort()).toEqual(Object.keys(READERS).sort());
});

const HOW = ["emptied", "cut", "cut to its half", "changed", "swapped", "of a key that nobody has"];

describe.each(HOW)("an object that is %s", (how) => {
  test("is told to an apply that fetches it, and to people who read it", async ({ world }) => {
    const { at, plan, apply } = await world.applying();
    const another = await world.objectOf((await world.applying()).plan.run_id, "plan");
    for (const kind of ["plan", "tree"]) {
      await world.damage[how]?.(await world.objectOf(plan.run_id, kind), another);
      const answer = await apply.download(kind);
      expect([kind, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        kind,
        409,
        "artifact_damaged",
      ]);
    }
    const reads = [
      ["plan-text", "/plan/text"],
      ["changes", "/plan/changes"],
      ["log", "/logs"],
    ] as const;
    for (const [kind, path] of reads) {
      await world.damage[how]?.(await world.objectOf(plan.run_id, kind), another);
      const streams = kind === "log" ? [{}, { accept: "text/event-stream" }] : [{}];
      for (const headers of streams) {
        const { status, body } = await world.get(at + path, headers);
        expect([path, headers, status, body.code]).toEqual([path, headers, 503, "decryption_failed"]);
      }
    }
  });
});

test("damage far inside breaks the first transfer off, and the next one is told", async ({ people, world }) => {
  const { plan, apply } = await world.applying();
  const file = join(people.objectFolder, await world.objectOf(plan.run_id, "tree"));
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(1_400_000) ^ 1, 1_400_000);
  writeFileSync(file, bytes);
  await expect(apply.download("tree").then((answer) => answer.arrayBuffer())).rejects.toThrow();
  const next = await apply.download("tree");
  expect([next.status, ((await next.json()) as { code: string }).code]).toEqual([409, "artifact_damaged"]);
});

describe("what is sealed in a row for one run, and does not open, ends the run at its accept", () => {
  test("the variables of a plan: nothing is applied", async ({ people, runners, world }) => {
    const { sql } = people.database;
    const context = { name: "all", selector: {}, variables: [{ name: "TOKEN", value: "sealed-value", secret: true }] };
    const made = await people.call("POST", `/api/v1/orgs/${world.org.orgId}/contexts`, {
      token: world.token,
      body: context,
    });
    expect(made.status, made.text).toBe(201);
    const id = await create(runners.service, await makeStack(people.database, world.org.orgId));
    const plan = await world.accepted();
    await plan.upload("plan", randomBytes(8));
    await plan.done(PLAN_WITH_CHANGES);
    await sql`update plan_environments set sealed = substr(sealed, 1, length(sealed) - 1) where run_id = ${plan.run_id}`;
    await decide(runners.service, people.database, id, "confirm", { action: "apply" } as never);
    const apply = await world.accepted();
    expect(apply.answer.status).toBe(409);
    const [ended] = await sql`select status, error from deployments where id = ${id}`;
    expect(ended).toEqual({
      status: "failed",
      error: expect.stringMatching(/plan again. Nothing was applied \(variables_damaged\)/),
    });
    await people.call("DELETE", `/api/v1/orgs/${world.org.orgId}/contexts/${made.body.id}`, { token: world.token });
  });

  test("the script of a command: nothing is run", async ({ people, runners, world }) => {
    const { db, sql } = people.database;
    const id = await create(runners.service, await makeStack(people.database, world.org.orgId), { mode: "raw" });
    const command = await sealCommand(people.keyring, "terraform state list");
    await db.transaction((tx) => storeCommand(tx, id, command));
    await sql`update raw_commands set script = substr(script, 1, length(script) - 1) where deployment_id = ${id}`;
    const executor = await world.accepted();
    expect(executor.answer.status).toBe(409);
    const [ended] = await sql`select status, error from deployments where id = ${id}`;
    expect(ended).toEqual({
      status: "failed",
      error: expect.stringMatching(/run it again. Nothing was run \(command_damaged\)/),
    });
  });
});
