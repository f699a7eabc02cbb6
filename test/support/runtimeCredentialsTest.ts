/** Runs of stacks with cloud integrations, before a scripted AWS and Google: what those tests begin with. */
import { vi } from "vitest";
import { cloudAccess } from "../../src/core/cloud/cloudAccess.ts";
import { putCloudIntegration } from "../../src/core/cloud/integrations.ts";
import { openRuntimeProviders } from "../../src/core/cloud/openProviders.ts";
import type { RuntimeProviders } from "../../src/core/cloud/provider.ts";
import type { NewDeployment } from "../../src/core/deployments/transitions/create.ts";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import { createEgress, type Egress } from "../../src/platform/egress/egress.ts";
import type { TestDatabase } from "./database.ts";
import { ACTOR, create, makeOrg, makeStack } from "./fixtures.ts";
import { type GoogleCloud, startGoogleCloud } from "./googleCloud.ts";
import { type Moto, startMoto } from "./moto.ts";
import { coordinator, type RunnerApi, runner, startRunnerApi } from "./runnerApi.ts";
import { removeTemporaryDirectories, temporaryDirectory } from "./runnerProcess.ts";
import { databaseTest } from "./test.ts";

export const EMAIL = "deploy@acme.iam.gserviceaccount.com";
export const arn = (name: string) => `arn:aws:iam::123456789012:role/${name}`;

export const ROLES = {
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

type Clouds = {
  opened: RuntimeProviders;
  /** Every request that left for a cloud, as the egress client saw it. */
  sent: { url: string; body: URLSearchParams }[];
  /** Roles whose trust policy asks for no external id. */
  unbound: Set<string>;
};

const DENIED = Buffer.from(
  "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>no</Message></Error></ErrorResponse>",
);

type Parts = {
  database: TestDatabase;
  moto: Moto;
  google: GoogleCloud;
  egress: Egress;
  clouds: Clouds;
  api: RunnerApi;
};

async function worldOf({ database, moto, google, egress, clouds, api }: Parts) {
  const group = await makeOrg(database);
  function open(env: Record<string, string>, via: Pick<Egress, "request"> = egress): RuntimeProviders {
    const config = defaultConfig({
      SVC_CLOUD_A_STS_ENDPOINT: moto.endpoint,
      SVC_CLOUD_B_IAM_ENDPOINT: google.endpoint,
      SVC_CLOUD_B_PROJECTS: `${group.orgId}:acme`,
      ...env,
    });
    const watched: Pick<Egress, "request"> = {
      request: async (call) => {
        const body = new URLSearchParams(String(call.body ?? ""));
        // The stand-in looks at no trust policy; those of these tests ask for the external id.
        const bound = body.get("Action") === "AssumeRole" && !clouds.unbound.has(body.get("RoleArn") ?? "");
        if (bound && !body.has("ExternalId"))
          return { status: 403, headers: { "content-type": "text/xml" }, body: DENIED };
        clouds.sent.push({ url: call.url, body });
        return via.request(call);
      },
    };
    return openRuntimeProviders(config.cloud, watched);
  }

  async function stackWith(integrations: Record<string, unknown>, settings: Record<string, unknown> = {}) {
    const stack_key = await makeStack(database, group.orgId, settings);
    for (const [type, config] of Object.entries(integrations)) {
      const stack = { org_id: group.orgId, stack_key, stack_name: "s" };
      await putCloudIntegration(
        { service: api.service, providers: clouds.opened },
        ACTOR as never,
        stack,
        type,
        config,
      );
    }
    return stack_key;
  }

  /** Claim the stack's run and accept it. */
  async function accepted(
    stackKey: string,
    input: Partial<NewDeployment> = {},
    afterCreation = async (_: string) => {},
  ) {
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

  google.granted = new Set([EMAIL]);
  google.outage = null;
  Object.assign(clouds, { opened: open({}), sent: [], unbound: new Set() });
  return { database, google, clouds, api, group, open, stackWith, accepted };
}

export type World = Awaited<ReturnType<typeof worldOf>>;

// Moto is fetched where it never ran.
vi.setConfig({ testTimeout: 180_000 });

export const test = databaseTest()
  .extend("moto", { scope: "file" }, async ({}, { onCleanup }) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
    const moto = await startMoto();
    onCleanup(() => moto.stop());
    return moto;
  })
  .extend("google", { scope: "file" }, async ({}, { onCleanup }) => {
    const google = await startGoogleCloud();
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", await google.credentialsFile(temporaryDirectory("google")));
    onCleanup(async () => {
      await google.close();
      removeTemporaryDirectories();
    });
    return google;
  })
  .extend("egress", { scope: "file" }, ({}, { onCleanup }) => {
    const egress = createEgress({ ...defaultConfig({ SVC_EGRESS_ALLOW: "127.0.0.1" }).egress });
    onCleanup(() => egress.close());
    return egress;
  })
  .extend("clouds", { scope: "file" }, (): Clouds => ({ opened: new Map() as never, sent: [], unbound: new Set() }))
  .extend("api", { scope: "file" }, async ({ database, clouds }, { onCleanup }) => {
    const api = await startRunnerApi(database, {
      sources: {
        cloudAccess: (subject, signal) =>
          cloudAccess({ db: database.db, providers: clouds.opened, issuer: null }, subject, signal),
      },
    });
    onCleanup(() => api.close());
    return api;
  })
  .extend("world", ({ database, moto, google, egress, clouds, api }) =>
    worldOf({ database, moto, google, egress, clouds, api }),
  );
