/**
 * A stack's life: rename, hold and release, delete and forced delete, a new incarnation under an old name
 * (docs/rules/stacks.md).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { retryDeployment } from "../../src/core/deployments/retry.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { handBack } from "../../src/core/deployments/transitions/handBack.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { passRunDeadline } from "../../src/core/deployments/transitions/runDeadline.ts";
import { connect } from "../../src/platform/db/client.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { claim, create, decide, makeOrg, makeStack, statuses, type TestOrg } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: TestOrg;
let token: string;
beforeAll(async () => {
  api = await startPeopleApi();
  org = await makeOrg(api.database);
  token = (await api.makeAccount(org.orgId, [["stack", "*"]])).token;
});
afterAll(() => api.close());

async function newStack(settings: Record<string, unknown> = {}) {
  const key = await makeStack(api.database, org.orgId, settings);
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
  return { key, path: `/api/v1/orgs/${org.orgId}/stacks/${row?.slug}` };
}
const call = (method: string, path: string, body?: unknown) =>
  api.call(method, path, { token, ...(body === undefined ? {} : { body }) });

async function running(key: string) {
  const id = await create(api.service, key);
  const { runId, runnerId } = await claim(api.database, org, id);
  await acceptRun(api.service, runId, runnerId);
  return { id, runId, runnerId };
}

describe("rename", () => {
  test("changes id and name together, frees the old id, and the lane passes on under the new one", async () => {
    const { key, path } = await newStack();
    const { id, runId, runnerId } = await running(key);
    const next = await create(api.service, key);
    const name = `Renamed ${randomUUID()}`;
    const renamed = await call("PATCH", path, { name });
    expect(renamed).toMatchObject({ status: 200, body: { name, id: name.toLowerCase().replace(" ", "-") } });
    expect((await call("GET", path)).status).toBe(404);
    await reportDone(api.service, runId, runnerId, { status: "failure" });
    expect((await statuses(api.database, id)).deployment).toBe("failed");
    const answer = await call("GET", `/api/v1/orgs/${org.orgId}/stacks/${renamed.body.id}/deployments/${next}`);
    expect(answer.body).toMatchObject({ stack_id: renamed.body.id, status: "pending" });
    expect(
      (await api.database.sql`select data from domain_events where stack_key = ${key} and name = 'stack_renamed'`)[0]
        ?.data,
    ).toMatchObject({ stack_name: name });
  });

  test("to a taken name is a conflict, to a name the pattern does not cover the uniform 404; both change nothing", async () => {
    const [one, other] = [await newStack(), await newStack()];
    const taken = other.path.split("/").at(-1) as string;
    expect(await call("PATCH", one.path, { name: taken })).toMatchObject({ status: 409, body: { code: "conflict" } });
    const limited = await api.makeAccount(org.orgId, [
      ["stack", "update", { pattern: "stack-%" }],
      ["stack", "read"],
    ]);
    expect((await api.call("PATCH", one.path, { token: limited.token, body: { name: "production" } })).status).toBe(
      404,
    );
    expect((await call("GET", one.path)).body.name).toBe(one.path.split("/").at(-1));
  });
});

describe("hold and release", () => {
  test("a held stack promotes nothing; release promotes in its own transaction; repeating is fine", async () => {
    const { key, path } = await newStack();
    const holder = await create(api.service, key);
    const queued = await create(api.service, key);
    expect(await call("POST", `${path}/hold`, { reason: "incident" })).toMatchObject({
      status: 200,
      body: { hold_reason: "incident" },
    });
    const again = await call("POST", `${path}/hold`, { reason: "still the incident" });
    expect(again.body).toMatchObject({ hold_reason: "still the incident" });
    await decide(api.service, api.database, holder, "cancel");
    expect((await statuses(api.database, queued)).deployment).toBe("queued");
    expect((await call("GET", `${path}/queue`)).body).toMatchObject({
      holder: null,
      queued_count: 1,
      items: [{ id: queued, waiting_for: "The stack is on hold: still the incident." }],
    });
    expect((await call("POST", `${path}/release`)).body).toMatchObject({
      held_at: null,
      latest_deployment_status: "pending",
    });
    expect((await statuses(api.database, queued)).deployment).toBe("pending");
    expect((await call("POST", `${path}/release`)).status).toBe(200);
    expect((await call("POST", `${path}/hold`, {})).status).toBe(422);
  });

  test("release racing with creates and cancels never loses the lane", async () => {
    for (let round = 0; round < 20; round++) {
      const { key, path } = await newStack({ held_at: "2026-01-01", held_by: "x", hold_reason: "y" });
      const first = await create(api.service, key);
      await Promise.all([
        call("POST", `${path}/release`),
        create(api.service, key),
        decide(api.service, api.database, first, "cancel"),
        call("POST", `${path}/release`),
      ]);
      const rows = await api.database
        .sql`select status from deployments where stack_key = ${key} and status in ('queued', 'pending') order by status`;
      expect(rows.map((row) => row.status)).toEqual(["pending"]);
    }
  });
});

describe("delete", () => {
  test("is refused while a runner works, forced it ends everything, and other stacks go on", async () => {
    const { key, path } = await newStack();
    const { id, runId, runnerId } = await running(key);
    const queued = await create(api.service, key);
    expect(await call("DELETE", path)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await statuses(api.database, queued)).deployment).toBe("queued");
    expect((await call("DELETE", `${path}?force=yes`)).status).toBe(422);
    expect((await call("DELETE", `${path}?force=true`)).status).toBe(204);
    expect(await statuses(api.database, id)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
    expect(await statuses(api.database, queued)).toMatchObject({
      deployment: "cancelled",
      runs: ["plan_run:cancelled"],
    });
    expect((await call("GET", path)).status).toBe(404);
    expect((await call("DELETE", path)).status).toBe(404);
    expect(api.service.sent).toContainEqual({
      kind: "endLease",
      orgId: expect.any(String),
      runId,
      status: "cancelled",
    });
    expect(await reportDone(api.service, runId, runnerId, { status: "success" })).toMatchObject({
      code: "run_already_terminal",
    });
    const other = await newStack();
    expect((await statuses(api.database, await create(api.service, other.key))).deployment).toBe("pending");
  });

  test("without a runner at work needs no force, a claimed run included", async () => {
    const { key, path } = await newStack();
    const id = await create(api.service, key);
    await claim(api.database, org, id);
    expect((await call("DELETE", path)).status).toBe(204);
    expect(await statuses(api.database, id)).toMatchObject({ deployment: "cancelled", runs: ["plan_run:cancelled"] });
  });

  test("of a long queue takes as many statements as of a short one, and leaves what a cancel of each would", async () => {
    const { sql } = api.database;
    const one = await newStack();
    await create(api.service, one.key);
    const alone = await create(api.service, one.key, { mode: "destroy" });
    await decide(api.service, api.database, alone, "cancel");
    const trace = async (id: string, key: string) => {
      const named = (value: unknown) => JSON.stringify(value).replaceAll(id, "ID").replaceAll(key, "STACK");
      const [row] =
        await sql`select status, skipped_reason, error, cancel_requested_at, completed_at is not null as ended from deployments where id = ${id}`;
      const runs =
        await sql`select status, exit_code, error, completed_at is not null as ended, assigned_expires_at from runs where deployment_id = ${id}`;
      const stages =
        await sql`select kind, phase, completed_at is not null as ended from stages where deployment_id = ${id}`;
      const events =
        await sql`select kind, stage_id, details from deployment_events where deployment_id = ${id} order by created_at, id`;
      const facts =
        await sql`select name, run_id is not null as run, data from domain_events where deployment_id = ${id} order by occurred_at, id`;
      const audit =
        await sql`select action, resource_type, details - 'stack_id' as details from audit_log where resource_id = ${id} order by occurred_at, id`;
      const sent = api.service.sent.filter((message) => JSON.stringify(message).includes(id));
      return [row, runs, stages, events, facts, audit, sent].map(named);
    };
    const deleted = async (count: number) => {
      const { key, path } = await newStack();
      const holder = await create(api.service, key);
      const queued = await Promise.all(
        Array.from({ length: count }, () => create(api.service, key, { mode: "destroy" })),
      );
      const headers = { authorization: `Bearer ${token}` };
      const { result, statements } = await countStatements(
        async () => await api.app.request(path, { method: "DELETE", headers }),
      );
      expect(result.status).toBe(204);
      expect((await statuses(api.database, holder)).deployment).toBe("cancelled");
      return { key, queued, statements: statements.length };
    };
    const [short, long] = [await deleted(2), await deleted(60)];
    expect(long.statements).toBe(short.statements);
    const expected = await trace(alone, one.key);
    for (const id of long.queued) expect(await trace(id, long.key)).toEqual(expected);
  });

  test("a stack re-created under the old id is another one: late timers and reports do not reach it", async () => {
    const { key, path } = await newStack();
    const name = path.split("/").at(-1) as string;
    const { id, runId, runnerId } = await running(key);
    await call("DELETE", `${path}?force=true`);
    const reborn = await makeStack(api.database, org.orgId, { slug: name, name });
    const fresh = await create(api.service, reborn);
    await reportDone(api.service, runId, runnerId, { status: "success" });
    await passRunDeadline(api.service, runId);
    expect(await handBack(api.service, runId, 1, async () => {})).toBe(false);
    expect((await statuses(api.database, fresh)).deployment).toBe("pending");
    expect((await call("GET", `${path}/deployments/${id}`)).status).toBe(404);
    expect((await call("GET", `${path}/deployments/${fresh}`)).status).toBe(200);
  });

  test("racing with creates leaves nothing alive", async () => {
    for (let round = 0; round < 20; round++) {
      const { key, path } = await newStack();
      await create(api.service, key);
      const created = await Promise.allSettled([
        create(api.service, key),
        create(api.service, key),
        call("DELETE", path),
        create(api.service, key),
      ]);
      expect(created[2]).toMatchObject({ value: { status: 204 } });
      const alive = await api.database
        .sql`select id from deployments where stack_key = ${key} and completed_at is null`;
      expect(alive).toHaveLength(0);
    }
  });
});

describe("retry", () => {
  const retry = (path: string, id: string, headers?: Record<string, string>) =>
    api.call("POST", `${path}/deployments/${id}/retry`, { token, ...(headers ? { headers } : {}) });
  /** As if the deployment were old enough not to be a slip of the finger. */
  const age = (id: string) =>
    api.database.sql`update deployments set created_at = created_at - interval '6 seconds' where id = ${id}`;

  test("deploys the same commit with the old settings and targets", async () => {
    const { key, path } = await newStack();
    const id = await create(api.service, key, { targets: ["terraform_data.a"] });
    expect(await retry(path, id)).toMatchObject({ status: 409, body: { code: "conflict" } });
    await decide(api.service, api.database, id, "cancel");
    await api.database.sql`update stacks set branch = 'other' where stack_key = ${key}`;
    await age(id);
    const answer = await retry(path, id);
    expect(answer).toMatchObject({
      status: 201,
      body: { branch: "main", status: "pending", stages: [{ run: { targets: ["terraform_data.a"] } }] },
    });
    expect(answer.body.id).not.toBe(id);
  });

  test("of a local deployment is a conflict", async () => {
    const { key, path } = await newStack();
    const id = await create(api.service, key, { mode: "plan_unlocked", originType: "local" });
    await decide(api.service, api.database, id, "cancel");
    expect((await retry(path, id)).status).toBe(409);
  });

  test("twenty at once make one; the winner's Idempotency-Key gets its answer again", async () => {
    const { key, path } = await newStack();
    const id = await create(api.service, key);
    await decide(api.service, api.database, id, "cancel");
    await age(id);
    const keys = Array.from({ length: 20 }, () => ({ "idempotency-key": randomUUID() }));
    const answers = await Promise.all(keys.map((headers) => retry(path, id, headers)));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    const winner = answers.findIndex((answer) => answer.status === 201);
    const again = await retry(path, id, keys[winner]);
    expect(again).toMatchObject({ status: 201, body: { id: answers[winner]?.body.id } });
  });

  test("is a conflict for 5 s after another deployment of the same stack and commit, and only then", async () => {
    const { key, path } = await newStack();
    const id = await create(api.service, key);
    await decide(api.service, api.database, id, "cancel");
    await age(id);
    const another = await create(api.service, key);
    await decide(api.service, api.database, another, "cancel");
    // The clock stands still.
    const [row] = await api.database.sql`select pg_get_functiondef('svc_now()'::regprocedure) as clock`;
    const stop = (ms: number) =>
      api.database.sql.unsafe(`create or replace function svc_now() returns timestamptz language sql volatile as
        $$ select created_at + interval '${ms} ms' from deployments where id = '${another}' $$`);
    try {
      await stop(4_999);
      expect((await retry(path, id)).status).toBe(409);
      await stop(5_000);
      expect((await retry(path, id)).status).toBe(201);
    } finally {
      await api.database.sql.unsafe(row?.clock);
    }
    // Another commit, and the same commit on another stack, are nobody's slip of the finger.
    const elsewhere = await newStack();
    for (const [stackKey, commitSha] of [
      [key, "b".repeat(40)],
      [elsewhere.key, undefined],
    ] as const) {
      const other = await create(api.service, stackKey, commitSha ? { commitSha } : {});
      await decide(api.service, api.database, other, "cancel");
      const slug = stackKey === key ? path : elsewhere.path;
      expect((await retry(slug, other)).status).toBe(201);
    }
  });

  test("of two that ended, from two processes at once: one is made, each time", async () => {
    const copy = connect(api.database.url, { max: 4 });
    const [principal] = await api.database.sql`select id from service_accounts limit 1`;
    const as = { kind: "service_account", id: principal?.id, orgId: org.orgId } as never;
    try {
      for (let round = 0; round < 15; round++) {
        const { key } = await newStack();
        const ended = [await create(api.service, key), await create(api.service, key)];
        for (const id of ended) {
          await decide(api.service, api.database, id, "cancel");
          await age(id);
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

  test("needs the permission that creating needs", async () => {
    const { key, path } = await newStack();
    const id = await create(api.service, key, { mode: "plan_unlocked" });
    await decide(api.service, api.database, id, "cancel");
    await age(id);
    const deployer = await api.makeAccount(org.orgId, [
      ["stack", "read"],
      ["stack", "deploy"],
    ]);
    const previewer = await api.makeAccount(org.orgId, [["stack", "preview"]]);
    expect((await api.call("POST", `${path}/deployments/${id}/retry`, { token: deployer.token })).status).toBe(404);
    expect((await api.call("POST", `${path}/deployments/${id}/retry`, { token: previewer.token })).status).toBe(201);
  });
});

test("the queue is read in its order, the holder apart, in a bounded number of statements", async () => {
  const { key, path } = await newStack();
  const holder = await create(api.service, key);
  const queued = [];
  for (let i = 0; i < 5; i++) queued.push(await create(api.service, key));
  await decide(api.service, api.database, queued[3] as string, "prioritize");
  const { body } = await call("GET", `${path}/queue`);
  expect(body.holder.id).toBe(holder);
  expect(body.items.map((item: { id: string }) => item.id)).toEqual([
    queued[3],
    queued[0],
    queued[1],
    queued[2],
    queued[4],
  ]);
  expect(body.items.map((item: { queue_position: number }) => item.queue_position)).toEqual([1, 2, 3, 4, 5]);
  expect(body.items[0].blocked_by).toBe(holder);
});
