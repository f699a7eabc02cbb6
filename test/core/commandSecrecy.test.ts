/**
 * The script of a raw command is nowhere in the clear, retries and ends included
 * (docs/rules/deployments.md#raw-commands).
 */
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect } from "vitest";
import { openCommand, sealCommand } from "../../src/core/deployments/rawCommands/rawCommand.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { acknowledgeCancel, reportDone } from "../../src/core/deployments/transitions/report.ts";
import { databaseText, formsIn } from "../support/databaseText.ts";
import { ACTOR, claim, create, decide, statuses } from "../support/fixtures.ts";
import { test } from "../support/runCommandTest.ts";
import { removeTemporaryDirectories } from "../support/runnerProcess.ts";

afterAll(() => {
  removeTemporaryDirectories();
});

test("a retry runs the same script, sealed anew for its own row", async ({ api, world }) => {
  const { slug } = await world.makeStack();
  const script = `echo ${randomUUID()}`;
  const first = await world.run(slug, { script });
  await decide(api.service, api.database, first.body.id, "cancel");
  await api.database
    .sql`update deployments set created_at = created_at - interval '6 seconds' where id = ${first.body.id}`;
  const again = await api.call("POST", `${world.deployments(slug)}/${first.body.id}/retry`, {
    token: world.operator.token,
  });
  expect(again, again.text).toMatchObject({
    status: 201,
    body: { mode: "raw", command_bytes: Buffer.byteLength(script) },
  });
  const [row] = await api.database.sql`select id, script from raw_commands where deployment_id = ${again.body.id}`;
  expect(await openCommand(api.keyring, { id: row?.id, script: row?.script })).toBe(script);
});

test("the script is in no row, no stored object, no message, no log line and no audit line but sealed", async ({
  api,
  world,
}) => {
  const { slug, key } = await world.makeStack();
  const canary = `canary-${randomUUID()}`;
  const script = `export PASSWORD='${canary}'\nterraform state list\n`;
  const headers = { "idempotency-key": randomUUID() };
  const { body } = await world.run(slug, { script }, world.operator.token, headers);
  await world.run(slug, { script: `${script}#` }, world.operator.token, headers);
  await world.run(slug, { script, typo: canary });
  const { runId, runnerId } = await claim(api.database, world.org, body.id);
  await acceptRun(api.service, runId, runnerId);
  await reportDone(api.service, runId, runnerId, {
    status: "failure",
    exit_code: 3,
    error: "The command failed with exit code 3.",
  });
  const stored = await databaseText(api.database.sql);
  expect(stored).toContain(key);
  const everything = [
    stored,
    ...[api.service.sent, api.service.audited, api.logged].map((seen) => JSON.stringify(seen)),
  ].join("\n");
  expect(everything).toContain("run_command_executed");
  expect(formsIn(everything, canary)).toEqual([]);

  const [sealed] = await api.database.sql`select id, script from raw_commands where deployment_id = ${body.id}`;
  expect(await openCommand(api.keyring, sealed as never)).toBe(script);
  const moved = { id: randomUUID(), script: sealed?.script };
  await expect(openCommand(api.keyring, moved)).rejects.toThrow("could not be decrypted");
});

test("a retry's command is encrypted anew, and the audit channel hears of it as of the first", async ({
  api,
  world,
}) => {
  const { slug, key } = await world.makeStack();
  const { orgId } = world.org;
  const caller = await api.makeUser({ orgs: [orgId], grants: [["stack", "run_command"]] });
  const command = await sealCommand(api.keyring, "echo again\n");
  const from = await create(api.service, key, { mode: "raw", actor: ACTOR, command });
  await decide(api.service, api.database, from, "cancel");
  await api.database.sql`update deployments set created_at = created_at - interval '1 minute' where id = ${from}`;
  const before = api.service.audited.length;
  const retried = await api.call("POST", `${world.deployments(slug)}/${from}/retry`, caller);
  expect([retried.status, retried.text]).toEqual([201, expect.anything()]);
  const line = { action: "run_command", deploymentId: retried.body.id, orgId, actorId: caller.user, command_bytes: 11 };
  expect(api.service.audited.slice(before)).toEqual([line]);
  const [copy] = await api.database.sql`
    select c.id, c.script, d.command_bytes from raw_commands c join deployments d on d.id = c.deployment_id
    where d.id = ${retried.body.id}`;
  expect(copy?.command_bytes).toBe(11);
  expect(copy?.id).not.toBe(command.id);
  expect(Buffer.from(copy?.script).equals(command.script)).toBe(false);
  expect(await openCommand(api.keyring, copy as never)).toBe("echo again\n");
});

describe("whatever its end, the lane passes on and one event says how long the command was", () => {
  test.for([
    ["success", "finished", "deployment_succeeded"],
    ["failure", "failed", "deployment_failed"],
    ["timed_out", "failed", "deployment_failed"],
    ["cancelled", "cancelled", "deployment_cancelled"],
  ] as const)("%s", async ([end, status, name], { api, world }) => {
    const { deploymentId, next, runId, runnerId } = await world.started();
    await acceptRun(api.service, runId, runnerId);
    expect((await statuses(api.database, deploymentId)).deployment).toBe("applying");
    await reportDone(api.service, runId, runnerId, { status: end });
    expect((await statuses(api.database, deploymentId)).deployment).toBe(status);
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    const seen = await world.events(deploymentId);
    expect(seen.map(([event]) => event)).toContain(name);
    expect(seen.filter(([event]) => event === "run_command_executed")).toEqual([["run_command_executed", 4, end]]);
  });

  test("a cancel that its runner answers, though the command succeeded meanwhile", async ({ api, world }) => {
    const { deploymentId, next, runId, runnerId } = await world.started();
    await acceptRun(api.service, runId, runnerId);
    await decide(api.service, api.database, deploymentId, "cancel");
    await acknowledgeCancel(api.service, runId, runnerId);
    await reportDone(api.service, runId, runnerId, { status: "success" });
    expect((await statuses(api.database, deploymentId)).deployment).toBe("cancelled");
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    expect((await world.events(deploymentId)).at(-1)).toEqual(["run_command_executed", 4, "cancelled"]);
  });

  test("a forced cancel", async ({ api, world }) => {
    const { deploymentId, next, runId, runnerId } = await world.started();
    await acceptRun(api.service, runId, runnerId);
    await decide(api.service, api.database, deploymentId, "cancel");
    await decide(api.service, api.database, deploymentId, "cancel", { force: true });
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    expect((await world.events(deploymentId)).at(-1)).toEqual(["run_command_executed", 4, "cancelled"]);
  });

  test("no event for a command that no runner took", async ({ api, world }) => {
    const { deploymentId, next } = await world.started();
    await decide(api.service, api.database, deploymentId, "cancel");
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    expect((await world.events(deploymentId)).map(([name]) => name)).not.toContain("run_command_executed");
  });
});
