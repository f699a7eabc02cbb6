/** People's routes on a real server over a fresh database, with principals whose permissions a test chooses. */
import { randomBytes, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { defaultConfig } from "../../bench/harness/service.ts";
import { openRuntimeProviders } from "../../src/core/cloud/openProviders.ts";
import type { DecisionSender } from "../../src/core/deployments/submitDecision.ts";
import { logReading } from "../../src/core/logs/logsRoute.ts";
import { noHost } from "../../src/core/pullRequests/host.ts";
import type { PullRequestRoutesDeps } from "../../src/core/pullRequests/routes.ts";
import type { NotificationRoutesDeps } from "../../src/exchange/notifications/routes.ts";
import { type GitSettings, resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import type { ScmRoutesDeps } from "../../src/exchange/scm/routes.ts";
import { webhookBodies } from "../../src/exchange/scm/webhookBody.ts";
import type { CredentialScheme } from "../../src/http/authenticate.ts";
import { createApp } from "../../src/main/app/app.ts";
import { credentialSchemes } from "../../src/main/app/credentialSchemes.ts";
import { mintToken } from "../../src/people/serviceAccounts/tokens.ts";
import { openSignIn } from "../../src/people/sso/openSignIn.ts";
import { createKeyring, type Keyring } from "../../src/platform/crypto/keyring.ts";
import type { Db } from "../../src/platform/db/client.ts";
import { createEgress } from "../../src/platform/egress/egress.ts";
import { openObjectStore } from "../../src/platform/objects/openStore.ts";
import { type SealedObjects, sealedObjects } from "../../src/platform/objects/sealed.ts";
import { createLogger } from "../../src/platform/telemetry/log.ts";
import { createMetrics } from "../../src/platform/telemetry/metrics.ts";
import { freshDatabase, type TestDatabase } from "./database.ts";
import { type TestService, testService } from "./fixtures.ts";

/** (resource_type, action), with a LIKE pattern or a group when the grant is targeted. */
export type Grant = [type: string, action: string, target?: { pattern?: string; group?: string }];

export type Answer = {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  body: any;
};

export type Caller = { token?: string; user?: string };
export type CallOptions = Caller & { body?: unknown; headers?: Record<string, string> };

export type PeopleApi = {
  database: TestDatabase;
  service: TestService;
  objects: SealedObjects;
  keyring: Keyring;
  /** Where `objects` are files. */
  objectFolder: string;
  app: ReturnType<typeof createApp>;
  metrics: ReturnType<typeof createMetrics>;
  baseUrl: string;
  /** Log lines so far, parsed. */
  logged: Record<string, unknown>[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  makeOrg(name?: string): Promise<string>;
  /** A service account of the organization that holds exactly these grants, with a token. */
  makeAccount(orgId: string, grants: Grant[]): Promise<{ id: string; token: string; roleId: string }>;
  /** A person; a member of the organizations given, holding these grants in each. */
  makeUser(options?: { superAdmin?: boolean; orgs?: string[]; grants?: Grant[] }): Promise<{ user: string }>;
  close(): Promise<void>;
};

/** A short cut past signing in: the header names the person, who gets a session to hold. */
function personScheme({ sql }: TestDatabase): CredentialScheme {
  return async (c) => {
    const id = c.req.header("x-test-user");
    if (id === undefined) return null;
    await sql`
      insert into sessions (user_id, token_sha256, csrf_sha256, expires_at)
      select u.id, sha256(convert_to(u.id, 'UTF8')), sha256('-'), svc_now() + interval '1 hour' from users u where u.id = ${id}
      on conflict (token_sha256) do nothing`;
    const [session] = await sql`select id from sessions where token_sha256 = sha256(convert_to(${id}, 'UTF8'))`;
    return { kind: "user", id, credential: { kind: "session", sessionId: session?.id ?? randomUUID() } };
  };
}

type Choices = {
  /** Of its own, to be away; else the test's database is the explore database too. */
  explore?: Db;
  /** Stands where the workflow is. */
  sender?: DecisionSender;
  git?: GitSettings;
  pullRequests?: PullRequestRoutesDeps;
  scm?: Partial<ScmRoutesDeps>;
  notifications?: Partial<NotificationRoutesDeps>;
  /** Settings of signing in and of outbound calls, as an operator gives them. */
  env?: NodeJS.ProcessEnv;
  workspaceIssuer?: string;
};

export async function startPeopleApi(choices: Choices = {}): Promise<PeopleApi> {
  const database = await freshDatabase();
  const service = testService(database);
  const metrics = createMetrics();
  const logged: Record<string, unknown>[] = [];
  const log = createLogger("debug", "test", { write: (line: string) => void logged.push(JSON.parse(line)) });
  const unused = new Proxy({}, { get: () => () => Promise.reject(new Error("not part of this test")) }) as never;
  const { git = unused } = choices;
  const folder = await mkdtemp(join(tmpdir(), "svc-objects-"));
  const keyring = createKeyring({ provider: "aes-256", key: randomBytes(32), previousKeys: [] });
  const objects = sealedObjects(openObjectStore(`file://${folder}`), keyring);
  const server = serve({ fetch: (request, env) => app.fetch(request, env), hostname: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = defaultConfig({ SVC_BACKEND_PUBLIC_BASE_URL: baseUrl, ...choices.env });
  const egress = createEgress(settings.egress);
  const signIn = await openSignIn({
    config: settings,
    db: database.db,
    keyring,
    egress,
    metrics,
    log,
    ...(choices.workspaceIssuer === undefined ? {} : { workspaceIssuer: choices.workspaceIssuer }),
  });
  const app = createApp({
    service,
    explore: choices.explore ?? database.db,
    config: {
      gitAllowProtocol: ["https", "ssh"],
      orgDefaults: { maxUsers: 1, runsPerHour: 2 },
      dependencies: settings.dependencies,
      dispatch: settings.dispatch,
    },
    log,
    metrics,
    readiness: { database: () => database.sql`select 1` },
    schemes: [personScheme(database), ...credentialSchemes(database.db, signIn.origin)],
    deployments: {
      sender: choices.sender ?? unused,
      headOf: (stack) => resolveHead(git, stack),
      decisionDeadlineMs: 1_000,
    },
    pullRequests: choices.pullRequests ?? { host: noHost, inbox: async () => null },
    scm: {
      checkHost: async () => {},
      publicBaseUrl: "https://deploy.example",
      bodies: webhookBodies(1_048_576),
      ...choices.scm,
    },
    notifications: { egress, ...choices.notifications },
    providers: openRuntimeProviders(settings.cloud, egress),
    objects,
    keyring,
    logs: logReading({ db: database.db, objects, keyring, graceMs: 900_000 }, () => {}),
    signIn,
    runnerRoutes: new Hono(),
  });

  const makeRole = async (orgId: string, grants: Grant[]): Promise<string> => {
    const { sql } = database;
    const [role] = await sql`insert into roles (org_id, name) values (${orgId}, ${randomUUID()}) returning id`;
    for (const [type, action, target = {}] of grants) {
      await sql`insert into role_permissions (role_id, resource_type, action, resource_pattern, authz_group)
        values (${role?.id}, ${type}, ${action}, ${target.pattern ?? null}, ${target.group ?? null})`;
    }
    return role?.id;
  };

  return {
    database,
    service,
    objects,
    keyring,
    objectFolder: folder,
    app,
    metrics,
    baseUrl,
    logged,
    async call(method, path, { token, user, body, headers = {} } = {}) {
      const answer = await fetch(baseUrl + path, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(user === undefined ? {} : { "x-test-user": user }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : {
              body:
                typeof body === "string" || body instanceof Uint8Array
                  ? (body as string | Uint8Array<ArrayBuffer>)
                  : JSON.stringify(body),
            }),
      });
      const text = await answer.text();
      const json = answer.headers.get("content-type")?.includes("json");
      return { status: answer.status, headers: answer.headers, text, body: json ? JSON.parse(text) : undefined };
    },
    async makeOrg(name = `org-${randomUUID().slice(0, 8)}`) {
      const [org] =
        await database.sql`insert into organizations (name, runs_per_hour_limit) values (${name}, 2) returning id`;
      return org?.id;
    },
    async makeAccount(orgId, grants) {
      const { sql } = database;
      const roleId = await makeRole(orgId, grants);
      const [account] =
        await sql`insert into service_accounts (org_id, name) values (${orgId}, ${randomUUID()}) returning id`;
      await sql`insert into role_assignments (org_id, role_id, service_account_id) values (${orgId}, ${roleId}, ${account?.id})`;
      const { token } = await mintToken(database.db, account?.id, { name: "t", lifetime: 3_600_000, createdBy: null });
      return { id: account?.id, token, roleId };
    },
    async makeUser({ superAdmin = false, orgs = [], grants = [] } = {}) {
      const { sql } = database;
      const user = `codehost:user-${randomUUID().slice(0, 8)}:1`;
      await sql`insert into users (id, provider_key, issuer, subject, login, is_super_admin)
        values (${user}, 'codehost', '', ${user}, ${user}, ${superAdmin})`;
      for (const orgId of orgs) {
        const roleId = await makeRole(orgId, grants);
        await sql`insert into memberships (org_id, user_id) values (${orgId}, ${user})`;
        await sql`insert into role_assignments (org_id, role_id, user_id) values (${orgId}, ${roleId}, ${user})`;
      }
      return { user };
    },
    async close() {
      await new Promise((resolve) => server.close(resolve));
      await egress.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
