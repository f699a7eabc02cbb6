/** The API program as a whole: its own pools, its edges, and how it stops. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { importPKCS8, SignJWT } from "jose";
import postgres from "postgres";
import { describe, expect } from "vitest";
import { describeApi } from "../../src/main/app/openapi.ts";
import { loadConfig } from "../../src/main/config/config.ts";
import { bootstrap } from "../../src/main/operator/bootstrap.ts";
import { type Api, startApi } from "../../src/main/service/api.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { databaseTest } from "../support/test.ts";
import { waitFor } from "../support/waitFor.ts";

const log = createLogger("silent", "test");

const bearer = (token: string | null) => ({ headers: { authorization: `Bearer ${token}` } });
const at = (api: Api, path: string) => `http://127.0.0.1:${api.port}${path}`;

const test = databaseTest().extend("world", { scope: "file" }, async ({ folder, database }) => {
  const keyFile = join(folder, "group.pem");
  const env = {
    SVC_DATABASE_URL: database.url,
    SVC_EXPLORE_DATABASE_URL: database.url,
    // Nothing listens there: the API has to serve without.
    SVC_TEMPORAL_ADDRESS: "127.0.0.1:9",
    SVC_OBJECTS_URL: `file://${folder}/objects`,
    SVC_DATA_ENCRYPTION_PROVIDER: "aes-256",
    SVC_DATA_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    SVC_LISTEN: "127.0.0.1:0",
    SVC_API_HEALTH_LISTEN: "127.0.0.1:0",
    SVC_DATABASE_POOL: "2",
    SVC_DATABASE_RUNNER_POOL: "2",
  };
  const config = loadConfig(env);
  const runnerGroup = { name: "g", keyFile };
  const made = await bootstrap(database.db, { orgName: "Api", runsPerHour: 1000, maxUsers: 1, runnerGroup });

  async function groupToken(): Promise<string> {
    return new SignJWT({ token_type: "runner_group", group_id: made.runner_group_id })
      .setProtectedHeader({ alg: "ES256", kid: made.runner_group_id! })
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(await importPKCS8(await readFile(keyFile, "utf8"), "ES256"));
  }

  async function poll(api: Api, waitSeconds: number): Promise<Response> {
    return fetch(at(api, `/api/v1/runner-groups/poll?wait_seconds=${waitSeconds}`), bearer(await groupToken()));
  }

  return { groupToken, poll, env, config, made };
});

describe("startApi", () => {
  test("serves people and runners on one port, with Temporal out of reach", async ({ database, world }) => {
    const api = await startApi(world.config, { log });
    try {
      expect((await fetch(at(api, "/healthz"))).status).toBe(200);
      expect(await (await fetch(`${api.healthUrl}/readyz`)).json()).toEqual({
        status: "ok",
        checks: { database: "ok" },
      });
      expect((await fetch(`${api.healthUrl}/healthz`)).status).toBe(200);
      expect(new URL(api.healthUrl).hostname).toBe("127.0.0.1");
      for (const path of ["/metrics", "/readyz"]) expect((await fetch(at(api, path))).status).toBe(404);
      for (const path of ["/api/v1/auth/me", "/openapi.json"])
        expect((await fetch(api.healthUrl + path)).status).toBe(404);
      const org = await fetch(at(api, `/api/v1/orgs/${world.made.org_id}`), bearer(world.made.admin_token));
      expect(((await org.json()) as { name: string }).name).toBe("Api");
      expect((await world.poll(api, 0)).status).toBe(204);
      expect((await fetch(at(api, "/api/v1/auth/me"), bearer(await world.groupToken()))).status).toBe(401);
      const contact =
        await database.sql`select last_contact_at from runner_groups where id = ${world.made.runner_group_id}`;
      expect(contact).toHaveLength(1);
    } finally {
      await api.close();
    }
  });

  test("many runners behind one address are never limited by it, while the public sign-in routes are", async ({
    world,
  }) => {
    const api = await startApi(loadConfig({ ...world.env, SVC_SSO_REQUESTS_PER_MINUTE: "5" }), { log });
    try {
      const { paths } = (await describeApi()) as { paths: Record<string, Record<string, { security?: object[] }>> };
      const ofRunners = Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations)
          .filter(([, { security }]) => JSON.stringify(security ?? "").match(/"(group|runner)"/))
          .map(([method]) => [method.toUpperCase(), path.replace(/\{[^}]+\}/g, world.made.runner_group_id!)] as const),
      );
      expect(ofRunners.length).toBeGreaterThanOrEqual(14);
      const token = await world.groupToken();
      for (const [method, path] of ofRunners) {
        const calls = Array.from({ length: 40 }, () => fetch(at(api, path), { method, ...bearer(token) }));
        const statuses = (await Promise.all(calls)).map((answer) => answer.status);
        expect([method, path, statuses.filter((status) => status === 429 || status >= 500)]).toEqual([
          method,
          path,
          [],
        ]);
      }
      const ask = () => fetch(at(api, "/api/v1/auth/sso/providers"));
      for (let n = 0; n < 5; n++) expect((await ask()).status).toBe(200);
      const refused = await ask();
      expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    } finally {
      await api.close();
    }
  });

  test("people's requests that hold every connection never keep a runner waiting", async ({ database, world }) => {
    const api = await startApi(world.config, { log });
    const blocker = postgres(database.url, { max: 1 });
    try {
      // Once people's connections all wait for this lock, only the runners' own pool can answer.
      const { promise: release, resolve: unlock } = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const holding = blocker.begin(async (tx) => {
        await tx`lock table organizations in access exclusive mode`;
        locked.resolve();
        await release;
      });
      await locked.promise;
      const slow = Array.from({ length: 6 }, () =>
        fetch(at(api, `/api/v1/orgs/${world.made.org_id}`), bearer(world.made.admin_token)),
      );
      await waitFor(
        async () => {
          const rows = await database.sql`select 1 from pg_stat_activity where datname = current_database()
            and application_name = 'svc-api' and wait_event_type = 'Lock'`;
          return rows.length === 2;
        },
        { what: "both of people's connections to be waiting" },
      );
      expect((await world.poll(api, 0)).status).toBe(204);
      unlock();
      await holding;
      expect((await Promise.all(slow)).map((answer) => answer.status)).toEqual(Array(6).fill(200));
    } finally {
      await blocker.end();
      await api.close();
    }
  });

  test("closing answers waiting polls, refuses new connections and leaves none to the database", async ({
    database,
    world,
  }) => {
    const api = await startApi(world.config, { log });
    const waiting = world.poll(api, 50);
    const idle = request(at(api, "/healthz"), { agent: false, headers: { connection: "keep-alive" } }).end();
    const [first] = await once(idle, "response");
    first.resume();
    await waitFor(
      async () =>
        (
          await database.sql`select 1 from pg_stat_activity where datname = current_database()
            and application_name = 'svc-api-runners' and query like '%runner_groups%'`
        ).length > 0,
      { what: "the poll to have asked the database" },
    );
    const closing = api.close();
    expect(api.close()).toBe(closing);
    expect((await waiting).status).toBe(204);
    await closing;
    for (const url of [at(api, "/healthz"), `${api.healthUrl}/healthz`]) await expect(fetch(url)).rejects.toThrow();
    const left = await database.sql`select application_name from pg_stat_activity
      where datname = current_database() and application_name in ('svc-api', 'svc-api-runners', 'svc-hints')`;
    expect(left).toEqual([]);
  });

  test("starts without a database and says that it is not ready", async ({ database, world }) => {
    const away = new URL(database.url);
    away.port = "9";
    const api = await startApi({ ...world.config, database: { ...world.config.database, url: away.href } }, { log });
    try {
      expect((await fetch(at(api, "/healthz"))).status).toBe(200);
      const ready = await fetch(`${api.healthUrl}/readyz`);
      expect([ready.status, await ready.json()]).toEqual([
        503,
        { status: "unavailable", checks: { database: "failed" } },
      ]);
      const me = await fetch(at(api, "/api/v1/auth/me"), bearer(world.made.admin_token));
      expect(me.status).toBe(503);
      expect(me.headers.get("retry-after")).toBe("5");
      expect(await me.json()).toMatchObject({ code: "database_unavailable" });
    } finally {
      await api.close();
    }
  });

  test("a port that is taken fails the start and leaves nothing open", async ({ world }) => {
    const api = await startApi(world.config, { log });
    try {
      const taken = { ...world.config, listen: { host: "127.0.0.1", port: api.port } };
      await expect(startApi(taken, { log })).rejects.toMatchObject({ code: "EADDRINUSE" });
      const apiHealthListen = { host: "127.0.0.1", port: Number(new URL(api.healthUrl).port) };
      await expect(startApi({ ...world.config, apiHealthListen }, { log })).rejects.toMatchObject({
        code: "EADDRINUSE",
      });
    } finally {
      await api.close();
    }
  });
});
