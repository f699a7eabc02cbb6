/** Planning an uploaded source: who may, and what is refused (docs/rules/deployments.md#local-plans). */
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect } from "vitest";
import { authorizeCancel, authorizeRetry } from "../../src/core/deployments/authorizeDeployment.ts";
import { COMMIT, create } from "../support/fixtures.ts";
import { refusedFields, test } from "../support/localSourcesTest.ts";
import { removeTemporaryDirectories } from "../support/runnerProcess.ts";

afterAll(() => {
  removeTemporaryDirectories();
});

describe("plan: 201", () => {
  test("always plan_unlocked, beside whoever holds the lane, and named by key and digest", async ({
    api,
    repository,
    world,
  }) => {
    const { slug, key } = await world.makeStack();
    await create(api.service, key);
    const source = await world.uploaded(slug);
    const answer = await world.plan(slug, { ...source, targets: ["module.a"], replaces: ["x.y"] });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      mode: "plan_unlocked",
      status: "pending",
      origin_type: "local",
      commit_sha: repository.commit,
      created_by: world.person.id,
      ...source,
      command_bytes: null,
      stages: [
        { kind: "plan_run", run: { status: "pending", state_locked: false, targets: ["module.a"], replaces: ["x.y"] } },
      ],
    });
    expect((await world.rows(key))[0]?.used_at).not.toBeNull();
  });

  test("the client may say which commit its files are based on, also where the repository cannot be read", async ({
    world,
  }) => {
    const { slug } = await world.makeStack({ repository_url: "file:///nowhere/at/all" });
    const source = await world.uploaded(slug);
    expect(await world.plan(slug, { ...source, commit_sha: COMMIT })).toMatchObject({
      status: 201,
      body: { commit_sha: COMMIT },
    });
    expect(await world.plan(slug, source)).toMatchObject({ status: 502, body: { code: "repository_unreachable" } });
  });

  test("one source serves several plans; the same key and body give the same one", async ({ api, world }) => {
    const { slug, key } = await world.makeStack();
    const source = await world.uploaded(slug);
    const headers = { "idempotency-key": randomUUID() };
    const answers = [
      await world.plan(slug, source, world.person.token, headers),
      await world.plan(slug, source, world.person.token, headers),
    ];
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    await world.plan(slug, { ...source, targets: ["module.b"] });
    const other = await world.plan(slug, { ...source, targets: ["module.b"] }, world.person.token, headers);
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect((await api.database.sql`select 1 from deployments where stack_key = ${key}`).length).toBe(2);
  });
});

describe("plan: refusals", () => {
  test("400, 401, 413 and 415 as everywhere; 404 for who may do everything but this", async ({ world }) => {
    const { slug } = await world.makeStack();
    expect((await world.plan(slug, "{")).status).toBe(400);
    expect((await world.plan(slug, {}, "nobody")).status).toBe(401);
    expect((await world.plan(slug, { targets: ["x".repeat(300_000)] })).status).toBe(413);
    expect((await world.plan(slug, "{}", world.person.token, { "content-type": "text/plain" })).status).toBe(415);
    const deployer = await world.holding(["stack", "read"], ["stack", "deploy"], ["stack", "preview"]);
    expect(await world.plan(slug, {}, deployer)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("422 names what does not fit", async ({ world }) => {
    const { slug } = await world.makeStack();
    const source = await world.uploaded(slug);
    const cases: [unknown, string[]][] = [
      [{}, ["local_source_key", "local_source_sha256"]],
      [{ ...source, local_source_key: "../etc" }, ["local_source_key"]],
      [{ ...source, local_source_key: randomUUID() }, ["local_source_key"]],
      [{ ...source, local_source_sha256: "0".repeat(64) }, ["local_source_sha256"]],
      [{ ...source, mode: "plan" }, ["mode"]],
      [{ ...source, commit_sha: "main" }, ["commit_sha"]],
      [{ ...source, excludes: ["a.b"] }, ["excludes"]],
      [{ ...source, targets: ["a.b"], excludes: ["c.d"] }, ["excludes"]],
    ];
    for (const [body, fields] of cases) {
      const answer = await world.plan(slug, body);
      expect(answer.status, JSON.stringify(body)).toBe(422);
      expect(refusedFields(answer), JSON.stringify(body)).toEqual(fields);
    }
  });

  test("422 for another stack's source, one not yet whole, and one that is being removed", async ({ api, world }) => {
    const [one, two] = [await world.makeStack(), await world.makeStack()];
    const source = await world.uploaded(one.slug);
    expect(refusedFields(await world.plan(two.slug, source))).toEqual(["local_source_key"]);
    const { sql } = api.database;
    await sql`update local_sources set size = null, sha256 = null where id = ${source.local_source_key}`;
    expect(refusedFields(await world.plan(one.slug, source))).toEqual(["local_source_key"]);
    const removed = await world.uploaded(one.slug);
    await sql`update local_sources set removed_at = svc_now() where id = ${removed.local_source_key}`;
    expect(refusedFields(await world.plan(one.slug, removed))).toEqual(["local_source_key"]);
  });
});

test("who may plan local files may cancel that plan, and no preview", async ({ api, org, world }) => {
  const { slug, key } = await world.makeStack();
  const { body } = await world.plan(slug, await world.uploaded(slug));
  const preview = await create(api.service, key, { mode: "plan_unlocked" });
  const credential = { kind: "service_account_token", tokenId: "t", tokenName: "t" } as const;
  const principal = async (action: string) => {
    const { id } = await api.makeAccount(org.orgId, [["stack", action]]);
    return { kind: "service_account", id, orgId: org.orgId, tokenId: null, credential } as const;
  };
  const [local, previewer] = [await principal("local_deploy"), await principal("preview")];
  const at = (deploymentId: string) => ({ orgId: org.orgId, stackId: slug, deploymentId });
  const { db } = api.database;
  for (const authorize of [authorizeCancel, authorizeRetry]) {
    expect((await authorize(db, local, at(body.id))).id).toBe(body.id);
    expect((await authorize(db, previewer, at(preview))).id).toBe(preview);
    await expect(authorize(db, local, at(preview))).rejects.toMatchObject({ status: 404 });
    await expect(authorize(db, previewer, at(body.id))).rejects.toMatchObject({ status: 404 });
  }
});
