/**
 * Uploading a source, planning it, and its removal: every answer, and what is left behind
 * (docs/rules/deployments.md#local-plans).
 */
import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { authorizeCancel, authorizeRetry } from "../../src/core/deployments/authorizeDeployment.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import { removeSources } from "../../src/core/localSources/removeSources.ts";
import { MAX_SOURCE_BYTES, sourcePlace } from "../../src/core/localSources/source.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import { COMMIT, claim, create, makeOrg } from "../support/fixtures.ts";
import { type Answer, type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";

const DAY = 86_400_000;
const RETENTION = 7 * DAY;

let api: PeopleApi;
let org: { orgId: string; groupId: string };
let person: { id: string; token: string };
let repository: { url: string; commit: string };
const archive = archiveOfFiles({ "main.tf": "# CANARY of an archive\n" });

beforeAll(async () => {
  api = await startPeopleApi({ git: { allowProtocol: ["file"], checkHost: async () => {} } });
  org = await makeOrg(api.database);
  person = await newPerson();
  repository = commitFiles({ "main.tf": "# committed\n" });
});
afterAll(async () => {
  await api.close();
  removeTemporaryDirectories();
});

const newPerson = () =>
  api.makeAccount(org.orgId, [
    ["stack", "read"],
    ["stack", "local_deploy"],
  ]);

async function makeStack(settings: Record<string, unknown> = {}): Promise<{ slug: string; key: string }> {
  const [stack] = await insertStacks(api.database.sql, org.orgId, 1, { repository_url: repository.url, ...settings });
  return { slug: stack!.slug, key: stack!.stack_key };
}

const stackPath = (slug: string) => `/api/v1/orgs/${org.orgId}/stacks/${slug}`;
const holding = async (...grants: Grant[]) => (await api.makeAccount(org.orgId, grants)).token;

type Sent = { query?: string; token?: string; headers?: Record<string, string> };
function upload(slug: string, body: Uint8Array, { query, token = person.token, headers }: Sent = {}): Promise<Answer> {
  const path = `${stackPath(slug)}/local-sources${query ?? `?sha256=${sha256Of(body)}`}`;
  return api.call("POST", path, { token, body, headers: { "content-type": "application/gzip", ...headers } });
}
const plan = (slug: string, body: unknown, token = person.token, headers: Record<string, string> = {}) =>
  api.call("POST", `${stackPath(slug)}/deployments/local`, { token, body, headers });

/** An uploaded source as the body of a plan names it. */
async function uploaded(slug: string) {
  const { body } = await upload(slug, archive);
  const { local_source_key, local_source_sha256 } = body as Record<string, string>;
  return { local_source_key, local_source_sha256 } as { local_source_key: string; local_source_sha256: string };
}
const rows = async (key: string) => api.database.sql`select * from local_sources where stack_key = ${key}`;
const files = () => readdirSync(join(api.objectFolder, "local-sources")).filter((name) => !name.startsWith("."));
const refusedFields = ({ body }: Answer) => body.errors?.map(({ field }: { field: string }) => field);

describe("upload: 201", () => {
  test("the key to plan it by; the archive is kept encrypted and bound to its row", async () => {
    const { slug, key } = await makeStack();
    const answer = await upload(slug, archive);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toEqual({
      local_source_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      local_source_sha256: sha256Of(archive),
      size: archive.length,
      expires_at: expect.stringMatching(/Z$/),
    });
    const waits = Date.parse(answer.body.expires_at) - Date.now();
    expect(Math.abs(waits - DAY)).toBeLessThan(60_000);
    const [row] = await rows(key);
    expect(row).toMatchObject({ id: answer.body.local_source_key, created_by: person.id, used_at: null });
    const onDisk = readFileSync(join(api.objectFolder, row?.object_key));
    expect(onDisk.includes(archive.subarray(0, 16))).toBe(false);
    const opened = await api.objects.getSealed(row?.object_key, sourcePlace(row?.id));
    expect(Buffer.concat(await (opened as NonNullable<typeof opened>).toArray()).equals(archive)).toBe(true);
  });

  test("the other names of the media type, and parameters behind it", async () => {
    const { slug } = await makeStack();
    for (const type of ["application/x-gzip", "application/octet-stream", "Application/Gzip; v=1"]) {
      expect((await upload(slug, archive, { headers: { "content-type": type } })).status, type).toBe(201);
    }
  });
});

describe("upload: refusals leave nothing behind", () => {
  async function refused(send: (slug: string) => Promise<Answer>): Promise<Answer> {
    const { slug, key } = await makeStack();
    const before = files();
    const answer = await send(slug);
    expect(await rows(key)).toEqual([]);
    expect(files()).toEqual(before);
    return answer;
  }

  test("400 for a digest given twice, 401 without a token", async () => {
    const digest = sha256Of(archive);
    const twice = await refused((slug) => upload(slug, archive, { query: `?sha256=${digest}&sha256=${digest}` }));
    expect(twice).toMatchObject({ status: 400, body: { code: "malformed_request" } });
    expect((await refused((slug) => upload(slug, archive, { token: "nobody" }))).status).toBe(401);
  });

  test("404 for who may do everything but this, whatever is sent", async () => {
    const deployer = await holding(
      ["stack", "read"],
      ["stack", "deploy"],
      ["stack", "preview"],
      ["stack", "run_command"],
    );
    for (const query of [undefined, "", "?sha256=x"]) {
      const sent = query === undefined ? { token: deployer } : { token: deployer, query };
      expect(await refused((slug) => upload(slug, archive, sent))).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
    }
  });

  test("413 for one byte too many, announced or not", async () => {
    const tooLong = Buffer.concat([archive, randomBytes(MAX_SOURCE_BYTES - archive.length + 1)]);
    const announced = await refused((slug) => upload(slug, tooLong));
    expect(announced).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    const answer = await refused(async (slug) => {
      const chunks = new Blob([tooLong]).stream();
      const sent = await fetch(`${api.baseUrl}${stackPath(slug)}/local-sources?sha256=${sha256Of(tooLong)}`, {
        method: "POST",
        headers: { authorization: `Bearer ${person.token}`, "content-type": "application/gzip" },
        body: chunks,
        duplex: "half",
      } as RequestInit);
      return { status: sent.status, body: await sent.json(), headers: sent.headers, text: "" };
    });
    expect(answer).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });

  test("415 for a form, for JSON, for no type at all and for a coding on top", async () => {
    for (const type of [
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json",
      "",
    ]) {
      const answer = await refused((slug) => upload(slug, archive, { headers: { "content-type": type } }));
      expect(answer, type).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    }
    const coded = await refused((slug) => upload(slug, archive, { headers: { "content-encoding": "gzip" } }));
    expect(coded.status).toBe(415);
  });

  test.each<[string, Uint8Array, string | undefined, string]>([
    ["no digest", archive, "", "sha256"],
    ["a digest that is none", archive, "?sha256=abc", "sha256"],
    ["a digest in capitals", archive, `?sha256=${sha256Of(archive).toUpperCase()}`, "sha256"],
    ["another digest", archive, `?sha256=${"0".repeat(64)}`, "sha256"],
    ["a cut archive", archive.subarray(0, -1), `?sha256=${sha256Of(archive)}`, "sha256"],
    ["an unknown parameter", archive, `?sha256=${sha256Of(archive)}&name=x`, "name"],
    ["a zip", Buffer.from("PK\u0003\u0004 and so on"), undefined, "body"],
    ["nothing", Buffer.alloc(0), undefined, "body"],
    ["the first two bytes of a gzip", Buffer.from([0x1f, 0x8b]), undefined, "body"],
  ])("422 for %s", async (_, bytes, query, field) => {
    const answer = await refused((slug) => upload(slug, bytes, query === undefined ? {} : { query }));
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_value" } });
    expect(refusedFields(answer)).toEqual([field]);
  });

  test("503 while the store cannot be written to", async () => {
    const { slug, key } = await makeStack();
    await uploaded(slug);
    const folder = join(api.objectFolder, "local-sources");
    const kept = files().map((name) => [name, readFileSync(join(folder, name))] as const);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "in the way");
    try {
      expect(await upload(slug, archive)).toMatchObject({ status: 503, body: { code: "storage_unavailable" } });
    } finally {
      rmSync(folder);
      const store = openObjectStore(`file://${api.objectFolder}`);
      for (const [name, bytes] of kept) await store.put(`local-sources/${name}`, bytes);
    }
    // At most a row that housekeeping clears away, and none that can be planned.
    expect((await rows(key)).filter((row) => row.sha256 !== null).length).toBe(1);
  });
});

