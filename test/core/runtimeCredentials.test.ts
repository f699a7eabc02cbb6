/**
 * Cloud credentials at accept, against moto's STS and a Google that keeps to its documentation, up to a real runner's
 * plan (docs/rules/cloud.md#minted-at-accept).
 */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { putCloudIntegration } from "../../src/core/cloud/integrations.ts";
import { openRuntimeProviders } from "../../src/core/cloud/openProviders.ts";
import type { RuntimeProviders } from "../../src/core/cloud/provider.ts";
import { runtimeCredentials } from "../../src/core/cloud/runtimeCredentials.ts";
import type { NewDeployment } from "../../src/core/deployments/transitions/create.ts";
import { LogChunks } from "../../src/core/logs/logChunks.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import { createEgress, type Egress } from "../../src/platform/egress/egress.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { databaseText } from "../support/databaseText.ts";
import { ACTOR, create, type Group, makeOrg, makeStack } from "../support/fixtures.ts";
import { type GoogleCloud, startGoogleCloud } from "../support/googleCloud.ts";
import { type Moto, startMoto } from "../support/moto.ts";
import { coordinator, type RunnerApi, runner, startRunnerApi } from "../support/runnerApi.ts";
import {
  commitFiles,
  RunnerProcess,
  removeTemporaryDirectories,
  temporaryDirectory,
} from "../support/runnerProcess.ts";

let database: TestDatabase;
let moto: Moto;
let google: GoogleCloud;
let egress: Egress;
let api: RunnerApi;
let group: Group;
/** Every request that left for a cloud, as the egress client saw it. */
let sent: { url: string; body: URLSearchParams }[] = [];
const EMAIL = "deploy@acme.iam.gserviceaccount.com";
const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;

beforeAll(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  [database, moto, google] = await Promise.all([freshDatabase(), startMoto(), startGoogleCloud()]);
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", await google.credentialsFile(temporaryDirectory("google")));
  egress = createEgress({ ...defaultConfig({ SVC_EGRESS_ALLOW: "127.0.0.1" }).egress });
  api = await startRunnerApi(database, {
    sources: {
      runtimeCredentials: (subject, signal) => runtimeCredentials(database.db, providers(), subject, signal),
    },
  });
}, 180_000);
beforeEach(async () => {
  group = await makeOrg(database);
  google.granted = new Set([EMAIL]);
  google.outage = null;
  opened = open({});
  sent = [];
});
afterAll(async () => {
  await api?.close();
  await Promise.all([egress?.close(), moto?.stop(), google?.close(), database?.close()]);
  removeTemporaryDirectories();
});

let opened: RuntimeProviders;
const providers = () => opened;
function open(env: Record<string, string>, via: Pick<Egress, "request"> = egress): RuntimeProviders {
  const config = defaultConfig({
    SVC_CLOUD_A_STS_ENDPOINT: moto.endpoint,
    SVC_CLOUD_B_IAM_ENDPOINT: google.endpoint,
    ...env,
  });
  const watched: Pick<Egress, "request"> = {
    request: (call) => {
      sent.push({ url: call.url, body: new URLSearchParams(String(call.body ?? "")) });
      return via.request(call);
    },
  };
  return openRuntimeProviders(config.cloud, watched);
}

async function stackWith(integrations: Record<string, unknown>, settings: Record<string, unknown> = {}) {
  const stack_key = await makeStack(database, group.orgId, settings);
  for (const [type, config] of Object.entries(integrations)) {
    const stack = { org_id: group.orgId, stack_key, stack_name: "s" };
    await putCloudIntegration({ service: api.service, providers: opened }, ACTOR as never, stack, type, config);
  }
  return stack_key;
}

/** Claim the stack's run and accept it. */
async function accepted(stackKey: string, input: Partial<NewDeployment> = {}, afterCreation = async (_: string) => {}) {
  const deployment = await create(api.service, stackKey, input);
  await afterCreation(deployment);
  const claimed = await (await coordinator(api, group)).claim(5);
  const one = await runner(api, group, claimed);
  await one.ready();
  const answer = await one.accept();
  const body = (await answer.json()) as RunContext & { detail?: string; code?: string };
  const [run] = await database.sql`select status, error from runs where id = ${claimed.run_id}`;
  const [row] = await database.sql`select status from deployments where id = ${deployment}`;
  return { status: answer.status, body, run, deployment: row?.status, deploymentId: deployment };
}

