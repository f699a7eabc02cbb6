/** Protected label keys and what a stack write needs for them (docs/rules/permissions.md#protected-labels). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: string;
const config = () => `/api/v1/orgs/${org}/config/protected-labels`;
const call = (method: string, at: string, body?: unknown, token = admin) => api.call(method, at, { token, body });
const protect = (...keys: string[]) => call("PUT", config(), { keys });
const stack = (labels: Record<string, string>, name = "web") => ({
  name,
  repository_url: "https://git.example/r.git",
  branch: "main",
  labels,
});
const stacks = (id = "") => `/api/v1/orgs/${org}/stacks${id && `/${id}`}`;

beforeAll(async () => {
  api = await startPeopleApi();
});
beforeEach(async () => {
  org = await api.makeOrg();
  admin = (await api.makeAccount(org, [["*", "*"]])).token;
});
afterAll(() => api.close());

async function writer(...labels: Grant[]) {
  const grants: Grant[] = [["stack", "create"], ["stack", "update"], ["stack", "read"], ...labels];
  return (await api.makeAccount(org, grants)).token;
}

describe("the set", () => {
  test("is replaced as a whole, read with (label, read), written with (label, create)", async () => {
    expect((await call("GET", config())).body).toEqual({ keys: [] });
    expect((await protect("tier", "env", "tier")).body).toEqual({ keys: ["env", "tier"] });
    expect((await protect("env")).body).toEqual({ keys: ["env"] });
    await protect("env");
    const trail = await api.database.sql`select details from audit_log where org_id = ${org} order by id`;
    expect(trail.map((row) => row.details)).toEqual([
      { added: ["tier", "env"], removed: [] },
      { added: [], removed: ["tier"] },
    ]);
    const reader = (await api.makeAccount(org, [["label", "read"]])).token;
    const creator = (await api.makeAccount(org, [["label", "create"]])).token;
    expect((await call("GET", config(), undefined, reader)).status).toBe(200);
    expect((await call("PUT", config(), { keys: [] }, reader)).status).toBe(403);
    expect((await call("GET", config(), undefined, creator)).status).toBe(403);
    expect((await call("PUT", config(), { keys: [] }, creator)).status).toBe(200);
  });

  test("keys of the service, and what cannot be a key, are refused", async () => {
    for (const key of ["svc:group:a", "svc:x", "", "a b", "-a", "x".repeat(129)]) {
      expect([key, (await protect(key)).status]).toEqual([key, 422]);
    }
  });
});

describe("a stack write", () => {
  test("that adds, changes or removes a protected label needs the key; others and untouched ones do not", async () => {
    await protect("tier", "env");
    const token = await writer(["label", "update", { pattern: "env" }]);
    expect((await call("POST", stacks(), stack({ tier: "prod" }), token)).status).toBe(403);
    expect((await call("POST", stacks(), stack({ env: "a", team: "core" }), token)).status).toBe(201);
    const patch = async (labels: Record<string, string>, by = token) =>
      (await call("PATCH", stacks("web"), { labels }, by)).status;
    expect(await patch({ env: "a", tier: "prod" })).toBe(404);
    expect(await patch({ env: "b", team: "other" })).toBe(200);
    expect(await patch({ env: "b", tier: "prod" }, admin)).toBe(200);
    // The label is there already: only a change of it counts.
    expect(await patch({ env: "c", tier: "prod" })).toBe(200);
    expect(await patch({ env: "c", tier: "dev" })).toBe(404);
    expect(await patch({ env: "c" })).toBe(404);
    expect((await call("PUT", stacks("web"), { ...stack({ env: "c" }) }, token)).status).toBe(404);
    const missing = await call("PATCH", stacks("not-there"), { labels: {} }, token);
    const denied = await call("PATCH", stacks("web"), { labels: {} }, token);
    expect(denied.text).toBe(missing.text);
    expect((await call("GET", stacks("web"))).body.labels).toEqual({ env: "c", tier: "prod" });
  });

  test("labels that were there before their key was protected stay, and changing them needs it from then on", async () => {
    const token = await writer();
    expect((await call("POST", stacks(), stack({ env: "a" }), token)).status).toBe(201);
    await protect("env");
    expect((await call("PATCH", stacks("web"), { labels: { env: "a", team: "core" } }, token)).status).toBe(200);
    expect((await call("PATCH", stacks("web"), { labels: { env: "b" } }, token)).status).toBe(404);
    await protect();
    expect((await call("PATCH", stacks("web"), { labels: { env: "b" } }, token)).status).toBe(200);
  });

  test("the keys of another organization count nothing here", async () => {
    await protect("env");
    org = await api.makeOrg();
    expect((await call("POST", stacks(), stack({ env: "a" }), await writer())).status).toBe(201);
  });
});