describe("plan: 201", () => {
  test("always plan_unlocked, beside whoever holds the lane, and named by key and digest", async () => {
    const { slug, key } = await makeStack();
    await create(api.service, key);
    const source = await uploaded(slug);
    const answer = await plan(slug, { ...source, targets: ["module.a"], replaces: ["x.y"] });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toMatchObject({
      mode: "plan_unlocked",
      status: "pending",
      origin_type: "local",
      commit_sha: repository.commit,
      created_by: person.id,
      ...source,
      command_bytes: null,
      stages: [
        { kind: "plan_run", run: { status: "pending", state_locked: false, targets: ["module.a"], replaces: ["x.y"] } },
      ],
    });
    expect((await rows(key))[0]?.used_at).not.toBeNull();
  });

  test("the client may say which commit its files are based on, also where the repository cannot be read", async () => {
    const { slug } = await makeStack({ repository_url: "file:///nowhere/at/all" });
    const source = await uploaded(slug);
    expect(await plan(slug, { ...source, commit_sha: COMMIT })).toMatchObject({
      status: 201,
      body: { commit_sha: COMMIT },
    });
    expect(await plan(slug, source)).toMatchObject({ status: 502, body: { code: "repository_unreachable" } });
  });

  test("one source serves several plans; the same key and body give the same one", async () => {
    const { slug, key } = await makeStack();
    const source = await uploaded(slug);
    const headers = { "idempotency-key": randomUUID() };
    const answers = [await plan(slug, source, person.token, headers), await plan(slug, source, person.token, headers)];
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    await plan(slug, { ...source, targets: ["module.b"] });
    const other = await plan(slug, { ...source, targets: ["module.b"] }, person.token, headers);
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect((await api.database.sql`select 1 from deployments where stack_key = ${key}`).length).toBe(2);
  });
});

