/** Hosted states by their routes: who may, what is answered, and what is kept (docs/state.md). */
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { removeStateVersions } from "../../src/core/state/removeVersions.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { ACTOR, create } from "../support/fixtures.ts";
import { state, test } from "../support/stateTest.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("base64");

describe("a lock", () => {
  test("is one person's at a time; the other is shown it; it is given back by its id", async ({ world }) => {
    const stack = await world.makeStack();
    expect((await world.lock(stack, "a")).status).toBe(200);
    // The answer was lost, and the engine asks again.
    expect((await world.lock(stack, "a")).status).toBe(200);
    const second = await world.lock(stack, "b");
    expect([second.status, second.body]).toEqual([423, expect.objectContaining({ ID: "a", Who: "somebody" })]);
    expect((await world.unlock(stack, "b")).status).toBe(423);
    expect((await world.send(stack, "POST", "?ID=b", { body: JSON.stringify(state(1)) })).status).toBe(423);
    expect((await world.unlock(stack, "a")).status).toBe(200);
    expect((await world.unlock(stack, "a")).status).toBe(200);
    expect((await world.send(stack, "PUT", "/lock", { body: '{"ID": "b"}' })).status).toBe(200);
    expect((await world.send(stack, "DELETE", "/lock?ID=b")).status).toBe(200);
  });

  test("is had by exactly one of many that ask at once", async ({ world }) => {
    const stack = await world.makeStack();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => world.lock(stack, `at-once-${i}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(423)]);
  });
});

describe("a state that is sent", () => {
  test("without a lock, with another's, or not as it was meant is stored nowhere", async ({ api, world }) => {
    const stack = await world.makeStack();
    const body = JSON.stringify(state(1));
    const post = (at: string, sent: string, headers = {}) => world.send(stack, "POST", at, { body: sent, headers });
    expect(await post("?ID=x", body)).toMatchObject({ status: 409, body: { code: "state_not_locked" } });
    await world.lock(stack, "x");
    expect((await post("", body)).status).toBe(423);
    expect((await post("?ID=x", body, { "content-md5": md5("other") })).status).toBe(422);
    expect((await post("?ID=x", body, { "content-md5": "short" })).status).toBe(400);
    expect((await post("?ID=x", '{"serial": 1}')).status).toBe(422);
    expect((await post("?ID=x", body.slice(0, -1))).status).toBe(422);
    expect((await post("?ID=x", body, { "content-md5": md5(body) })).status).toBe(200);
    const rows = await api.database.sql`select object_key from state_versions where stack_key = ${stack.stackKey}`;
    expect(rows).toHaveLength(1);
    expect(existsSync(join(api.objectFolder, rows[0]?.object_key))).toBe(true);
  });

  test("must rise and stay of one lineage; the same once more is a success and no new version", async ({ world }) => {
    const stack = await world.makeStack();
    expect((await world.push(stack, state(3))).status).toBe(200);
    expect((await world.push(stack, state(3))).status).toBe(200);
    expect(await world.push(stack, state(3, { outputs: { a: {} } }))).toMatchObject({
      status: 409,
      body: { code: "state_serial_stale" },
    });
    expect(await world.push(stack, state(2))).toMatchObject({ status: 409, body: { code: "state_serial_stale" } });
    expect(await world.push(stack, { ...state(9), lineage: "another" })).toMatchObject({
      status: 409,
      body: { code: "state_lineage_differs" },
    });
    expect((await world.push(stack, state(4))).status).toBe(200);
    expect((await world.versions(stack.stackKey)).map(({ serial }) => serial)).toEqual(["3", "4"]);
    const read = await world.send(stack, "GET");
    expect([read.status, JSON.parse(read.text)]).toEqual([200, state(4)]);
  });

  test("and is damaged since is told as such to whoever reads it, never taken for none", async ({ api, world }) => {
    const stack = await world.makeStack();
    for (const serial of [1, 2]) expect((await world.push(stack, state(serial))).status).toBe(200);
    const [older, newest] = await world.versions(stack.stackKey);
    for (const version of [older, newest]) {
      const file = join(api.objectFolder, version?.object_key);
      await writeFile(file, (await readFile(file)).subarray(0, -1));
    }
    const { token } = world.writer;
    const reads: [method: string, path: string, body?: object][] = [
      ["GET", ""],
      ["GET", `/versions/${newest?.id}/body`],
      ["GET", `/versions/${newest?.id}/changes?from=${older?.id}`],
      ["POST", `/versions/${older?.id}/restore`, { reason: "wrong" }],
    ];
    for (const [method, path, body] of reads) {
      const answer = await api.call(method, `${stack.path}/state${path}`, { token, ...(body && { body }) });
      expect([path, answer.status, answer.body.code]).toEqual([path, 503, "decryption_failed"]);
    }
    expect(await world.versions(stack.stackKey)).toHaveLength(2);
  });

  test("is refused where the stack keeps its state elsewhere", async ({ world }) => {
    const stack = await world.makeStack({ state_mode: "own" });
    expect(await world.lock(stack, "a")).toMatchObject({ status: 409, body: { code: "state_elsewhere" } });
    expect((await world.send(stack, "POST", "?ID=a", { body: "{}" })).body.code).toBe("state_elsewhere");
    expect((await world.send(stack, "GET")).status).toBe(204);
  });

  test("may be encrypted by its engine: it is kept as it is, and may hold resources", async ({ api, world }) => {
    const stack = await world.makeStack();
    const sealed = { serial: 1, lineage: "l", meta: {}, encrypted_data: "c2VhbGVk", encryption_version: "v0" };
    expect((await world.push(stack, sealed)).status).toBe(200);
    expect(JSON.parse((await world.send(stack, "GET")).text)).toEqual(sealed);
    const [version] = await world.versions(stack.stackKey);
    expect(version?.resources).toBeNull();
    const token = world.writer.token;
    const changes = await api.call("GET", `${stack.path}/state/versions/${version?.id}/changes`, { token });
    expect(changes.status).toBe(422);
    expect((await api.call("DELETE", stack.path, { token })).body.code).toBe("state_has_resources");
  });
});

describe("who", () => {
  test("may not, and whoever asks for what is not there, is refused alike with 403", async ({ api, world }) => {
    const stack = await world.makeStack();
    await world.push(stack, state(1));
    const missing = { address: stack.address.replace(stack.slug, "not-there") };
    const stranger = (await api.makeAccount(await api.makeOrg(), [["*", "*"]])).token;
    for (const [method, at] of [
      ["GET", ""],
      ["POST", "?ID=a"],
      ["DELETE", ""],
      ["LOCK", "/lock"],
      ["UNLOCK", "/lock"],
    ] as const) {
      const body = method === "GET" || at === "" ? {} : { body: '{"ID": "a"}' };
      const answers = [
        await world.send(stack, method, at, { token: world.other.token, ...body }),
        await world.send(stack, method, at, { token: stranger, ...body }),
        await world.send(missing, method, at, body),
      ];
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, method).toBe(1);
      expect(answers[0]?.status).toBe(403);
    }
    expect((await world.send(stack, "GET", "", { token: "nonsense" })).status).toBe(401);
    expect((await world.send(stack, "GET", "", { token: world.reader.token })).status).toBe(200);
    expect((await world.lock(stack, "a", { token: world.reader.token })).status).toBe(403);
  });

  test("reads is in the audit trail; a HEAD reads nothing", async ({ api, world }) => {
    const stack = await world.makeStack();
    await world.push(stack, state(1));
    await world.send(stack, "GET", "", { token: world.reader.token });
    expect((await world.send(stack, "HEAD", "", { token: world.reader.token })).status).toBe(405);
    const entries = await api.database.sql`
      select action, actor_id from audit_log where org_id = ${world.orgId} and resource_id = ${stack.slug} order by id`;
    expect(entries.map(({ action }) => action)).toEqual(["state.lock", "state.push", "state.unlock", "state.read"]);
    expect(entries.at(-1)?.actor_id).toBe(world.reader.id);
  });
});

describe("versions", () => {
  const withResource = (serial: number, input: string) =>
    state(serial, {
      outputs: { id: { value: input, type: "string" } },
      resources: [
        {
          mode: "managed",
          type: "terraform_data",
          name: "one",
          provider: 'provider["terraform.io/builtin/terraform"]',
          instances: [{ index_key: "a b", attributes: { id: "x", input: `secret-${input}` } }],
        },
      ],
    });

  test("are compared without the secrets of contexts in the keys of their instances", async ({ api, world }) => {
    const admin = await api.makeAccount(world.orgId, [["*", "*"]]);
    const variables = [
      { name: "TF_VAR_key", value: 'of "one"', secret: true },
      { name: "TF_VAR_keys", value: JSON.stringify(["first-of-a-list", "second-of-it"]), secret: true },
      { name: "TF_VAR_zone", value: "eu-west", secret: false },
    ];
    const body = { name: "keys", selector: {}, variables };
    const made = await api.call("POST", `/api/v1/orgs/${world.orgId}/contexts`, { token: admin.token, body });
    expect(made.status, made.text).toBe(201);
    const stack = await world.makeStack();
    const instances = ['of "one"', "first-of-a-list", "eu-west", 0].map((index_key) => ({ index_key, attributes: {} }));
    const each = { mode: "managed", type: "terraform_data", name: "each", instances };
    expect((await world.push(stack, state(1, { resources: [each] }))).status).toBe(200);
    const [version] = await world.versions(stack.stackKey);
    const { token } = world.writer;
    const changes = await api.call("GET", `${stack.path}/state/versions/${version?.id}/changes`, { token });
    expect(changes.body.items.map(({ address }: { address: string }) => address).sort()).toEqual([
      'terraform_data.each["***"]',
      'terraform_data.each["***"]',
      'terraform_data.each["eu-west"]',
      "terraform_data.each[0]",
    ]);
  });

  test("are listed, read, compared without a value, and brought back", async ({ api, world }) => {
    const stack = await world.makeStack();
    for (const [serial, input] of [
      [1, "old"],
      [2, "new"],
    ] as const)
      await world.push(stack, withResource(serial, input));
    await world.push(stack, state(3));
    const token = world.writer.token;
    const get = (at: string) => api.call("GET", `${stack.path}/state${at}`, { token });
    const { items, next_cursor } = (await get("/versions?limit=2")).body;
    expect(items).toMatchObject([
      { number: 3, serial: 3, is_newest: true, resources: 0, origin: "push", created_by: { id: world.writer.id } },
      { number: 2, serial: 2, is_newest: false, resources: 1 },
    ]);
    const last = (await get(`/versions?limit=2&cursor=${next_cursor}`)).body;
    expect(last).toMatchObject({ items: [{ number: 1 }], next_cursor: null });
    const changed = await get(`/versions/${items[1].id}/changes`);
    expect(changed.body).toEqual({
      from: last.items[0].id,
      to: items[1].id,
      complete: true,
      items: [
        { kind: "output", address: "output.id", action: "change", attributes: ["value"] },
        { kind: "resource", address: 'terraform_data.one["a b"]', action: "change", attributes: ["input"] },
      ],
    });
    expect(changed.text).not.toContain("secret");
    const gone = await get(`/versions/${items[0].id}/changes?from=${last.items[0].id}`);
    expect(gone.body.items).toMatchObject([{ action: "destroy" }, { action: "destroy" }]);
    expect(JSON.parse((await get(`/versions/${last.items[0].id}/body`)).text)).toEqual(withResource(1, "old"));

    const restore = () =>
      api.call("POST", `${stack.path}/state/versions/${items[1].id}/restore`, { token, body: { reason: "wrong" } });
    await world.lock(stack, "held");
    expect((await restore()).body.code).toBe("state_locked");
    await world.unlock(stack, "held");
    const restored = await restore();
    expect(restored.body).toMatchObject({ number: 4, serial: 2, origin: "rollback", restores: 2, is_newest: true });
    expect(JSON.parse((await world.send(stack, "GET")).text)).toEqual(withResource(2, "new"));
    expect((await world.push(stack, state(3))).status).toBe(200);
  });

  test("cannot be brought back while the lane is taken", async ({ api, world }) => {
    const stack = await world.makeStack();
    await world.push(stack, state(1));
    await create(api.service, stack.stackKey, { actor: ACTOR });
    const [version] = await world.versions(stack.stackKey);
    const answer = await api.call("POST", `${stack.path}/state/versions/${version?.id}/restore`, {
      token: world.writer.token,
      body: { reason: "wrong" },
    });
    expect(answer.body.code).toBe("state_in_use");
  });

  test("stay after the state was deleted, and number on", async ({ world }) => {
    const stack = await world.makeStack();
    await world.push(stack, state(7));
    expect((await world.send(stack, "DELETE")).status).toBe(200);
    expect((await world.send(stack, "GET")).status).toBe(204);
    expect((await world.push(stack, { ...state(1), lineage: "a new one" })).status).toBe(200);
    expect((await world.versions(stack.stackKey)).map(({ number }) => number)).toEqual(["1", "2"]);
  });

  test("of another stack are nobody's here", async ({ api, world }) => {
    const [one, two] = [await world.makeStack(), await world.makeStack()];
    await world.push(one, state(1));
    const [version] = await world.versions(one.stackKey);
    for (const id of [version?.id, randomUUID(), "nonsense"]) {
      const answer = await api.call("GET", `${two.path}/state/versions/${id}/body`, { token: world.writer.token });
      expect(answer.status).toBe(404);
    }
  });
});

describe("retention", () => {
  const DAYS = 24 * 3_600_000;

  test("keeps the newest by number and the young, and removes what was never whole", async ({ api, world }) => {
    const { sql } = api.database;
    const stack = await world.makeStack();
    for (let serial = 1; serial <= 6; serial++) await world.push(stack, state(serial));
    // As with a limit of two: marked when a newer one came.
    await sql`update state_versions set beyond_last = true where stack_key = ${stack.stackKey} and number <= 4`;
    await sql`update state_versions set created_at = svc_now() - interval '40 days' where stack_key = ${stack.stackKey} and number <> 2`;
    const [unfinished] = await sql`
      insert into state_versions (org_id, stack_key, object_key, origin, created_by, created_by_kind, created_at)
      values (${world.orgId}, ${stack.stackKey}, ${`states/${randomUUID()}`}, 'push', 'x', 'user', svc_now() - interval '2 days') returning id`;
    const store = openObjectStore(`file://${api.objectFolder}`);
    const before = await world.versions(stack.stackKey);
    const keep = { keepVersions: 2, stateVersionsMs: 30 * DAYS };
    expect(await removeStateVersions(api.database.db, store, keep)).toEqual({ stateVersions: 4 });
    const left = await world.versions(stack.stackKey);
    expect(left.map(({ number }) => Number(number))).toEqual([2, 5, 6]);
    expect(await sql`select from state_versions where id = ${unfinished?.id}`).toHaveLength(0);
    const there = before.map(({ object_key }) => existsSync(join(api.objectFolder, object_key)));
    expect(there).toEqual([false, true, false, false, true, true]);
  });

  test("of a deleted stack ends all of it, the newest too, once its time is over", async ({ api, world }) => {
    const { sql } = api.database;
    const stack = await world.makeStack();
    await world.push(stack, state(1));
    const store = openObjectStore(`file://${api.objectFolder}`);
    const keep = { keepVersions: 2, stateVersionsMs: 30 * DAYS };
    await sql`update stacks set deleted_at = svc_now() - interval '31 days' where stack_key = ${stack.stackKey}`;
    await removeStateVersions(api.database.db, store, keep);
    expect(await world.versions(stack.stackKey)).toHaveLength(1);
    await sql`update state_versions set created_at = svc_now() - interval '40 days' where stack_key = ${stack.stackKey}`;
    await removeStateVersions(api.database.db, store, keep);
    expect(await world.versions(stack.stackKey)).toHaveLength(0);
  });
});

test("a thousand versions are written and read page by page, the last as fast as the first", {
  timeout: 120_000,
}, async ({ api, world }) => {
  const stack = await world.makeStack();
  await world.lock(stack, "many");
  const took: number[] = [];
  for (let serial = 1; serial <= 1_000; serial++) {
    const started = performance.now();
    const answer = await world.send(stack, "POST", "?ID=many", { body: JSON.stringify(state(serial)) });
    took.push(performance.now() - started);
    expect(answer.status).toBe(200);
  }
  const mean = (part: number[]) => part.reduce((sum, ms) => sum + ms, 0) / part.length;
  expect(mean(took.slice(-200))).toBeLessThan(3 * mean(took.slice(0, 200)) + 5);
  let cursor = "";
  const numbers: number[] = [];
  do {
    const page = await api.call("GET", `${stack.path}/state/versions?limit=200${cursor}`, {
      token: world.writer.token,
    });
    numbers.push(...page.body.items.map(({ number }: { number: number }) => number));
    cursor = page.body.next_cursor === null ? "" : `&cursor=${page.body.next_cursor}`;
  } while (cursor !== "");
  expect(numbers).toEqual(Array.from({ length: 1_000 }, (_, i) => 1_000 - i));
  const [marked] = await api.database.sql`
    select count(*)::int as n from state_versions where stack_key = ${stack.stackKey} and beyond_last`;
  expect(marked?.n).toBe(900);
});

test("100 MB pass through without being held", { timeout: 120_000 }, async ({ world }) => {
  const stack = await world.makeStack();
  await world.lock(stack, "big");
  const filler = "x".repeat(1_000);
  const instances = Array.from({ length: 100_000 }, (_, i) => `{"index_key":${i},"attributes":{"input":"${filler}"}}`);
  const text = `{"version":4,"serial":1,"lineage":"l","resources":[{"mode":"managed","type":"a","name":"b","instances":[${instances.join(",")}]}]}`;
  const bytes = new Uint8Array(Buffer.from(text));
  const digest = createHash("sha256").update(bytes).digest("hex");
  expect((await world.send(stack, "POST", "?ID=big", { body: bytes })).status).toBe(200);
  const [version] = await world.versions(stack.stackKey);
  expect(version).toMatchObject({ size: String(bytes.length), sha256: digest, resources: "1" });
  const read = await fetch(stack.address, { headers: { authorization: world.basic(world.reader.token) } });
  const hash = createHash("sha256");
  for await (const chunk of read.body as unknown as AsyncIterable<Uint8Array>) hash.update(chunk);
  expect(hash.digest("hex")).toBe(digest);
});
