/** `POST .../deployments/run-command`: its answers, and who may (docs/rules/deployments.md#raw-commands). */
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect } from "vitest";
import { authorizeCancel, authorizeRetry } from "../../src/core/deployments/authorizeDeployment.ts";
import type { Principal } from "../../src/http/principal.ts";
import { create, decide } from "../support/fixtures.ts";
import { test } from "../support/runCommandTest.ts";
import { removeTemporaryDirectories } from "../support/runnerProcess.ts";

afterAll(() => {
  removeTemporaryDirectories();
});

describe("201", () => {
  test("a raw deployment on the branch's head, with the command's length and not its text", async ({ api, world }) => {
    const { slug } = await world.makeStack();
    const script = "# ünïcode\nterraform state list\n";
    const answer = await world.run(slug, { script });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      mode: "raw",
      status: "pending",
      origin_type: "manual",
      commit_sha: world.source.commit,
      created_by: world.operator.id,
      command_bytes: Buffer.byteLength(script),
      local_source_key: null,
      stages: [{ kind: "raw_run", phase: "running", run: { kind: "raw_run", status: "pending", state_locked: true } }],
    });
    expect(answer.text).not.toContain("state list");
    const read = await api.call("GET", `${world.deployments(slug)}/${answer.body.id}`, { token: world.operator.token });
    expect(read.body).toEqual({ ...answer.body, waiting_for: read.body.waiting_for, temporal_ui_url: null });
    const log = await api.call("GET", `${world.deployments(slug)}/${answer.body.id}/events`, {
      token: world.operator.token,
    });
    expect(log.body.items).toMatchObject([{ kind: "created", actor_id: world.operator.id, details: {} }]);
    const [message] = api.service.sent.filter((sent) => JSON.stringify(sent).includes(answer.body.id));
    expect(message).toMatchObject({ kind: "startDeployment", mode: "raw" });
  });

  test("queues behind the lane's holder", async ({ api, world }) => {
    const { slug, key } = await world.makeStack();
    await create(api.service, key);
    const answer = await world.run(slug, { script: "true" });
    expect(answer.body).toMatchObject({ status: "queued", queue_position: 1, blocked_by: expect.any(String) });
  });

  test("the audit channel hears who ran how many bytes", async ({ api, world }) => {
    const { slug } = await world.makeStack();
    const { body } = await world.run(slug, { script: "true" });
    expect(api.service.audited.at(-1)).toEqual({
      action: "run_command",
      deploymentId: body.id,
      orgId: world.org.orgId,
      actorId: world.operator.id,
      command_bytes: 4,
    });
  });

  test("the same key and script give the same answer and one deployment; another script is 422", async ({ world }) => {
    const { slug, key } = await world.makeStack();
    const headers = { "idempotency-key": randomUUID() };
    const answers = await Promise.all(
      [1, 2, 3].map(() => world.run(slug, { script: "true" }, world.operator.token, headers)),
    );
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
    expect(await world.count(key)).toBe(1);
    const other = await world.run(slug, { script: "false" }, world.operator.token, headers);
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  });

  test("a script of exactly the cap", async ({ world }) => {
    const { slug } = await world.makeStack();
    const answer = await world.run(slug, { script: `: '${"ü".repeat(32_766)}'` });
    expect(answer).toMatchObject({ status: 201, body: { command_bytes: 65_536 } });
  });
});

describe("refusals", () => {
  test("400 for a body that is no JSON", async ({ world }) => {
    const { slug } = await world.makeStack();
    expect(await world.run(slug, "{script: true}")).toMatchObject({ status: 400, body: { code: "malformed_request" } });
  });

  test("401 without a token", async ({ api, world }) => {
    const { slug } = await world.makeStack();
    expect(
      (await api.call("POST", `${world.deployments(slug)}/run-command`, { body: { script: "true" } })).status,
    ).toBe(401);
  });

  test("404 for who may deploy but not run commands, whatever the body", async ({ world }) => {
    const { slug, key } = await world.makeStack();
    const deployer = await world.holding(["stack", "read"], ["stack", "deploy"], ["stack", "confirm"]);
    for (const body of [{ script: "true" }, { nonsense: 1 }, "{"]) {
      expect(await world.run(slug, body, deployer)).toMatchObject({ status: 404, body: { code: "not_found" } });
    }
    expect(await world.count(key)).toBe(0);
  });

  test("413 for a body beyond all scripts, 415 for another media type", async ({ world }) => {
    const { slug } = await world.makeStack();
    expect((await world.run(slug, { script: "x".repeat(300_000) })).status).toBe(413);
    const text = await world.run(slug, "true", world.operator.token, { "content-type": "text/plain" });
    expect(text).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
  });

  test.for([
    ["no script", {}, "is required"],
    ["an empty one", { script: "" }, "must not be empty"],
    ["one of blanks", { script: " \n\t" }, "must not be empty"],
    ["one longer than the cap", { script: "CANARY".repeat(10_923) }, "must have at most 65536 bytes"],
    ["one with NUL", { script: "CANARY\0" }, "must not contain NUL or half of a surrogate pair"],
    ["no text", { script: ["CANARY"] }, expect.any(String)],
  ] as const)("422 for %s, without repeating it", async ([_, body, message], { world }) => {
    const { slug } = await world.makeStack();
    const answer = await world.run(slug, body);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ field: "script", message }] } });
    expect(answer.text).not.toContain("CANARY");
  });

  test("422 for a field that is not known, and for a branch without a commit", async ({ world }) => {
    const { slug } = await world.makeStack();
    const unknown = await world.run(slug, { script: "true", mode: "plan" });
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ field: "mode" }] } });
    const branchless = await world.makeStack({ branch: "missing" });
    expect((await world.run(branchless.slug, { script: "true" })).status).toBe(422);
  });

  test("502 when the repository cannot be read; nothing was created", async ({ world }) => {
    const { slug, key } = await world.makeStack({ repository_url: "file:///nowhere/at/all" });
    expect(await world.run(slug, { script: "true" })).toMatchObject({
      status: 502,
      body: { code: "repository_unreachable" },
    });
    expect(await world.count(key)).toBe(0);
  });
});

