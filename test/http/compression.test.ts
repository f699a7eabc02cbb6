/** What is compressed, and what is not sent twice; and the contract as the service itself shows it. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, zstdDecompress } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { preferred } from "../../src/http/compression.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let path: string;
let token: string;
beforeAll(async () => {
  api = await startPeopleApi();
  const org = await api.makeOrg();
  await insertStacks(api.database.sql, org, 20);
  token = (await api.makeAccount(org, [["*", "*"]])).token;
  path = `/api/v1/orgs/${org}/stacks`;
});
afterAll(() => api.close());

/** Without a client that unpacks by itself. */
const get = async (of: string, headers: Record<string, string>) =>
  api.app.request(of, { headers: { authorization: `Bearer ${token}`, ...headers } });

test.each([
  ["gzip", "gzip, deflate", promisify(gunzip)],
  ["br", "gzip, br", promisify(brotliDecompress)],
  ["zstd", "gzip, deflate, br, zstd", promisify(zstdDecompress)],
] as const)("%s for who asks for %s", async (encoding, accepted, unpack) => {
  const plain = await (await get(path, {})).text();
  const answer = await get(path, { "accept-encoding": accepted });
  expect(answer.headers.get("content-encoding")).toBe(encoding);
  expect(answer.headers.get("vary")).toContain("accept-encoding");
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.length).toBeLessThan(plain.length / 3);
  expect((await unpack(bytes)).toString()).toBe(plain);
});

test.each([
  [undefined, null],
  ["identity", null],
  ["gzip;q=0", null],
  ["gzip;q=1, br;q=0.5, zstd;q=0", "gzip"],
  ["*", "zstd"],
  ["*;q=0.1, BR", "br"],
  ["gzip;q=x", null],
])("%s gives %s", (accepted, expected) => expect(preferred(accepted)).toBe(expected));

test("what is about oneself is never compressed, nor is a refusal", async () => {
  const { user } = await api.makeUser();
  const me = await get("/api/v1/auth/me", { "accept-encoding": "gzip", authorization: "", "x-test-user": user });
  expect(me.headers.get("content-encoding")).toBeNull();
  expect((await get(`${path}/none`, { "accept-encoding": "gzip" })).headers.get("content-encoding")).toBeNull();
});

describe("the contract", () => {
  test("is served whole, and not again to who has it", async () => {
    const answer = await get("/openapi.json", { "accept-encoding": "br" });
    const etag = answer.headers.get("etag");
    expect(etag).toMatch(/^"[\w-]{22}\.br"$/);
    const again = await get("/openapi.json", { "if-none-match": `"x", ${etag}` });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const { paths } = (await (await get("/openapi.json", {})).json()) as { paths: object };
    expect(Object.keys(paths).length).toBeGreaterThan(80);
  });

  test("has a page with every route, which asks nobody for anything", async () => {
    const answer = await get("/api", {});
    const page = await answer.text();
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(page).toContain("/api/v1/orgs/{org_id}/live");
    expect(page).not.toMatch(/<script|<link|<img|src=|href="https?:/);
  });
});