describe("plan: refusals", () => {
  test("400, 401, 413 and 415 as everywhere; 404 for who may do everything but this", async () => {
    const { slug } = await makeStack();
    expect((await plan(slug, "{")).status).toBe(400);
    expect((await plan(slug, {}, "nobody")).status).toBe(401);
    expect((await plan(slug, { targets: ["x".repeat(300_000)] })).status).toBe(413);
    expect((await plan(slug, "{}", person.token, { "content-type": "text/plain" })).status).toBe(415);
    const deployer = await holding(["stack", "read"], ["stack", "deploy"], ["stack", "preview"]);
    expect(await plan(slug, {}, deployer)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("422 names what does not fit", async () => {
    const { slug } = await makeStack();
    const source = await uploaded(slug);
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
      const answer = await plan(slug, body);
      expect(answer.status, JSON.stringify(body)).toBe(422);
      expect(refusedFields(answer), JSON.stringify(body)).toEqual(fields);
    }
  });

  test("422 for another stack's source, one not yet whole, and one that is being removed", async () => {
    const [one, two] = [await makeStack(), await makeStack()];
    const source = await uploaded(one.slug);
    expect(refusedFields(await plan(two.slug, source))).toEqual(["local_source_key"]);
    const { sql } = api.database;
    await sql`update local_sources set size = null, sha256 = null where id = ${source.local_source_key}`;
    expect(refusedFields(await plan(one.slug, source))).toEqual(["local_source_key"]);
    const removed = await uploaded(one.slug);
    await sql`update local_sources set removed_at = svc_now() where id = ${removed.local_source_key}`;
    expect(refusedFields(await plan(one.slug, removed))).toEqual(["local_source_key"]);
  });
});

test("who may plan local files may cancel that plan, and no preview", async () => {
  const { slug, key } = await makeStack();
  const { body } = await plan(slug, await uploaded(slug));
  const preview = await create(api.service, key, { mode: "plan_unlocked" });
  const credential = { kind: "service_account_token", tokenId: "t", tokenName: "t" } as const;
  const principal = async (action: string) => {
    const { id } = await api.makeAccount(org.orgId, [["stack", action]]);
    return { kind: "service_account", id, orgId: org.orgId, credential } as const;
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

describe("removal", () => {
  // Time moves by weeks here, beyond the life of a token.
  beforeEach(async () => {
    person = await newPerson();
  });
  const pass = () => removeSources(api.database.db, openObjectStore(`file://${api.objectFolder}`), RETENTION);
  const exists = async (id: string) => {
    const inTable = (await api.database.sql`select 1 from local_sources where id = ${id}`).length === 1;
    expect(files().includes(id)).toBe(inTable);
    return inTable;
  };

  test("unused ones after a day, used ones a retention after their last deployment ended", async () => {
    const { slug } = await makeStack();
    const unused = await uploaded(slug);
    const used = await uploaded(slug);
    const shared = await uploaded(slug);
    const keys = [unused, used, shared].map((source) => source.local_source_key);
    const standing = () => Promise.all(keys.map(exists));
    const ended = async (source: object) => {
      const { body } = await plan(slug, source);
      const run = await claim(api.database, org, body.id);
      await acceptRun(api.service, run.runId, run.runnerId);
      await reportDone(api.service, run.runId, run.runnerId, { status: "success" });
    };
    await ended(used);
    await ended(shared);
    const live = await plan(slug, shared);
    await pass();
    expect(await standing()).toEqual([true, true, true]);
    await api.database.advanceClock(DAY + 1_000);
    await pass();
    expect(await standing()).toEqual([false, true, true]);
    await api.database.advanceClock(RETENTION);
    await pass();
    expect(await standing()).toEqual([false, false, true]);
    const run = await claim(api.database, org, live.body.id);
    await acceptRun(api.service, run.runId, run.runnerId);
    await reportDone(api.service, run.runId, run.runnerId, { status: "failure" });
    await pass();
    expect(await standing()).toEqual([false, false, true]);
    await api.database.advanceClock(RETENTION + 1_000);
    expect((await pass()).localSources).toBeGreaterThanOrEqual(1);
    expect(await standing()).toEqual([false, false, false]);
    const { token } = await newPerson();
    const read = await api.call("GET", `${stackPath(slug)}/deployments/${live.body.id}`, { token });
    expect(read.body.local_source_key).toBe(shared.local_source_key);
  });

  test("a pass that was interrupted after its mark is taken up", async () => {
    const { slug } = await makeStack();
    const source = await uploaded(slug);
    await api.database.sql`update local_sources set removed_at = svc_now() where id = ${source.local_source_key}`;
    await pass();
    expect(await exists(source.local_source_key)).toBe(false);
  });

  test("a plan and a removal of the same source at once: either it is planned and stays, or it is gone and refused", async () => {
    const { slug } = await makeStack();
    for (let round = 0; round < 15; round++) {
      const source = await uploaded(slug);
      await api.database.sql`
        update local_sources set created_at = svc_now() - interval '2 days' where id = ${source.local_source_key}`;
      const [answer] = await Promise.all([plan(slug, source), pass()]);
      expect([201, 422]).toContain(answer.status);
      expect(await exists(source.local_source_key)).toBe(answer.status === 201);
    }
  });

  test("a removal that meets a plan in the middle of its transaction leaves the source", async () => {
    const { slug } = await makeStack();
    const source = await uploaded(slug);
    const id = source.local_source_key;
    const { sql } = api.database;
    await sql`update local_sources set created_at = svc_now() - interval '2 days' where id = ${id}`;
    await sql.begin(async (tx) => {
      await tx`update local_sources set used_at = svc_now() where id = ${id}`;
      // It neither waits for the plan nor removes what the plan is about to name.
      expect(await pass()).toEqual({ localSources: 0 });
    });
    await pass();
    expect(await exists(id)).toBe(true);
  });
});