test("who could have run it may cancel and retry it, and no other deployment", async ({ api, world }) => {
  const { slug, key } = await world.makeStack();
  const [raw, plan] = [await create(api.service, key, { mode: "raw" }), await create(api.service, key)];
  const principal: Principal = {
    kind: "service_account",
    id: (await api.makeAccount(world.org.orgId, [["stack", "run_command"]])).id,
    orgId: world.org.orgId,
    tokenId: null,
    credential: { kind: "service_account_token", tokenId: "t", tokenName: "t" },
  };
  const at = (deploymentId: string) => ({ orgId: world.org.orgId, stackId: slug, deploymentId });
  for (const authorize of [authorizeCancel, authorizeRetry]) {
    expect((await authorize(api.database.db, principal, at(raw))).id).toBe(raw);
    await expect(authorize(api.database.db, principal, at(plan))).rejects.toMatchObject({ status: 404 });
  }
});

describe("on a stack whose applies are looked at before", () => {
  const guarded = { labels: { guarded: "yes" } };
  const RULE = { name: "two", selector: guarded.labels, count: 2, approvers: {} };
  const POLICY = { name: "keep", enforcement: "mandatory", selector: guarded.labels, rules: { max_destroys: 0 } };

  test("a command is run by who may break the glass, and everybody is told", async ({ api, world }) => {
    const { sql } = api.database;
    const { slug, key } = await world.makeStack({ labels: sql.json(guarded.labels) });
    const admin = await world.holding(["*", "*"]);
    const base = `/api/v1/orgs/${world.org.orgId}`;
    const made = async (path: string, body: unknown) => {
      const answer = await api.call("POST", base + path, { token: admin, body });
      expect(answer.status, answer.text).toBe(201);
      return `${base}${path}/${answer.body.id}`;
    };
    const command = { script: "terraform state rm x" };
    const glass = { ...command, break_glass: "an outage" };
    const rule = await made("/approval-rules", RULE);
    const refused = await world.run(slug, command);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      ...[409, "approvals_missing", expect.stringContaining("rule two")],
    ]);
    expect((await world.run(slug, command, admin)).status).toBe(409);
    expect((await world.run(slug, glass)).status).toBe(404);
    expect(await world.count(key)).toBe(0);
    const breaker = await world.holding(["stack", "read"], ["stack", "run_command"], ["stack", "break_glass"]);
    const { status, body } = await world.run(slug, glass, breaker);
    expect(status).toBe(201);
    const [entry] =
      await sql`select details from audit_log where action = 'deployment.break_glass' and resource_id = ${body.id}`;
    expect(entry?.details).toMatchObject({ reason: "an outage", missing: ["rule two"] });
    expect((await world.events(body.id)).map(([name]) => name)).toContain("deployment_broke_glass");
    await decide(api.service, api.database, body.id, "cancel");
    await sql`update deployments set created_at = created_at - interval '6 seconds' where id = ${body.id}`;
    const again = await api.call("POST", `${world.deployments(slug)}/${body.id}/retry`, { token: breaker });
    expect([again.status, again.body.code]).toEqual([409, "approvals_missing"]);
    await made("/policies", POLICY);
    expect((await world.run(slug, glass, breaker)).status).toBe(403);
    expect((await world.run(slug, glass, admin)).status).toBe(201);
    await api.call("DELETE", rule, { token: admin });
    expect((await world.run(slug, command)).body).toMatchObject({ code: "policy_denied" });
    const [policy] = await sql`select id from policies where name = 'keep'`;
    await sql`insert into policy_exemptions (policy_id, stack_key, reason, ends_at, created_by, created_by_kind)
      values (${policy?.id}, ${key}, 'the move', svc_now() + interval '1 hour', 'x', 'user')`;
    expect((await world.run(slug, glass, admin)).status).toBe(409);
    expect((await world.run(slug, command)).status).toBe(201);
    await sql`update policies set enforcement = 'advisory'`;
    const other = await world.makeStack({ labels: sql.json(guarded.labels) });
    expect((await world.run(other.slug, command)).status).toBe(201);
  });
});
