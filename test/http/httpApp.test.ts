/** What every request passes through: credentials, ids, bodies, errors, health (docs/rules/api.md). */

import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { generateKeyPair, SignJWT } from "jose";
import { describe, expect } from "vitest";
import { makeToken } from "../../src/people/credentials/format.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { routesOfPeople } from "../support/peopleApi.ts";
import { peopleTest } from "../support/test.ts";

const ME = "/api/v1/auth/me";

const stackBody = { name: "Web", repository_url: "https://git.example/r.git", branch: "main" };

const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const org = await api.makeOrg();
  const admin = await api.makeAccount(org, [["*", "*"]]);
  const stacks = () => `/api/v1/orgs/${org}/stacks`;
  const refused = async (headers: Record<string, string>) => {
    const answer = await api.call("GET", ME, { headers });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    expect(answer.body).toMatchObject({ status: 401, code: "not_authenticated" });
    return answer.text;
  };
  const create = (options: { body?: unknown; headers?: Record<string, string> }) =>
    api.call("POST", stacks(), { token: admin.token, ...options });

  return { stacks, refused, create, org, admin };
});

describe("401", () => {
  test("without a credential, and with one that is malformed, unknown, expired or disabled: one answer", async ({
    api,
    world,
  }) => {
    const expired = await api.makeAccount(world.org, []);
    await api.database
      .sql`update service_account_tokens set expires_at = svc_now() where service_account_id = ${expired.id}`;
    const disabled = await api.makeAccount(world.org, []);
    await api.database.sql`update service_accounts set disabled_at = svc_now() where id = ${disabled.id}`;
    const credentials = [
      "Basic YTpi",
      "Bearer",
      "Bearer svc_sa_short",
      `Bearer ${makeToken("service_account")}`,
      `Bearer ${makeToken("personal")}`,
      `Bearer ${world.admin.token}x`,
      `Bearer ${world.admin.token.slice(0, -1)}${world.admin.token.endsWith("a") ? "b" : "a"}`,
      `Bearer ${expired.token}`,
      `Bearer ${disabled.token}`,
    ];
    const answers = [await world.refused({})];
    for (const authorization of credentials) answers.push(await world.refused({ authorization }));
    expect(new Set(answers).size).toBe(1);
  });

  test("a group's or a runner's token, on every route of people", async ({ api }) => {
    const { privateKey } = await generateKeyPair("ES256");
    const group = "01a1f77a-0000-7000-8000-000000000001";
    const jwts = await Promise.all(
      [{ token_type: "runner_group" }, { token_type: "runner", runner_id: group, run_id: group }].map((claims) =>
        new SignJWT({ ...claims, group_id: group })
          .setProtectedHeader({ alg: "ES256", kid: group })
          .setIssuedAt()
          .setExpirationTime("1h")
          .sign(privateKey),
      ),
    );
    const anyone = /^\/api\/v1\/auth\/(?:sso\/(?!.*\/link\/start$)|device)|\/webhook$/;
    const routes = routesOfPeople(api).filter(({ path }) => !anyone.test(path));
    expect(routes.length).toBeGreaterThan(30);
    for (const { method, path } of routes) {
      for (const token of jwts) {
        const answer = await api.call(method, path.replace(/:\w+/g, group), { token });
        expect([method, path, answer.status]).toEqual([method, path, 401]);
      }
    }
  });

  test("a malformed token costs no statement, a good one costs one", async ({ api, world }) => {
    const ask = (token: string) =>
      countStatements(async () => api.app.request(ME, { headers: { authorization: `Bearer ${token}` } }));
    expect((await ask("svc_sa_nonsense")).statements).toEqual([]);
    expect((await ask(makeToken("service_account"))).statements).toHaveLength(1);
    const { result, statements } = await ask(world.admin.token);
    expect(result.status).toBe(200);
    expect(statements).toHaveLength(2);
  });

  test("deleting the token ends it with the next call", async ({ api, world }) => {
    const { id, token } = await api.makeAccount(world.org, []);
    expect((await api.call("GET", ME, { token })).status).toBe(200);
    await api.database.sql`delete from service_account_tokens where service_account_id = ${id}`;
    expect((await api.call("GET", ME, { token })).status).toBe(401);
  });
});

