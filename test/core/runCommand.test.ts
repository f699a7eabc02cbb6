/**
 * `POST .../deployments/run-command`: its answers, and that the script is nowhere in the clear
 * (docs/rules/deployments.md#raw-commands).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { authorizeCancel, authorizeRetry } from "../../src/core/deployments/authorizeDeployment.ts";
import {
  copyRawCommand,
  openCommand,
  sealCommand,
  storeCommand,
} from "../../src/core/deployments/rawCommands/rawCommand.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { acknowledgeCancel, reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { Principal } from "../../src/http/principal.ts";
import { databaseText, formsIn } from "../support/databaseText.ts";
import { claim, create, decide, makeOrg, statuses } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";

let api: PeopleApi;
let org: { orgId: string; groupId: string };
let operator: { id: string; token: string };
let source: { url: string; commit: string };

beforeAll(async () => {
  api = await startPeopleApi({ git: { allowProtocol: ["file"], checkHost: async () => {} } });
  org = await makeOrg(api.database);
  operator = await api.makeAccount(org.orgId, [
    ["stack", "read"],
    ["stack", "run_command"],
  ]);
  source = commitFiles({ "main.tf": "# nothing\n" });
});
afterAll(async () => {
  await api.close();
  removeTemporaryDirectories();
});

async function makeStack(settings: Record<string, unknown> = {}): Promise<{ slug: string; key: string }> {
  const [stack] = await insertStacks(api.database.sql, org.orgId, 1, { repository_url: source.url, ...settings });
  return { slug: stack!.slug, key: stack!.stack_key };
}

const deployments = (slug: string) => `/api/v1/orgs/${org.orgId}/stacks/${slug}/deployments`;
const run = (slug: string, body: unknown, token = operator.token, headers: Record<string, string> = {}) =>
  api.call("POST", `${deployments(slug)}/run-command`, { token, body, headers });
const holding = async (...grants: Grant[]) => (await api.makeAccount(org.orgId, grants)).token;
const count = async (key: string) =>
  Number((await api.database.sql`select count(*) from deployments where stack_key = ${key}`)[0]?.count);

test("a retry runs the same script, sealed anew for its own row", async () => {
  const { slug } = await makeStack();
  const script = `echo ${randomUUID()}`;
  const first = await run(slug, { script });
  await decide(api.service, api.database, first.body.id, "cancel");
  await api.database
    .sql`update deployments set created_at = created_at - interval '6 seconds' where id = ${first.body.id}`;
  const again = await api.call("POST", `${deployments(slug)}/${first.body.id}/retry`, { token: operator.token });
  expect(again, again.text).toMatchObject({
    status: 201,
    body: { mode: "raw", command_bytes: Buffer.byteLength(script) },
  });
  const [row] = await api.database.sql`select id, script from raw_commands where deployment_id = ${again.body.id}`;
  expect(await openCommand(api.keyring, { id: row?.id, script: row?.script })).toBe(script);
});

describe("201", () => {
  test("a raw deployment on the branch's head, with the command's length and not its text", async () => {
    const { slug } = await makeStack();
    const script = "# ünïcode\nterraform state list\n";
    const answer = await run(slug, { script });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      mode: "raw",
      status: "pending",
      origin_type: "manual",
      commit_sha: source.commit,
      created_by: operator.id,
      command_bytes: Buffer.byteLength(script),
      local_source_key: null,
      stages: [{ kind: "raw_run", phase: "running", run: { kind: "raw_run", status: "pending", state_locked: true } }],
    });
    expect(answer.text).not.toContain("state list");
    const read = await api.call("GET", `${deployments(slug)}/${answer.body.id}`, { token: operator.token });
    expect(read.body).toEqual({ ...answer.body, waiting_for: read.body.waiting_for });
    const log = await api.call("GET", `${deployments(slug)}/${answer.body.id}/events`, { token: operator.token });
    expect(log.body.items).toMatchObject([{ kind: "created", actor_id: operator.id, details: {} }]);
    const [message] = api.service.sent.filter((sent) => JSON.stringify(sent).includes(answer.body.id));
    expect(message).toMatchObject({ kind: "startDeployment", mode: "raw" });
  });

  test("queues behind the lane's holder", async () => {
    const { slug, key } = await makeStack();
    await create(api.service, key);
    const answer = await run(slug, { script: "true" });
    expect(answer.body).toMatchObject({ status: "queued", queue_position: 1, blocked_by: expect.any(String) });
  });

  test("the audit channel hears who ran how many bytes", async () => {
    const { slug } = await makeStack();
    const { body } = await run(slug, { script: "true" });
    expect(api.service.audited.at(-1)).toEqual({
      action: "run_command",
      deploymentId: body.id,
      orgId: org.orgId,
      actorId: operator.id,
      command_bytes: 4,
    });
  });

  test("the same key and script give the same answer and one deployment; another script is 422", async () => {
    const { slug, key } = await makeStack();
    const headers = { "idempotency-key": randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => run(slug, { script: "true" }, operator.token, headers)));
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
    expect(await count(key)).toBe(1);
    const other = await run(slug, { script: "false" }, operator.token, headers);
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  });

  test("a script of exactly the cap", async () => {
    const { slug } = await makeStack();
    const answer = await run(slug, { script: `: '${"ü".repeat(32_766)}'` });
    expect(answer).toMatchObject({ status: 201, body: { command_bytes: 65_536 } });
  });
});

describe("refusals", () => {
  test("400 for a body that is no JSON", async () => {
    const { slug } = await makeStack();
    expect(await run(slug, "{script: true}")).toMatchObject({ status: 400, body: { code: "malformed_request" } });
  });

  test("401 without a token", async () => {
    const { slug } = await makeStack();
    expect((await api.call("POST", `${deployments(slug)}/run-command`, { body: { script: "true" } })).status).toBe(401);
  });

  test("404 for who may deploy but not run commands, whatever the body", async () => {
    const { slug, key } = await makeStack();
    const deployer = await holding(["stack", "read"], ["stack", "deploy"], ["stack", "confirm"]);
    for (const body of [{ script: "true" }, { nonsense: 1 }, "{"]) {
      expect(await run(slug, body, deployer)).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
    expect(await count(key)).toBe(0);
  });

  test("413 for a body beyond all scripts, 415 for another media type", async () => {
    const { slug } = await makeStack();
    expect((await run(slug, { script: "x".repeat(300_000) })).status).toBe(413);
    const text = await run(slug, "true", operator.token, { "content-type": "text/plain" });
    expect(text).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });

  test.each([
    ["no script", {}, "is required"],
    ["an empty one", { script: "" }, "must not be empty"],
    ["one of blanks", { script: " \n\t" }, "must not be empty"],
    ["one longer than the cap", { script: "CANARY".repeat(10_923) }, "must have at most 65536 bytes"],
    ["one with NUL", { script: "CANARY\0" }, "must not contain NUL or half of a surrogate pair"],
    ["no text", { script: ["CANARY"] }, expect.any(String)],
  ])("422 for %s, without repeating it", async (_, body, message) => {
    const { slug } = await makeStack();
    const answer = await run(slug, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "script", message }] } });
    expect(answer.text).not.toContain("CANARY");
  });

  test("422 for a field that is not known, and for a branch without a commit", async () => {
    const { slug } = await makeStack();
    const unknown = await run(slug, { script: "true", mode: "plan" });
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ field: "mode" }] } });
    const branchless = await makeStack({ branch: "missing" });
    expect((await run(branchless.slug, { script: "true" })).status).toBe(422);
  });

  test("502 when the repository cannot be read; nothing was created", async () => {
    const { slug, key } = await makeStack({ repository_url: "file:///nowhere/at/all" });
    expect(await run(slug, { script: "true" })).toMatchObject({
      status: 502,
      body: { code: "repository_unreachable" },
    });
    expect(await count(key)).toBe(0);
  });
});

test("the script is in no row, no stored object, no message, no log line and no audit line but sealed", async () => {
  const { slug, key } = await makeStack();
  const canary = `canary-${randomUUID()}`;
  const script = `export PASSWORD='${canary}'\nterraform state list\n`;
  const headers = { "idempotency-key": randomUUID() };
  const { body } = await run(slug, { script }, operator.token, headers);
  await run(slug, { script: `${script}#` }, operator.token, headers);
  await run(slug, { script, typo: canary });
  const { runId, runnerId } = await claim(api.database, org, body.id);
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

test("a retry's command is encrypted anew for its own row", async () => {
  const { key } = await makeStack();
  const [from, to] = [await create(api.service, key, { mode: "raw" }), await create(api.service, key, { mode: "raw" })];
  const command = await sealCommand(api.keyring, "echo again\n");
  await api.database.db.transaction(async (tx) => {
    await storeCommand(tx, from, command);
    await copyRawCommand(tx, api.keyring, from, to);
  });
  const [copy] = await api.database.sql`
    select c.id, c.script, d.command_bytes from raw_commands c join deployments d on d.id = c.deployment_id where d.id = ${to}`;
  expect(copy?.command_bytes).toBe(11);
  expect(copy?.id).not.toBe(command.id);
  expect(Buffer.from(copy?.script).equals(command.script)).toBe(false);
  expect(await openCommand(api.keyring, copy as never)).toBe("echo again\n");
});

describe("whatever its end, the lane passes on and one event says how long the command was", () => {
  async function started() {
    const { key } = await makeStack();
    const deploymentId = await create(api.service, key, { mode: "raw" });
    const command = await sealCommand(api.keyring, "true");
    await api.database.db.transaction((tx) => storeCommand(tx, deploymentId, command));
    const next = await create(api.service, key);
    return { deploymentId, next, ...(await claim(api.database, org, deploymentId)) };
  }
  const events = async (id: string) =>
    (
      await api.database
        .sql`select name, run_id, data from domain_events where deployment_id = ${id} order by occurred_at, id`
    ).map(({ name, data }) => [name, data.command_bytes ?? null, data.run_status ?? null]);

  test.each([
    ["success", "finished", "deployment_succeeded"],
    ["failure", "failed", "deployment_failed"],
    ["timed_out", "failed", "deployment_failed"],
    ["cancelled", "cancelled", "deployment_cancelled"],
  ] as const)("%s", async (end, status, name) => {
    const { deploymentId, next, runId, runnerId } = await started();
    await acceptRun(api.service, runId, runnerId);
    expect((await statuses(api.database, deploymentId)).deployment).toBe("applying");
    await reportDone(api.service, runId, runnerId, { status: end });
    expect((await statuses(api.database, deploymentId)).deployment).toBe(status);
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    const seen = await events(deploymentId);
    expect(seen.map(([event]) => event)).toContain(name);
    expect(seen.filter(([event]) => event === "run_command_executed")).toEqual([["run_command_executed", 4, end]]);
  });

  test("a cancel that its runner answers, though the command succeeded meanwhile", async () => {
    const { deploymentId, next, runId, runnerId } = await started();
    await acceptRun(api.service, runId, runnerId);
    await decide(api.service, api.database, deploymentId, "cancel");
    await acknowledgeCancel(api.service, runId, runnerId);
    await reportDone(api.service, runId, runnerId, { status: "success" });
    expect((await statuses(api.database, deploymentId)).deployment).toBe("cancelled");
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    expect((await events(deploymentId)).at(-1)).toEqual(["run_command_executed", 4, "cancelled"]);
  });

  test("a forced cancel", async () => {
    const { deploymentId, next, runId, runnerId } = await started();
    await acceptRun(api.service, runId, runnerId);
    await decide(api.service, api.database, deploymentId, "cancel");
    await decide(api.service, api.database, deploymentId, "cancel", { force: true });
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    expect((await events(deploymentId)).at(-1)).toEqual(["run_command_executed", 4, "cancelled"]);
  });

  test("no event for a command that no runner took", async () => {
    const { deploymentId, next } = await started();
    await decide(api.service, api.database, deploymentId, "cancel");
    expect((await statuses(api.database, next)).deployment).toBe("pending");
    expect((await events(deploymentId)).map(([name]) => name)).not.toContain("run_command_executed");
  });
});

test("who could have run it may cancel and retry it, and no other deployment", async () => {
  const { slug, key } = await makeStack();
  const [raw, plan] = [await create(api.service, key, { mode: "raw" }), await create(api.service, key)];
  const principal: Principal = {
    kind: "service_account",
    id: (await api.makeAccount(org.orgId, [["stack", "run_command"]])).id,
    orgId: org.orgId,
    credential: { kind: "service_account_token", tokenId: "t", tokenName: "t" },
  };
  const at = (deploymentId: string) => ({ orgId: org.orgId, stackId: slug, deploymentId });
  for (const authorize of [authorizeCancel, authorizeRetry]) {
    expect((await authorize(api.database.db, principal, at(raw))).id).toBe(raw);
    await expect(authorize(api.database.db, principal, at(plan))).rejects.toMatchObject({ status: 404 });
  }
});
