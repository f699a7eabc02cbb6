/**
 * The identity of a run: who it says the run is, whom it convinces, and how long it is renewed
 * (docs/rules/identity.md).
 */
import { decodeProtectedHeader } from "jose";
import { allowInsecureRequests, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import { describe, expect } from "vitest";
import { COMMIT, create, decide, makeOrg, makeStack } from "../support/fixtures.ts";
import { AUDIENCE, test, type World } from "../support/identitiesTest.ts";
import { coordinator } from "../support/runnerApi.ts";

describe("the issuer", () => {
  test("is found by a client of OpenID Connect, with keys that are public alone", async ({ world, app }) => {
    await world.running(await world.stackWith());
    const issuer = new URL(app.baseUrl);
    const found = await processDiscoveryResponse(
      issuer,
      await discoveryRequest(issuer, { algorithm: "oidc", [allowInsecureRequests]: true }),
    );
    expect(found).toMatchObject({ issuer: app.baseUrl, id_token_signing_alg_values_supported: ["RS256"] });
    const answer = await fetch(found.jwks_uri ?? "");
    const { keys } = (await answer.json()) as { keys: Record<string, string>[] };
    expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
    expect(keys.map((key) => Object.keys(key).sort())).toEqual([["alg", "e", "kid", "kty", "n", "use"]]);
  });

  test("keeps its private keys sealed", async ({ world, database }) => {
    await world.running(await world.stackWith());
    const rows = await database.sql`select private_key, public_jwk from identity_keys`;
    expect(rows.length).toBeGreaterThan(0);
    for (const { private_key, public_jwk } of rows) {
      expect(private_key.toString("latin1")).not.toContain("PRIVATE KEY");
      expect(Object.keys(public_jwk).sort()).toEqual(["e", "kty", "n"]);
    }
  });
});

describe("a token", () => {
  test("is verified by the published keys, and says which run it is", async ({ world, app, database }) => {
    const stackKey = await world.stackWith({}, { slug: "network", labels: { environment: "production" } });
    await database.sql`insert into cloud_integrations (stack_key, provider_type, config)
      values (${stackKey}, 'identity_files', ${database.sql.json({
        files: [{ name: "one", audience: AUDIENCE, variable: "ONE_FILE", use_in_previews: true }],
      })})`;
    const { deploymentId, run, context } = await world.running(stackKey);
    const [identity] = context.identities ?? [];
    expect(identity).toEqual({
      provider_type: "identity_files",
      name: "one",
      settings: { variable: "ONE_FILE" },
      token: expect.any(String),
      expires_at: expect.any(String),
      expires_in: 900,
    });
    const { iat = 0, nbf = 0, exp = 0, jti, ...claims } = await world.verified(identity?.token);
    expect(claims).toEqual({
      iss: app.baseUrl,
      aud: AUDIENCE,
      sub: `org:${world.org.orgId}:stack:${stackKey}:phase:plan`,
      organization_id: world.org.orgId,
      stack_key: stackKey,
      stack_slug: "network",
      phase: "plan",
      run_id: run.run_id,
      run_kind: "plan_run",
      deployment_id: deploymentId,
      mode: "plan",
      origin: "manual",
      provenance: "branch",
      branch: "main",
      commit_sha: COMMIT,
      runner_group_id: world.org.groupId,
      environment: "production",
    });
    expect([exp - iat, iat - nbf, Date.parse(identity?.expires_at ?? "") / 1_000]).toEqual([900, 60, exp]);
    expect(jti).toMatch(/^[0-9a-f-]{36}$/);
    expect(decodeProtectedHeader(identity?.token ?? "")).toEqual({
      alg: "RS256",
      typ: "JWT",
      kid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await expect(world.verified(identity?.token, "somebody-else.example")).rejects.toThrow();
  });

  test("is for each audience that is declared, and shared by uses of one", async ({ world }) => {
    const role = (name: string) => ({
      name,
      role_arn: `arn:aws:iam::123456789012:role/${name}`,
      use_in_previews: true,
    });
    const stackKey = await world.stackWith({
      aws_identity: { audience: "sts.amazonaws.com", roles: [role("a"), role("b")] },
      google_identity: {
        workload_identity_provider: "projects/1/locations/global/workloadIdentityPools/pool/providers/prov",
        use_in_previews: true,
      },
      vault_identity: { address: "https://vault.example", audience: "vault", use_in_previews: true },
    });
    const { context } = await world.running(stackKey);
    const seen = await Promise.all(
      (context.identities ?? []).map(async ({ provider_type, name, token, settings }) => {
        const { aud } = await world.verified(token, null);
        return { of: `${provider_type}/${name}`, aud, settings };
      }),
    );
    const session = { role_session_name: expect.stringContaining("@") };
    expect(seen).toEqual([
      { of: "aws_identity/a", aud: "sts.amazonaws.com", settings: { role_arn: role("a").role_arn, ...session } },
      { of: "aws_identity/b", aud: "sts.amazonaws.com", settings: { role_arn: role("b").role_arn, ...session } },
      {
        of: "google_identity/default",
        aud: "https://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/prov",
        settings: {
          audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/prov",
        },
      },
      { of: "vault_identity/default", aud: "vault", settings: { address: "https://vault.example" } },
    ]);
    const [a, b] = context.identities ?? [];
    expect(a?.token).toBe(b?.token);
  });

  test("ends when the run has to be over, and there is no further one then", async ({ world, database }) => {
    const stackKey = await world.stackWith();
    await database.sql`update stacks set max_run_duration_ms = 60000 where stack_key = ${stackKey}`;
    const { run, context } = await world.running(stackKey);
    expect(context.identities?.[0]?.expires_in).toBeLessThanOrEqual(60);
    await database.sql`update stacks set max_run_duration_ms = 1 where stack_key = ${stackKey}`;
    expect(await world.renew(run)).toMatchObject({ status: 409, detail: "The run has reached its longest duration." });
  });

  test("is given to no runner that could not renew it, and the run waits for another", async ({ world, database }) => {
    await create(world.app.service, await world.stackWith());
    const run = await world.claimed();
    expect(await world.accepted(run, { protocol: 3, looks_at_branch: true })).toMatchObject({ code: "runner_too_old" });
    const [row] = await database.sql`select status from runs where id = ${run.run_id}`;
    expect(row?.status).toBe("assigned");
    expect((await world.accepted(run)).identities).toHaveLength(1);
  });
});

let requests = 0;
/** The phase that a run's identity names; null where it has none. */
async function phaseOf(world: World, { context }: Awaited<ReturnType<World["running"]>>): Promise<unknown> {
  const [identity] = context.identities ?? [];
  return identity === undefined ? null : (await world.verified(identity.token)).phase;
}

describe("what a run may be taken for", () => {
  async function preview(world: World, isFork: boolean, known = true) {
    const stackKey = await world.stackWith();
    const { sql } = world.database;
    const [request] = await sql`
      insert into pull_requests (org_id, repository_key, number, title, url, base_branch, head_branch, head_sha, is_fork, files_complete, host_updated_at)
      values (${world.org.orgId}, 'git.example/r', ${++requests}, 't', 'u', 'main', 'f', ${"a".repeat(40)}, ${isFork}, true, now()) returning id`;
    const id = await create(world.app.service, stackKey, { mode: "plan_unlocked" });
    await sql`update deployments set origin_type = 'pull_request', pull_request_id = ${request?.id} where id = ${id}`;
    if (!known) await sql`delete from pull_requests where id = ${request?.id}`;
    const run = await world.claimed();
    return { deploymentId: id, run, context: await world.accepted(run) };
  }

  test("is decided by what it runs: plan, apply, a command, and previews by a phase of their own", async ({
    world,
    database,
  }) => {
    const stackKey = await world.stackWith();
    const plan = await world.running(stackKey);
    await world.planned(plan.run);
    await decide(world.app.service, database, plan.deploymentId, "confirm", { action: "apply" });
    const apply = await world.claimed();
    const context = await world.accepted(apply);
    expect(context.run.kind).toBe("apply_run");
    const phases = [
      await phaseOf(world, plan),
      await phaseOf(world, { ...plan, context }),
      await phaseOf(world, await preview(world, false)),
      await phaseOf(world, await world.running(await world.stackWith(), { mode: "plan_unlocked" })),
      await phaseOf(world, await world.running(await world.stackWith(), { mode: "destroy" })),
    ];
    expect(phases).toEqual(["plan", "apply", "preview", "preview", "plan"]);
    await apply.done({ status: "success" });
  });

  test("a fork's preview has none, nor one whose request is gone, nor a commit from elsewhere", async ({ world }) => {
    expect(await phaseOf(world, await preview(world, true))).toBeNull();
    expect(await phaseOf(world, await preview(world, false, false))).toBeNull();
    expect(await phaseOf(world, await world.running(await world.stackWith(), { provenance: "foreign" }))).toBeNull();
    const forked = await preview(world, true);
    expect(await world.renew(forked.run)).toMatchObject({ status: 200, items: [] });
  });

  test("the head of a pull request is a preview, also in the apply of a deployment that was made of it by hand", async ({
    world,
    database,
  }) => {
    const plan = await world.running(await world.stackWith(), { provenance: "pull_request" });
    expect(await phaseOf(world, plan)).toBe("preview");
    await world.planned(plan.run);
    await decide(world.app.service, database, plan.deploymentId, "confirm", { action: "apply" });
    const apply = await world.claimed();
    const context = await world.accepted(apply);
    expect([context.run.kind, await phaseOf(world, { ...plan, context })]).toEqual(["apply_run", "preview"]);
    expect((await world.verified(context.identities?.[0]?.token)).branch).toBeUndefined();
    await apply.done({ status: "success" });
  });

  test("what is kept from previews is given to none, at accept and at each renewal", async ({ world, database }) => {
    const kept = { files: [{ name: "one", audience: AUDIENCE, variable: "A_FILE", use_in_previews: false }] };
    const shown = { files: [{ name: "one", audience: AUDIENCE, variable: "A_FILE", use_in_previews: true }] };
    const hidden = await world.running(await world.stackWith({ identity_files: kept }), { mode: "plan_unlocked" });
    expect(hidden.context.identities).toBeUndefined();
    expect((await world.renew(hidden.run)).items).toEqual([]);
    const stackKey = await world.stackWith({ identity_files: shown });
    const { run, context } = await world.running(stackKey, { mode: "plan_unlocked" });
    expect(context.identities).toHaveLength(1);
    await database.sql`update cloud_integrations set config = ${database.sql.json(kept)} where stack_key = ${stackKey}`;
    expect((await world.renew(run)).items).toEqual([]);
  });
});

describe("renewal", () => {
  test("goes on while the run does, also while it is cancelled, and ends with it", async ({ world, database }) => {
    const { run, context, deploymentId } = await world.running(await world.stackWith());
    const first = await world.verified(context.identities?.[0]?.token);
    const renewed = await world.renew(run);
    const next = await world.verified(renewed.items[0]?.token);
    expect([renewed.status, next.sub, next.jti === first.jti]).toEqual([200, first.sub, false]);
    await decide(world.app.service, database, deploymentId, "cancel");
    expect((await world.renew(run)).status).toBe(200);
    await run.acknowledge();
    expect((await world.renew(run)).status).toBe(200);
    await run.done({ status: "cancelled" });
    // The runner's token still works: for the end of its log, and for no further identity.
    expect(await world.renew(run)).toMatchObject({ status: 409, code: "run_already_terminal" });
    expect((await run.status()).status).toBe(200);
  });

  test("is refused before the run was accepted", async ({ world }) => {
    await create(world.app.service, await world.stackWith());
    const run = await world.claimed();
    expect(await world.renew(run)).toMatchObject({ status: 409 });
    await world.accepted(run);
  });

  test("ends at once when the integration goes", async ({ world, database }) => {
    const stackKey = await world.stackWith();
    const { run } = await world.running(stackKey);
    await database.sql`delete from cloud_integrations where stack_key = ${stackKey}`;
    expect(await world.renew(run)).toMatchObject({ status: 200, items: [] });
  });

  test("with another run's token, another organization's or a coordinator's gives nothing", async ({
    world,
    database,
    app,
  }) => {
    const other = await makeOrg(database);
    const one = await world.running(await world.stackWith());
    const two = await world.running(await world.stackWith());
    const foreign = await world.running(await world.stackWith(undefined, {}, other), {}, other);
    expect((await world.renew(two.run, one.run.run_id)).status).toBe(403);
    expect((await world.renew(foreign.run, one.run.run_id)).status).toBe(403);
    const group = await coordinator({ base: `${app.baseUrl}/api/v1` }, world.org);
    const path = `${app.baseUrl}/api/v1/runs/${one.run.run_id}/identities`;
    const token = `Bearer ${one.context.identities?.[0]?.token}`;
    for (const authorization of [token, undefined]) {
      const headers = authorization === undefined ? {} : { authorization };
      expect((await fetch(path, { method: "POST", headers })).status).toBe(401);
    }
    expect((await group.call("POST", `../runs/${one.run.run_id}/identities`)).status).toBe(401);
  });

  test("a preview that asks for an apply's identity gets its own", async ({ world }) => {
    const { run } = await world.running(await world.stackWith(), { mode: "plan_unlocked" });
    const answer = await run.call("POST", `/runs/${run.run_id}/identities?phase=apply`, { phase: "apply" });
    const { items } = (await answer.json()) as { items: { token: string }[] };
    expect((await world.verified(items[0]?.token)).phase).toBe("preview");
  });

  test("opens nothing of the service itself", async ({ world, app }) => {
    const { context } = await world.running(await world.stackWith());
    const authorization = `Bearer ${context.identities?.[0]?.token}`;
    for (const path of [`/orgs/${world.org.orgId}/stacks`, "/auth/me", "/runner-groups/poll"])
      expect((await fetch(`${app.baseUrl}/api/v1${path}`, { headers: { authorization } })).status).toBe(401);
  });
});

test("where the service has no public address it is nobody's issuer, and runs of such stacks fail with the reason", async ({
  world,
  database,
}) => {
  const { startApp } = await import("../support/app.ts");
  const app = await startApp(database, { hints: true, env: { SVC_BACKEND_PUBLIC_BASE_URL: "" } });
  try {
    expect((await fetch(`${app.baseUrl}/.well-known/openid-configuration`)).status).toBe(404);
    expect((await fetch(`${app.baseUrl}/.well-known/jwks.json`)).status).toBe(404);
    await create(app.service, await world.stackWith());
    const run = await world.claimed();
    const answer = await fetch(`${app.baseUrl}/api/v1/runs/${run.run_id}/accept`, {
      method: "POST",
      headers: { authorization: run.authorization },
    });
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining("identity_files") });
    const [row] = await database.sql`select status from runs where id = ${run.run_id}`;
    expect(row?.status).toBe("failure");
  } finally {
    await app.close();
  }
});

test("a stack without integrations asks for no key", async ({ world }) => {
  const { context } = await world.running(await makeStack(world.database, world.org.orgId));
  expect(context.identities).toBeUndefined();
});
