/** Uploading a source: every answer, and what is left behind (docs/rules/deployments.md#local-plans). */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect } from "vitest";
import { MAX_SOURCE_BYTES, sourcePlace } from "../../src/core/localSources/source.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { sha256Of } from "../support/archive.ts";
import { archive, DAY, refusedFields, test } from "../support/localSourcesTest.ts";
import { removeTemporaryDirectories } from "../support/runnerProcess.ts";

afterAll(() => {
  removeTemporaryDirectories();
});

describe("upload: 201", () => {
  test("the key to plan it by; the archive is kept encrypted and bound to its row", async ({ api, world }) => {
    const { slug, key } = await world.makeStack();
    const answer = await world.upload(slug, archive);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toEqual({
      local_source_key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      local_source_sha256: sha256Of(archive),
      size: archive.length,
      expires_at: expect.stringMatching(/Z$/),
    });
    const waits = Date.parse(answer.body.expires_at) - Date.now();
    expect(Math.abs(waits - DAY)).toBeLessThan(60_000);
    const [row] = await world.rows(key);
    expect(row).toMatchObject({ id: answer.body.local_source_key, created_by: world.person.id, used_at: null });
    const onDisk = readFileSync(join(api.objectFolder, row?.object_key));
    expect(onDisk.includes(archive.subarray(0, 16))).toBe(false);
    const opened = await api.objects.getSealed(row?.object_key, sourcePlace(row?.id), archive.length);
    expect(Buffer.concat(await (opened as NonNullable<typeof opened>).toArray()).equals(archive)).toBe(true);
  });

  test("the other names of the media type, and parameters behind it", async ({ world }) => {
    const { slug } = await world.makeStack();
    for (const type of ["application/x-gzip", "application/octet-stream", "Application/Gzip; v=1"]) {
      expect((await world.upload(slug, archive, { headers: { "content-type": type } })).status, type).toBe(201);
    }
  });
});

describe("upload: refusals leave nothing behind", () => {
  test("400 for a digest given twice, 401 without a token", async ({ world }) => {
    const digest = sha256Of(archive);
    const twice = await world.refused((slug) =>
      world.upload(slug, archive, { query: `?sha256=${digest}&sha256=${digest}` }),
    );
    expect(twice).toMatchObject({ status: 400, body: { code: "malformed_request" } });
    expect((await world.refused((slug) => world.upload(slug, archive, { token: "nobody" }))).status).toBe(401);
  });

  test("404 for who may do everything but this, whatever is sent", async ({ world }) => {
    const deployer = await world.holding(
      ["stack", "read"],
      ["stack", "deploy"],
      ["stack", "preview"],
      ["stack", "run_command"],
    );
    for (const query of [undefined, "", "?sha256=x"]) {
      const sent = query === undefined ? { token: deployer } : { token: deployer, query };
      expect(await world.refused((slug) => world.upload(slug, archive, sent))).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
    }
  });

  test("413 for one byte too many, announced or not", async ({ api, world }) => {
    const tooLong = Buffer.concat([archive, randomBytes(MAX_SOURCE_BYTES - archive.length + 1)]);
    const announced = await world.refused((slug) => world.upload(slug, tooLong));
    expect(announced).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    const answer = await world.refused(async (slug) => {
      const chunks = new Blob([tooLong]).stream();
      const sent = await fetch(`${api.baseUrl}${world.stackPath(slug)}/local-sources?sha256=${sha256Of(tooLong)}`, {
        method: "POST",
        headers: { authorization: `Bearer ${world.person.token}`, "content-type": "application/gzip" },
        body: chunks,
        duplex: "half",
      } as RequestInit);
      return { status: sent.status, body: await sent.json(), headers: sent.headers, text: "" };
    });
    expect(answer).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });

  test("415 for a form, for JSON, for no type at all and for a coding on top", async ({ world }) => {
    for (const type of [
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json",
      "",
    ]) {
      const answer = await world.refused((slug) => world.upload(slug, archive, { headers: { "content-type": type } }));
      expect(answer, type).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    }
    const coded = await world.refused((slug) =>
      world.upload(slug, archive, { headers: { "content-encoding": "gzip" } }),
    );
    expect(coded.status).toBe(415);
  });

  test.for<[string, Uint8Array, string | undefined, string]>([
    ["no digest", archive, "", "sha256"],
    ["a digest that is none", archive, "?sha256=abc", "sha256"],
    ["a digest in capitals", archive, `?sha256=${sha256Of(archive).toUpperCase()}`, "sha256"],
    ["another digest", archive, `?sha256=${"0".repeat(64)}`, "sha256"],
    ["a cut archive", archive.subarray(0, -1), `?sha256=${sha256Of(archive)}`, "sha256"],
    ["an unknown parameter", archive, `?sha256=${sha256Of(archive)}&name=x`, "name"],
    ["a zip", Buffer.from("PK\u0003\u0004 and so on"), undefined, "body"],
    ["nothing", Buffer.alloc(0), undefined, "body"],
    ["the first two bytes of a gzip", Buffer.from([0x1f, 0x8b]), undefined, "body"],
    ["a gzip of something else", gzipSync(Buffer.alloc(4_096, "# no tar\n")), undefined, "body"],
    ["a gzip of less than a header", gzipSync("main.tf"), undefined, "body"],
    ["an archive packed twice", gzipSync(archive), undefined, "body"],
    ["an archive without files", gzipSync(Buffer.alloc(10_240)), undefined, "body"],
    ["zeros without end", gzipSync(Buffer.alloc(100_000_000)), undefined, "body"],
  ])("422 for %s", async ([_, bytes, query, field], { world }) => {
    const answer = await world.refused((slug) => world.upload(slug, bytes, query === undefined ? {} : { query }));
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_value" } });
    expect(refusedFields(answer)).toEqual([field]);
  });

  test("503 while the store cannot be written to", async ({ api, world }) => {
    const { slug, key } = await world.makeStack();
    await world.uploaded(slug);
    const folder = join(api.objectFolder, "local-sources");
    const kept = world.files().map((name) => [name, readFileSync(join(folder, name))] as const);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "in the way");
    try {
      expect(await world.upload(slug, archive)).toMatchObject({ status: 503, body: { code: "storage_unavailable" } });
    } finally {
      rmSync(folder);
      const store = openObjectStore(`file://${api.objectFolder}`);
      for (const [name, bytes] of kept) await store.put(`local-sources/${name}`, bytes);
    }
    // At most a row that housekeeping clears away, and none that can be planned.
    expect((await world.rows(key)).filter((row) => row.sha256 !== null).length).toBe(1);
  });
});
