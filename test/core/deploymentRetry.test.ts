/** Retries of deployments: which, of what, and by whom (docs/rules/stacks.md). */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { retryDeployment } from "../../src/core/deployments/retry.ts";
import { connect } from "../../src/platform/db/client.ts";
import { create, decide } from "../support/fixtures.ts";
import { test } from "../support/stackLifeTest.ts";

describe("retry", () => {
  test("deploys the same commit with the old settings and targets", async ({ api, world }) => {
    const { key, path } = await world.newStack();
    const id = await create(api.service, key, { targets: ["terraform_data.a"] });
    expect(await world.retry(path, id)).toMatchObject({ status: 409, body: { code: "conflict" } });
    await decide(api.service, api.database, id, "cancel");
    await api.database.sql`update stacks set branch = 'other' where stack_key = ${key}`;
    await world.age(id);
    const answer = await world.retry(path, id);
    expect(answer).toMatchObject({
      status: 201,
      body: { branch: "main", status: "pending", stages: [{ run: { targets: ["terraform_data.a"] } }] },
    });
    expect(answer.body.id).not.toBe(id);
  });

  test("of a local deployment is a conflict", async ({ api, world }) => {
    const { key, path } = await world.newStack();
    const id = await create(api.service, key, { mode: "plan_unlocked", originType: "local" });
    await decide(api.service, api.database, id, "cancel");
    expect((await world.retry(path, id)).status).toBe(409);
  });

  test("twenty at once make one; the winner's Idempotency-Key gets its answer again", async ({ api, world }) => {
    const { key, path } = await world.newStack();
    const id = await create(api.service, key);
    await decide(api.service, api.database, id, "cancel");
    await world.age(id);
    const keys = Array.from({ length: 20 }, () => ({ "idempotency-key": randomUUID() }));
    const answers = await Promise.all(keys.map((headers) => world.retry(path, id, headers)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    const winner = answers.findIndex((answer) => answer.status === 201);
    const again = await world.retry(path, id, keys[winner]);
    expect(again).toMatchObject({ status: 201, body: { id: answers[winner]?.body.id } });
  });

  test("is a conflict for 5 s after another deployment of the same stack and commit, and only then", async ({
    api,
    world,
  }) => {
    const { key, path } = await world.newStack();
    const id = await create(api.service, key);
    await decide(api.service, api.database, id, "cancel");
    await world.age(id);
    const another = await create(api.service, key);
    await decide(api.service, api.database, another, "cancel");
    // The clock stands still.
    const [row] = await api.database.sql`select pg_get_functiondef('svc_now()'::regprocedure) as clock`;
    const stop = (ms: number) =>
      api.database.sql.unsafe(`create or replace function svc_now() returns timestamptz language sql volatile as
        $$ select created_at + interval '${ms} ms' from deployments where id = '${another}' $$`);
    try {
      await stop(4_999);
      expect((await world.retry(path, id)).status).toBe(409);
      await stop(5_000);
      expect((await world.retry(path, id)).status).toBe(201);
    } finally {
      await api.database.sql.unsafe(row?.clock);
    }
    // Another commit, and the same commit on another stack, are nobody's slip of the finger.
    const elsewhere = await world.newStack();
    for (const [stackKey, commitSha] of [
      [key, "b".repeat(40)],
      [elsewhere.key, undefined],
    ] as const) {
      const other = await create(api.service, stackKey, commitSha ? { commitSha } : {});
      await decide(api.service, api.database, other, "cancel");
      const slug = stackKey === key ? path : elsewhere.path;
      expect((await world.retry(slug, other)).status).toBe(201);
    }
  });

  test("of two that ended, from two processes at once: one is made, each time", async ({ api, world }) => {
    const copy = connect(api.database.url, { max: 4 });
    const [principal] = await api.database.sql`select id from service_accounts limit 1`;
    const as = { kind: "service_account", id: principal?.id, orgId: world.org.orgId, tokenId: null } as never;
    try {
      for (let round = 0; round < 15; round++) {
        const { key } = await world.newStack();
        const ended = [await create(api.service, key), await create(api.service, key)];
        for (const id of ended) {
          await decide(api.service, api.database, id, "cancel");
          await world.age(id);
        }
        const again = ended.map((id, i) =>
          retryDeployment(i ? { ...api.service, db: copy } : api.service, api.keyring, as, { id, stackKey: key }, null),
        );
        const ends = await Promise.allSettled(again);
        expect(ends.map((end) => end.status).sort()).toEqual(["fulfilled", "rejected"]);
        const made = await api.database
          .sql`select 1 from deployments where stack_key = ${key} and id not in ${api.database.sql(ended)}`;
        expect(made).toHaveLength(1);
      }
    } finally {
      await copy.$client.end({ timeout: 1 });
    }
  });

  test("needs the permission that creating needs", async ({ api, world }) => {
    const { key, path } = await world.newStack();
    const id = await create(api.service, key, { mode: "plan_unlocked" });
    await decide(api.service, api.database, id, "cancel");
    await world.age(id);
    const deployer = await api.makeAccount(world.org.orgId, [
      ["stack", "read"],
      ["stack", "deploy"],
    ]);
    const previewer = await api.makeAccount(world.org.orgId, [["stack", "preview"]]);
    expect((await api.call("POST", `${path}/deployments/${id}/retry`, { token: deployer.token })).status).toBe(404);
    expect((await api.call("POST", `${path}/deployments/${id}/retry`, { token: previewer.token })).status).toBe(201);
  });
});