describe("whoami", () => {
  test("tells a token caller about the account and the token", async ({ api, world }) => {
    const answer = await api.call("GET", ME, { token: world.admin.token });
    expect(answer.body).toMatchObject({
      id: world.admin.id,
      kind: "service_account",
      is_super_admin: false,
      pat_name: "t",
      pat_org_id: world.org,
      pat_org_login_start_handle: null,
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test("leaves the token fields out for a person who is signed in", async ({ api }) => {
    const { user } = await api.makeUser({ superAdmin: true });
    const { body } = await api.call("GET", ME, { user });
    expect(body).toEqual({ id: user, kind: "user", name: user, is_super_admin: true, new_identities: [] });
  });
});

describe("request ids", () => {
  test("a harmless one is echoed, another is replaced, on success and on error", async ({ api }) => {
    const idOf = async (path: string, given?: string) =>
      (await api.call("GET", path, { headers: given === undefined ? {} : { "x-request-id": given } })).headers.get(
        "x-request-id",
      );
    for (const path of ["/healthz", ME, "/nowhere"]) {
      expect(await idOf(path, "abc-1.2_X")).toBe("abc-1.2_X");
      for (const bad of [undefined, "a b", "x".repeat(129), '"><script>', "a\tb"]) {
        expect(await idOf(path, bad)).toMatch(/^[0-9a-f-]{36}$/);
      }
    }
  });
});

describe("bodies", () => {
  test("400 for what is no JSON", async ({ world }) => {
    for (const body of ["{", "\u0000", "[1,]", `${"[".repeat(40)}${"]".repeat(40)}`]) {
      expect((await world.create({ body })).body).toMatchObject({ status: 400, code: "malformed_request" });
    }
  });

  test("415 for another media type or a compressed body", async ({ world }) => {
    const body = JSON.stringify(stackBody);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      expect((await world.create({ body, headers: { "content-type": type } })).body).toMatchObject({ status: 415 });
    }
    expect((await world.create({ body, headers: { "content-encoding": "gzip" } })).status).toBe(415);
  });

  test("413 as soon as the cap is passed, declared or chunked", async ({ api, world }) => {
    const big = JSON.stringify({ ...stackBody, name: "x".repeat(300_000) });
    expect((await world.create({ body: big })).body).toMatchObject({ status: 413, code: "payload_too_large" });
    const chunked = request(api.baseUrl + world.stacks(), {
      method: "POST",
      headers: { authorization: `Bearer ${world.admin.token}`, "content-type": "application/json" },
    });
    chunked.on("error", () => {});
    for (let i = 0; i < 40; i++) chunked.write(" ".repeat(10_000));
    const [answer] = await once(chunked, "response");
    expect(answer.statusCode).toBe(413);
    chunked.destroy();
  });

  test("422 names each field and repeats no value", async ({ world }) => {
    const answer = await world.create({
      body: { ...stackBody, branch: "..hostile..", exclude: ["a"], tool: "pulumi" },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.code).toBe("invalid_value");
    expect(answer.body.errors.map((e: { field: string }) => e.field).sort()).toEqual(["branch", "exclude", "tool"]);
    expect(answer.body.errors.find((e: { field: string }) => e.field === "tool").allowed).toEqual([
      "terraform",
      "tofu",
    ]);
    expect(answer.text).not.toMatch(/hostile|pulumi/);
    expect((await world.create({ body: [] })).status).toBe(422);
    expect((await world.create({ body: null })).status).toBe(422);
    expect((await world.create({})).body.errors.map((e: { field: string }) => e.field).sort()).toEqual([
      "branch",
      "name",
      "repository_url",
    ]);
  });

  test("a length and chunks at once never reach a handler", async ({ api, world }) => {
    const socket = connect(Number(new URL(api.baseUrl).port), "127.0.0.1");
    socket.write(
      `POST ${world.stacks()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.admin.token}\r\nContent-Type: application/json\r\n` +
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    );
    const [bytes] = await once(socket, "data");
    expect(String(bytes)).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });
});

describe("what is not there", () => {
  test("an unknown route is the same 404 with and without a credential", async ({ api, world }) => {
    const answers = [];
    for (const token of [undefined, world.admin.token]) {
      for (const [method, path] of [
        ["GET", "/nowhere"],
        ["DELETE", "/api/v1/orgs/x/y/z"],
        ["POST", "/api/v1/nowhere"],
      ] as const) {
        const answer = await api.call(method, path, token === undefined ? {} : { token });
        expect(answer.status).toBe(404);
        answers.push(answer.text);
      }
    }
    expect(new Set(answers).size).toBe(1);
  });

  test("NUL in an address is malformed, not an error of ours", async ({ api, world }) => {
    expect((await api.call("GET", `${world.stacks()}/a%00b`, { token: world.admin.token })).status).toBe(400);
  });

  test("half an escape in an address does no harm", async ({ api, world }) => {
    expect((await api.call("GET", `${world.stacks()}/%e0%a4`, { token: world.admin.token })).status).toBe(404);
  });
});

describe("errors of ours", () => {
  test("a 500 says nothing but the request id, and the log has the cause without parameters", async ({
    api,
    world,
  }) => {
    const { sql } = api.database;
    await sql`alter table stacks rename column branch to branch_away`;
    try {
      const answer = await api.call("POST", world.stacks(), {
        token: world.admin.token,
        body: { ...stackBody, name: "canary-name" },
      });
      expect(answer.body).toEqual({
        type: "about:blank",
        title: "Internal Server Error",
        status: 500,
        code: "internal",
        request_id: answer.headers.get("x-request-id"),
      });
      const lines = api.logged.filter((line) => line.request_id === answer.body.request_id);
      expect(lines.map((line) => line.level)).toContain("error");
      expect(JSON.stringify(lines)).not.toContain("canary-name");
    } finally {
      await sql`alter table stacks rename column branch_away to branch`;
    }
  });
});

describe("health and figures", () => {
  test("healthz answers without a credential; what tells of the installation is not here", async ({ api }) => {
    expect((await api.call("GET", "/healthz")).body).toEqual({ status: "ok" });
    for (const path of ["/readyz", "/metrics"]) expect((await api.call("GET", path)).status).toBe(404);
  });

  test("figures and log lines name the route, never an id or a token", async ({ api, world }) => {
    await api.call("GET", `${world.stacks()}/some-stack`, { token: world.admin.token });
    await api.call("GET", "/api/v1/secret-in-the-path");
    const figures = await api.metrics.scrape.metrics();
    expect(figures).toContain('route="/api/v1/orgs/:org_id/stacks/:stack_id"');
    const lines = JSON.stringify(api.logged);
    for (const text of [figures, lines]) {
      expect(text).not.toContain("some-stack");
      expect(text).not.toContain("secret-in-the-path");
      expect(text).not.toContain(world.admin.token);
      expect(text).not.toContain(world.org);
    }
    expect(api.logged).toContainEqual(
      expect.objectContaining({ msg: "request", route: "/api/v1/orgs/:org_id/stacks/:stack_id", status: 404 }),
    );
  });
});