const ROLES = {
  roles: [
    { name: "default", role_arn: arn("reader") },
    {
      name: "admin",
      role_arn: arn("admin"),
      use_in_previews: false,
      inline_policy: `{"Statement":{"Effect":"Deny","Action":"iam:*"}}`,
    },
  ],
};

describe("AWS", () => {
  test("each role is assumed by a call of its own, named after stack and deployment, for this organization's stack only", async () => {
    const stackKey = await stackWith({ cloud_a: ROLES }, { slug: "a".repeat(60), name: "a".repeat(60) });
    const { status, body, deploymentId } = await accepted(stackKey);
    expect(status).toBe(200);
    const [credentials] = body.runtime_credentials;
    expect(credentials?.provider_type).toBe("cloud_a");
    expect(Object.keys(credentials?.profiles ?? {}).sort()).toEqual(["admin", "default"]);
    for (const profile of Object.values(credentials?.profiles ?? {})) {
      expect(Object.keys(profile)).toEqual(["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]);
    }
    expect(Date.parse(credentials?.expires_at as string) - Date.now()).toBeGreaterThan(3_500_000);
    const asked = sent.map(({ body: form }) => Object.fromEntries(form));
    expect(asked).toHaveLength(2);
    for (const call of asked) {
      expect(call).toMatchObject({
        Action: "AssumeRole",
        RoleSessionName: `${"a".repeat(27)}@${deploymentId}`,
        ExternalId: `${group.orgId}:${"a".repeat(60)}`,
        DurationSeconds: "3600",
      });
      expect(call.RoleSessionName).toHaveLength(64);
    }
    expect(asked.find((call) => call.RoleArn === arn("admin"))?.Policy).toBe(
      `{"Statement":{"Effect":"Deny","Action":"iam:*"}}`,
    );
    // They are in the one answer and nowhere in the database.
    const text = await databaseText(database.sql);
    for (const value of Object.values(credentials?.profiles.default ?? {})) expect(text.includes(value)).toBe(false);
  });

  test("a refusal ends the run at once with what is wrong; the runner gets a 409 that says the same", async () => {
    const denied = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code>
      <Message>User: arn:aws:iam::1:user/svc is not authorized</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
    opened = open(
      {},
      { request: async () => ({ status: 403, headers: { "content-type": "text/xml" }, body: Buffer.from(denied) }) },
    );
    const { status, body, run, deployment } = await accepted(await stackWith({ cloud_a: ROLES }));
    expect([status, body.code]).toEqual([409, undefined]);
    expect(body.detail).toMatch(/AWS refused to assume the role .* of the profile \w+ \(AccessDenied\)/);
    expect([run?.status, run?.error, deployment]).toEqual(["failure", body.detail, "failed"]);
    expect(body.detail).not.toContain("user/svc");
  });

  test("an outage is 503 and the run stays assigned, so that a later claim may succeed", async () => {
    opened = open({ SVC_CLOUD_A_STS_ENDPOINT: "http://127.0.0.1:9" });
    const { status, body, run } = await accepted(await stackWith({ cloud_a: ROLES }));
    expect([status, body.code, run?.status]).toEqual([503, "runtime_credentials_unavailable", "assigned"]);
  });

  test("STS that never answers is given up before the lease ends, with no connection of the pool held meanwhile", async () => {
    opened = open(
      {},
      { request: ({ signal }) => new Promise((_, no) => signal?.addEventListener("abort", () => no(signal.reason))) },
    );
    const stackKey = await stackWith({ cloud_a: ROLES });
    await create(api.service, stackKey);
    const claimed = await (await coordinator(api, group)).claim(5);
    await database.sql`update runs set assigned_expires_at = svc_now() + interval '8 seconds' where id = ${claimed.run_id}`;
    const one = await runner(api, group, claimed);
    await one.ready();
    const answering = one.accept();
    await expect.poll(() => sent.length, { timeout: 10_000 }).toBeGreaterThan(0);
    const [held] = await database.sql`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    expect(held?.n).toBe(0);
    const answer = await answering;
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, "credentials_unavailable"]);
    const [run] =
      await database.sql`select status, assigned_expires_at > svc_now() as leased, accept_problem from runs where id = ${claimed.run_id}`;
    expect(run).toEqual({ status: "assigned", leased: true, accept_problem: expect.stringContaining("in time") });
  });

  test("an address that the egress rules forbid is not connected to", async () => {
    const strict = createEgress({ allow: [], ports: [80, 443] });
    opened = open({}, strict);
    const { status, run } = await accepted(await stackWith({ cloud_a: ROLES }));
    expect([status, run?.status]).toEqual([503, "assigned"]);
    await strict.close();
  });
});

describe("Google Cloud", () => {
  test("a token of the integration's account is minted by impersonation", async () => {
    const { status, body } = await accepted(await stackWith({ cloud_b: { service_account_email: EMAIL } }));
    expect(status).toBe(200);
    const minted = google.minted.at(-1);
    expect(body.runtime_credentials).toEqual([
      {
        provider_type: "cloud_b",
        profiles: { default: { access_token: minted?.token } },
        expires_at: expect.any(String),
      },
    ]);
    expect(minted?.body).toMatchObject({
      lifetime: "3600s",
      scope: ["https://www.googleapis.com/auth/cloud-platform"],
    });
    expect(sent.every(({ url }) => url.startsWith(google.endpoint))).toBe(true);
  });

  test("a refusal ends the run at once, an outage leaves it assigned", async () => {
    google.granted.clear();
    const refused = await accepted(await stackWith({ cloud_b: { service_account_email: EMAIL } }));
    expect([refused.status, refused.run?.status, refused.deployment]).toEqual([409, "failure", "failed"]);
    expect(refused.body.detail).toContain(`Google Cloud refused a token for ${EMAIL} (403)`);
    google.outage = 503;
    const out = await accepted(await stackWith({ cloud_b: { service_account_email: EMAIL } }));
    expect([out.status, out.body.code, out.run?.status]).toEqual([503, "runtime_credentials_unavailable", "assigned"]);
  });

  test("a token of the service's own that was taken back is asked for anew, and no run hears of it", async () => {
    const stack = () => stackWith({ cloud_b: { service_account_email: EMAIL } });
    expect((await accepted(await stack())).status).toBe(200);
    const before = google.exchanges;
    google.revoke();
    expect((await accepted(await stack())).status).toBe(200);
    expect(google.exchanges).toBe(before + 1);
  });

  test("the pre-flight proves the service's own identity without minting", async () => {
    const before = google.minted.length;
    await opened.get("cloud_b")?.authenticate(AbortSignal.timeout(5_000));
    await opened.get("cloud_a")?.authenticate(AbortSignal.timeout(5_000));
    expect(google.minted).toHaveLength(before);
    google.outage = 500;
    await expect(open({}).get("cloud_b")?.authenticate(AbortSignal.timeout(10_000))).rejects.toThrow();
  });
});

describe("previews", () => {
  const both = { cloud_a: ROLES, cloud_b: { service_account_email: EMAIL } };
  let requests = 0;
  const preview = async (isFork: boolean, known = true) => {
    const stackKey = await stackWith(both);
    const [request] = await database.sql`
      insert into pull_requests (org_id, repository_key, number, title, url, base_branch, head_branch, head_sha, is_fork, files_complete, host_updated_at)
      values (${group.orgId}, 'git.example/r', ${++requests}, 't', 'u', 'main', 'f', ${"a".repeat(40)}, ${isFork}, true, now()) returning id`;
    const { body, status } = await accepted(stackKey, { mode: "plan_unlocked" }, async (id) => {
      await database.sql`update deployments set origin_type = 'pull_request', pull_request_id = ${request?.id} where id = ${id}`;
      if (!known) await database.sql`delete from pull_requests where id = ${request?.id}`;
    });
    expect(status).toBe(200);
    return body.runtime_credentials.map(({ provider_type, profiles }) => [provider_type, Object.keys(profiles)]);
  };

  test("of a fork get none, nor do those whose pull request is gone; others get the roles meant for previews", async () => {
    expect(await preview(true)).toEqual([]);
    expect(await preview(false, false)).toEqual([]);
    expect(sent).toEqual([]);
    expect(await preview(false)).toEqual([
      ["cloud_a", ["default"]],
      ["cloud_b", ["default"]],
    ]);
  });
});

describe("on a real runner", () => {
  const WAIT = { timeout: 60_000, interval: 50 };
  let process: RunnerProcess | undefined;
  afterEach(async () => {
    process?.child.kill("SIGTERM");
    await process?.stop("SIGINT");
    process = undefined;
  });

  /** A plan that shows what it finds and waits until it may go on. */
  async function planning() {
    const world = temporaryDirectory("world");
    const script = [
      `cp "$AWS_SHARED_CREDENTIALS_FILE" ${world}/credentials`,
      `stat -c '%a' "$AWS_SHARED_CREDENTIALS_FILE" "$AWS_CONFIG_FILE" "$CLOUDSDK_AUTH_ACCESS_TOKEN_FILE" "$(dirname "$AWS_CONFIG_FILE")" > ${world}/modes`,
      `dirname "$AWS_CONFIG_FILE" > ${world}/folder`,
      `echo "token $GOOGLE_OAUTH_ACCESS_TOKEN"; cat "$AWS_SHARED_CREDENTIALS_FILE"`,
      `printf %s "$GOOGLE_OAUTH_ACCESS_TOKEN" > ${world}/token`,
      `touch ${world}/seen`,
      `while [ ! -e ${world}/go ]; do sleep 0.1; done`,
    ];
    const { url, commit } = commitFiles({
      "show.sh": `${script.join("\n")}\nexit 1\n`,
      "main.tf": `data "external" "never" {}\n`,
    });
    const stackKey = await stackWith(
      { cloud_a: ROLES, cloud_b: { service_account_email: EMAIL } },
      { repository_url: url },
    );
    // The engine stands in for any tool that a stack's code may start; it gets the engine's own environment.
    const engine = path.join(temporaryDirectory("engine"), "terraform");
    writeFileSync(
      engine,
      `#!/bin/sh\n[ "$1" = version ] && echo "Terraform v1.11.4" && exit 0\n[ "$1" = plan ] && exec sh ./show.sh\nexit 0\n`,
      { mode: 0o755 },
    );
    const deployment = await create(api.service, stackKey, { commitSha: commit });
    process = new RunnerProcess(
      { url: api.base.replace(/\/api\/v1$/, ""), groupId: group.id as never, privateKey: group.privateKeyPem },
      { RUNNER_TERRAFORM_PATH: engine },
    );
    await expect.poll(() => existsSync(path.join(world, "seen")), WAIT).toBe(true);
    const text = (name: string) => readFileSync(path.join(world, name), "utf8");
    return { world, text, folder: text("folder").trim(), deployment };
  }

  test("the profiles are there during the plan, private, masked in the log, and gone after it", async () => {
    const { world, text, folder, deployment } = await planning();
    expect(text("modes").trim().split("\n")).toEqual(["600", "600", "600", "700"]);
    expect(statSync(folder).isDirectory()).toBe(true);
    const sections = text("credentials").match(/^\[.+\]$/gm);
    expect(sections?.sort()).toEqual(["[admin]", "[default]"]);
    const secrets = [...text("credentials").matchAll(/^aws_\w+ = (.+)$/gm)].map(([, value]) => value as string);
    expect(secrets).toHaveLength(6);
    writeFileSync(path.join(world, "go"), "");
    await expect
      .poll(async () => (await database.sql`select status from deployments where id = ${deployment}`)[0]?.status, WAIT)
      .toBe("failed");
    await expect.poll(() => existsSync(folder), WAIT).toBe(false);
    const logs = await readLog(deployment);
    expect(logs).toContain("aws_session_token = ***");
    expect(logs).toContain("token ***");
    for (const secret of [...secrets, text("token")]) expect(logs.includes(secret)).toBe(false);
  });

  test("a runner that is killed leaves no profile behind", async () => {
    const { folder, deployment } = await planning();
    const ephemeral = (await process?.line("started an ephemeral runner")) && ephemeralPid(folder);
    globalThis.process.kill(ephemeral as number, "SIGKILL");
    await expect.poll(() => existsSync(folder), WAIT).toBe(false);
    await expect
      .poll(async () => (await database.sql`select status from deployments where id = ${deployment}`)[0]?.status, WAIT)
      .toBe("failed");
    await expect.poll(() => readdirSync(process?.workDir as string), WAIT).toEqual([]);
  });

  function ephemeralPid(folder: string): number {
    return Number(readFileSync(path.join(path.dirname(folder), "owner.pid"), "utf8"));
  }

  async function readLog(deployment: string): Promise<string> {
    const chunks = await database.sql`
      select l.run_id, l.chunk_index, l.size, l.object_key from log_chunks l join runs r on r.id = l.run_id where r.deployment_id = ${deployment} and l.sealed order by 2`;
    const logs = new LogChunks({
      db: database.db,
      objects: api.deps.objects,
      keyring: api.deps.keyring,
      graceMs: 900_000,
    });
    const texts = await Promise.all(
      chunks.map(({ run_id, chunk_index, size, object_key }) =>
        logs.sealedBytes(run_id, { index: chunk_index, size, objectKey: object_key } as never),
      ),
    );
    return Buffer.concat(texts).toString("utf8");
  }
});
