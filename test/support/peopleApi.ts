/** People's routes on a real server over a fresh database, with principals whose permissions a test chooses. */
import { randomUUID } from "node:crypto";
import { insertOrg } from "../../bench/harness/rows.ts";
import type { HeadOf } from "../../src/core/deployments/head.ts";
import { type GitSettings, resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import type { CredentialScheme } from "../../src/http/authenticate.ts";
import { mintToken } from "../../src/people/serviceAccounts/tokens.ts";
import { type AppChoices, startApp, type TestApp } from "./app.ts";
import { freshDatabase, type TestDatabase } from "./database.ts";
import { STAND_IN } from "./policyFixtures.ts";

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

export type PeopleApi = TestApp & {
  database: TestDatabase;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  makeOrg(name?: string): Promise<string>;
  /** A service account of the organization that holds exactly these grants, with a token. */
  makeAccount(orgId: string, grants: Grant[]): Promise<{ id: string; token: string; roleId: string }>;
  /** A person; a member of the organizations given, holding these grants in each. */
  makeUser(options?: { superAdmin?: boolean; orgs?: string[]; grants?: Grant[] }): Promise<{ user: string }>;
};

/** What the application serves below its API's prefixes, but for the runner protocol: its callers are no people. */
export function routesOfPeople({ app }: PeopleApi) {
  return app.routes.filter(
    ({ path, method }) => method !== "ALL" && /^\/api\/(operator\/)?v1\/(?!runner-groups|runners|runs)/.test(path),
  );
}

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

function headBy(git: GitSettings | undefined): HeadOf {
  if (git !== undefined) return (stack, named) => resolveHead(git, stack, named);
  return async (_stack, sha) => {
    if (sha === undefined) throw new Error("no git in this test");
    return { sha, message: null, author: null };
  };
}

type Choices = Pick<
  AppChoices,
  | "explore"
  | "sender"
  | "pullRequests"
  | "scm"
  | "notifications"
  | "env"
  | "workspaceIssuer"
  | "keyring"
  | "preflight"
  | "hints"
  | "txt"
  | "console"
  | "ownsThroughApp"
> & {
  /** How heads are found; `host`: as the product does it. */
  git?: GitSettings | "host";
};

export async function startPeopleApi({ git, ...choices }: Choices = {}): Promise<PeopleApi> {
  const database = await freshDatabase();
  const server = await startApp(database, {
    ...choices,
    env: { SVC_DECISION_DEADLINE: "PT1S", SVC_OPA: STAND_IN, SVC_SCM_WEBHOOK_MAX_BYTES: "1048576", ...choices.env },
    ...(git !== "host" && { headOf: headBy(git) }),
    // A scripted host listens at an address of this machine.
    scm: { checkHost: async () => {}, publicBaseUrl: "https://deploy.example", ...choices.scm },
    schemes: [personScheme(database)],
    // Here is no identity that a cloud would know.
    preflight: choices.preflight ?? (async () => {}),
  });
  const { baseUrl } = server;

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
    ...server,
    database,
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
      const json = /^application\/(?:problem\+)?json\b/.test(answer.headers.get("content-type") ?? "");
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: json && text !== "" ? JSON.parse(text) : undefined,
      };
    },
    async makeOrg(name = `org-${randomUUID().slice(0, 8)}`) {
      return insertOrg(database.sql, { name, runsPerHour: 2 });
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
      await server.close();
      await database.close();
    },
  };
}
