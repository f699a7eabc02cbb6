/**
 * Cloud credentials at accept, against moto's STS and a Google that keeps to its documentation
 * (docs/rules/cloud.md#minted-at-accept).
 */
import { describe, expect } from "vitest";
import { createEgress } from "../../src/platform/egress/egress.ts";
import { databaseText } from "../support/databaseText.ts";
import { create } from "../support/fixtures.ts";
import { coordinator, runner } from "../support/runnerApi.ts";
import { arn, EMAIL, ROLES, test, type World } from "../support/runtimeCredentialsTest.ts";

describe("AWS", () => {
  test("each role is assumed by a call of its own, named after stack and deployment, for this organization's stack only", async ({
    world,
  }) => {
    const { database, clouds, group, stackWith, accepted } = world;
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
    const asked = clouds.sent.map(({ body: form }) => Object.fromEntries(form));
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

  test("a refusal ends the run at once with what is wrong; the runner gets a 409 that says the same", async ({
    world,
  }) => {
    const { clouds, open, stackWith, accepted } = world;
    const denied = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code>
      <Message>User: arn:aws:iam::1:user/svc is not authorized</Message></Error><RequestId>r</RequestId></ErrorResponse>`;
    clouds.opened = open(
      {},
      { request: async () => ({ status: 403, headers: { "content-type": "text/xml" }, body: Buffer.from(denied) }) },
    );
    const { status, body, run, deployment } = await accepted(await stackWith({ cloud_a: ROLES }));
    expect([status, body.code]).toEqual([409, undefined]);
    expect(body.detail).toMatch(/AWS refused to assume the role .* of the profile \w+ \(AccessDenied\)/);
    expect([run?.status, run?.error, deployment]).toEqual(["failure", body.detail, "failed"]);
    expect(body.detail).not.toContain("user/svc");
  });

  test("an outage is 503 and the run stays assigned, so that a later claim may succeed", async ({ world }) => {
    const { clouds, open, stackWith, accepted } = world;
    clouds.opened = open({ SVC_CLOUD_A_STS_ENDPOINT: "http://127.0.0.1:9" });
    const { status, body, run } = await accepted(await stackWith({ cloud_a: ROLES }));
    expect([status, body.code, run?.status]).toEqual([503, "runtime_credentials_unavailable", "assigned"]);
  });

  test("STS that never answers is given up before the lease ends, with no connection of the pool held meanwhile", async ({
    world,
  }) => {
    const { database, clouds, api, group, open, stackWith } = world;
    clouds.opened = open(
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
    await expect.poll(() => clouds.sent.length, { timeout: 10_000 }).toBeGreaterThan(0);
    const [held] = await database.sql`
      select count(*)::int as n from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`;
    expect(held?.n).toBe(0);
    const answer = await answering;
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, "credentials_unavailable"]);
    const [run] =
      await database.sql`select status, assigned_expires_at > svc_now() as leased, accept_problem from runs where id = ${claimed.run_id}`;
    expect(run).toEqual({ status: "assigned", leased: true, accept_problem: expect.stringContaining("in time") });
  });

  test("an address that the egress rules forbid is not connected to", async ({ world }) => {
    const { clouds, open, stackWith, accepted } = world;
    const strict = createEgress({ allow: [], ports: [80, 443] });
    clouds.opened = open({}, strict);
    const { status, run } = await accepted(await stackWith({ cloud_a: ROLES }));
    expect([status, run?.status]).toEqual([503, "assigned"]);
    await strict.close();
  });
});

test("a role that is assumed without the external id is refused when it is named", async ({ world }) => {
  const { clouds, stackWith } = world;
  clouds.unbound.add(arn("admin"));
  await expect(stackWith({ cloud_a: ROLES })).rejects.toMatchObject({
    status: 422,
    errors: [{ field: "config.roles", message: expect.stringContaining("any organization: admin;") }],
  });
  clouds.unbound.clear();
  await stackWith({ cloud_a: ROLES });
});

describe("Google Cloud", () => {
  test("a project that is not open any more gives no token, whatever is stored", async ({ world }) => {
    const { google, clouds, stackWith, accepted, open } = world;
    const key = await stackWith({ cloud_b: { service_account_email: EMAIL } });
    const before = google.minted.length;
    clouds.opened = open({ SVC_CLOUD_B_PROJECTS: "*:other" });
    const { run } = await accepted(key);
    expect(run).toMatchObject({ status: "failure", error: expect.stringContaining("SVC_CLOUD_B_PROJECTS") });
    expect(google.minted).toHaveLength(before);
  });

  test("a token of the integration's account is minted by impersonation", async ({ world }) => {
    const { google, clouds, stackWith, accepted } = world;
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
    expect(clouds.sent.every(({ url }) => url.startsWith(google.endpoint))).toBe(true);
  });

  test("a refusal ends the run at once, an outage leaves it assigned", async ({ world }) => {
    const { google, stackWith, accepted } = world;
    google.granted.clear();
    const refused = await accepted(await stackWith({ cloud_b: { service_account_email: EMAIL } }));
    expect([refused.status, refused.run?.status, refused.deployment]).toEqual([409, "failure", "failed"]);
    expect(refused.body.detail).toContain(`Google Cloud refused a token for ${EMAIL} (403)`);
    google.outage = 503;
    const out = await accepted(await stackWith({ cloud_b: { service_account_email: EMAIL } }));
    expect([out.status, out.body.code, out.run?.status]).toEqual([503, "runtime_credentials_unavailable", "assigned"]);
  });

  test("a token of the service's own that was taken back is asked for anew, and no run hears of it", async ({
    world,
  }) => {
    const { google, stackWith, accepted } = world;
    const stack = () => stackWith({ cloud_b: { service_account_email: EMAIL } });
    expect((await accepted(await stack())).status).toBe(200);
    const before = google.exchanges;
    google.revoke();
    expect((await accepted(await stack())).status).toBe(200);
    expect(google.exchanges).toBe(before + 1);
  });

  test("the pre-flight proves the service's own identity without minting", async ({ world }) => {
    const { google, clouds, open } = world;
    const before = google.minted.length;
    await clouds.opened.get("cloud_b")?.authenticate(AbortSignal.timeout(5_000));
    await clouds.opened.get("cloud_a")?.authenticate(AbortSignal.timeout(5_000));
    expect(google.minted).toHaveLength(before);
    google.outage = 500;
    await expect(open({}).get("cloud_b")?.authenticate(AbortSignal.timeout(10_000))).rejects.toThrow();
  });
});

describe("previews", () => {
  const both = { cloud_a: ROLES, cloud_b: { service_account_email: EMAIL } };
  let requests = 0;
  const preview = async (
    { database, group, stackWith, accepted }: World,
    isFork: boolean,
    known = true,
    config: Record<string, unknown> = both,
  ) => {
    const stackKey = await stackWith(config);
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

  test("of a fork get none, nor do those whose pull request is gone; others get the roles meant for previews", async ({
    world,
  }) => {
    const { clouds } = world;
    expect(await preview(world, true)).toEqual([]);
    expect(await preview(world, false, false)).toEqual([]);
    expect(clouds.sent).toEqual([]);
    expect(await preview(world, false)).toEqual([
      ["cloud_a", ["default"]],
      ["cloud_b", ["default"]],
    ]);
  });

  test("act as no service account that is kept from them, and plans do", async ({ world }) => {
    const { google, stackWith, accepted } = world;
    const config = { cloud_b: { service_account_email: EMAIL, use_in_previews: false } };
    const before = google.minted.length;
    expect(await preview(world, false, true, config)).toEqual([]);
    expect(google.minted).toHaveLength(before);
    expect((await accepted(await stackWith(config))).body.runtime_credentials).toMatchObject([
      { provider_type: "cloud_b" },
    ]);
  });
});
