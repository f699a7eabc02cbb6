/**
 * With each driver, a real service behind the runs: the state that it keeps is locked, written and given back from
 * within the wall, and the files of identities are where the engine looks for them.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, describe, expect, vi } from "vitest";
import { create, decide, statuses } from "../support/fixtures.ts";
import { test, type World } from "../support/identitiesTest.ts";
import {
  commitFiles,
  type RunnerProcess,
  removeTemporaryDirectories,
  TOOL,
  temporaryDirectory,
} from "../support/runnerProcess.ts";
import { DRIVERS, walledRunner } from "../support/walls.ts";

const WAIT = { timeout: 90_000, interval: 50 };
vi.setConfig({ testTimeout: 180_000 });

let runner: RunnerProcess | undefined;
afterEach(async () => {
  runner?.child.kill("SIGTERM");
  await runner?.stop("SIGINT");
  runner = undefined;
});
afterAll(removeTemporaryDirectories);

const FILES = {
  files: [{ name: "one", audience: "tests.example", variable: "TF_VAR_token_file", use_in_previews: true }],
};

/** Shows the claims of the token whose path the plan has kept. */
const configuration = (world: string) => `variable "token_file" {}
resource "terraform_data" "one" {
  input = var.token_file
  provisioner "local-exec" {
    command = "cut -d. -f2 \${var.token_file} > ${world}/claims"
  }
}
`;

/** A plan of the stack, once it waits or has ended. */
async function planned({ app, database }: World, stackKey: string, commitSha: string): Promise<string> {
  const id = await create(app.service, stackKey, { commitSha });
  await expect
    .poll(async () => (await statuses(database, id)).deployment, WAIT)
    .toMatch(/^(?:waiting|finished|failed)$/);
  return id;
}

describe.each(DRIVERS)("with %s", (isolation) => {
  test("an apply writes the state under its lock, the next plan knows it, and the token is the apply's own", async ({
    world,
    database,
    app,
  }) => {
    const folder = temporaryDirectory("world");
    const source = commitFiles({ "main.tf": configuration(folder) });
    const stackKey = await world.stackWith({ identity_files: FILES }, { repository_url: source.url, tool: TOOL });
    const service = { url: app.baseUrl, groupId: world.org.id, privateKey: world.org.privateKeyPem };
    runner = walledRunner(service as never, isolation, folder, { repositories: [source.url] });
    const first = await planned(world, stackKey, source.commit);
    const { deployment, row } = await statuses(database, first);
    expect(deployment, row.error).toBe("waiting");
    await decide(app.service, database, first, "confirm", { action: "apply" });
    const states: unknown[] = [];
    await expect
      .poll(async () => {
        const [state] = await database.sql`
          select s.lock_run_id, r.kind, r.status from stack_states s join runs r on r.id = s.lock_run_id
          where s.stack_key = ${stackKey}`;
        if (state !== undefined) states.push([state.kind, state.status]);
        return (await statuses(database, first)).deployment;
      }, WAIT)
      .toMatch(/^(?:finished|failed)$/);
    const applied = await statuses(database, first);
    expect(applied.deployment, JSON.stringify(applied.runs)).toBe("finished");
    // Whenever somebody had the lock it was the apply, while it lived.
    for (const state of states) expect(state).toEqual(["apply_run", "running"]);
    const [kept] = await database.sql`
      select s.lock_id, v.resources, v.origin from stack_states s join state_versions v on v.id = s.version_id
      where s.stack_key = ${stackKey}`;
    expect(kept).toEqual({ lock_id: null, resources: "1", origin: "run" });
    const claims = JSON.parse(Buffer.from(readFileSync(path.join(folder, "claims"), "utf8"), "base64url").toString());
    expect(claims).toMatchObject({ phase: "apply", stack_key: stackKey });
    const again = await planned(world, stackKey, source.commit);
    const [run] = await database.sql`select plan_summary from runs where deployment_id = ${again}`;
    expect(run?.plan_summary).toMatchObject({ has_changes: false });
  });
});
