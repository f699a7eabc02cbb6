/** Runs whose stacks have identities, and who verifies them: what those tests begin with. */
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { NewDeployment } from "../../src/core/deployments/transitions/create.ts";
import type { RunContext, RunIdentities } from "../../src/core/runs/protocol.ts";
import { startApp, type TestApp } from "./app.ts";
import type { TestDatabase } from "./database.ts";
import { create, makeOrg, makeStack, type TestOrg } from "./fixtures.ts";
import { coordinator, PLAN_WITH_CHANGES, runner } from "./runnerApi.ts";
import { databaseTest } from "./test.ts";

export const AUDIENCE = "tests.example";
const FILES = { files: [{ name: "one", audience: AUDIENCE, variable: "ONE_TOKEN_FILE", use_in_previews: true }] };

/** As a runner of today accepts. */
const ACCEPT = { protocol: 3, looks_at_branch: true, renews_identities: true };

async function worldOf(database: TestDatabase, app: TestApp) {
  const { sql } = database;
  const base = `${app.baseUrl}/api/v1`;
  const org = await makeOrg(database, { runsPerHour: 100_000 });

  async function stackWith(
    integrations: Record<string, object> = { identity_files: FILES },
    settings: Record<string, unknown> = {},
    of: TestOrg = org,
  ): Promise<string> {
    const key = await makeStack(database, of.orgId, settings);
    for (const [type, config] of Object.entries(integrations))
      await sql`insert into cloud_integrations (stack_key, provider_type, config) values (${key}, ${type}, ${sql.json(config as never)})`;
    return key;
  }

  /** Claims the one run that is pending. */
  async function claimed(of: TestOrg = org) {
    const stub = await (await coordinator({ base }, of)).claim(5);
    const one = await runner({ base }, of, stub);
    await one.ready();
    return one;
  }
  type Run = Awaited<ReturnType<typeof claimed>>;

  async function accepted(run: Run, body: object = ACCEPT): Promise<RunContext & { code?: string }> {
    return (await (await run.accept(body)).json()) as RunContext;
  }

  /** A deployment's first run, accepted. */
  async function running(stackKey: string, input: Partial<NewDeployment> = {}, of: TestOrg = org) {
    const deploymentId = await create(app.service, stackKey, input);
    const run = await claimed(of);
    return { deploymentId, run, context: await accepted(run) };
  }

  async function renew(run: Run, runId = run.run_id) {
    const answer = await run.call("POST", `/runs/${runId}/identities`);
    const body = (await answer.json()) as RunIdentities & { code?: string };
    return { status: answer.status, ...body };
  }

  /** Ends a plan that has changes. */
  async function planned(run: Run): Promise<void> {
    await run.upload("plan", Buffer.from("a plan"));
    await run.done(PLAN_WITH_CHANGES);
  }

  const keys = createRemoteJWKSet(new URL(`${app.baseUrl}/.well-known/jwks.json`), { cooldownDuration: 0 });
  /** As a cloud does it, which knows the issuer's address and nothing else. */
  const verified = async (token: string | undefined, audience: string | null = AUDIENCE) => {
    const options = { issuer: app.baseUrl, algorithms: ["RS256"], ...(audience !== null && { audience }) };
    return (await jwtVerify(token ?? "", keys, options)).payload;
  };

  return { database, app, org, stackWith, claimed, accepted, running, renew, planned, verified };
}

export type World = Awaited<ReturnType<typeof worldOf>>;
export type AcceptedRun = Awaited<ReturnType<World["running"]>>;

export const test = databaseTest()
  .extend("app", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const app = await startApp(database, { hints: true, env: { SVC_DISPATCH_RATE_LIMIT: "off" } });
    onCleanup(() => app.close());
    return app;
  })
  .extend("world", ({ database, app }) => worldOf(database, app));
