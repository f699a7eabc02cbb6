/**
 * The files of a run's identities, read by the clouds' own libraries: AWS against moto's STS, Google against a stand-in
 * that verifies the token by the published keys.
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { ExternalAccountClient } from "google-auth-library";
import { expect, vi } from "vitest";
import { writeIdentities } from "../../runner/engine/identityFiles.ts";
import { startGoogleCloud } from "../support/googleCloud.ts";
import { test as identityTest } from "../support/identitiesTest.ts";
import { startMoto } from "../support/moto.ts";

// Moto is fetched where it never ran.
vi.setConfig({ testTimeout: 180_000 });

const test = identityTest
  .extend("scratch", async ({}, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), "svc-identities-"));
    onCleanup(() => rm(folder, { recursive: true, force: true }));
    return join(folder, "identity");
  })
  .extend("moto", { scope: "file" }, async ({}, { onCleanup }) => {
    const moto = await startMoto();
    onCleanup(() => moto.stop());
    return moto;
  });

test("AWS: the SDK finds the token by the variables alone and assumes the role with it", async ({
  world,
  moto,
  scratch,
}) => {
  const role = (name: string) => ({ name, role_arn: `arn:aws:iam::123456789012:role/${name}`, use_in_previews: true });
  const stackKey = await world.stackWith(
    { aws_identity: { audience: "sts.amazonaws.com", roles: [role("default"), role("network")] } },
    { slug: "of-aws" },
  );
  const { context, deploymentId } = await world.running(stackKey);
  const variables = await writeIdentities(context.identities ?? [], scratch);
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"])
    vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({
    ...variables,
    AWS_ENDPOINT_URL_STS: moto.endpoint,
    AWS_REGION: "eu-west-1",
  }))
    vi.stubEnv(name, value);
  const whoAmI = async (profile?: string) => {
    const client = new STSClient({ endpoint: moto.endpoint, ...(profile && { profile }) });
    try {
      return (await client.send(new GetCallerIdentityCommand({}))).Arn;
    } finally {
      client.destroy();
    }
  };
  const session = `of-aws@${deploymentId}`;
  expect(await whoAmI()).toBe(`arn:aws:sts::123456789012:assumed-role/default/${session}`);
  expect(await whoAmI("network")).toBe(`arn:aws:sts::123456789012:assumed-role/network/${session}`);
  vi.unstubAllEnvs();
});

test("Google: its library exchanges the token of the file and acts as the account", async ({ world, scratch }) => {
  const email = "network@acme.iam.gserviceaccount.com";
  const provider = "projects/1/locations/global/workloadIdentityPools/deploys/providers/service";
  const google = await startGoogleCloud();
  google.granted.add(email);
  google.federated = {
    audience: `//iam.googleapis.com/${provider}`,
    verify: (token) =>
      world.verified(token, `https://iam.googleapis.com/${provider}`).then(
        ({ phase, organization_id }) => phase === "plan" && organization_id === world.org.orgId,
        () => false,
      ),
  };
  try {
    const config = { workload_identity_provider: provider, service_account_email: email, use_in_previews: true };
    const { context } = await world.running(await world.stackWith({ google_identity: config }));
    const { GOOGLE_APPLICATION_CREDENTIALS: file = "" } = await writeIdentities(context.identities ?? [], scratch);
    const elsewhere = (await readFile(file, "utf8"))
      .replace("https://sts.googleapis.com", google.endpoint)
      .replace("https://iamcredentials.googleapis.com", google.endpoint);
    const client = ExternalAccountClient.fromJSON(JSON.parse(elsewhere));
    if (client === null) throw new Error("the library does not know this kind of file");
    client.scopes = ["https://www.googleapis.com/auth/cloud-platform"];
    const { token } = await client.getAccessToken();
    expect(google.minted).toEqual([expect.objectContaining({ email, token })]);
    // Of another's token the same file gets nothing.
    const other = await world.running(await world.stackWith({ google_identity: config }), { mode: "plan_unlocked" });
    await writeFile(join(scratch, "google_identity-default"), other.context.identities?.[0]?.token ?? "");
    const again = ExternalAccountClient.fromJSON(JSON.parse(elsewhere));
    await expect(again?.getAccessToken()).rejects.toThrow();
  } finally {
    await google.close();
  }
});

test("Azure and Vault: the variables that their providers read, and the file that is renewed", async ({
  world,
  scratch,
}) => {
  const [tenant_id, client_id] = ["22222222-2222-4222-8222-222222222222", "11111111-1111-4111-8111-111111111111"];
  const { context } = await world.running(
    await world.stackWith({
      azure_identity: { tenant_id, client_id, audience: "api://AzureADTokenExchange", use_in_previews: true },
      vault_identity: { address: "https://vault.example", namespace: "a/b", audience: "vault", use_in_previews: true },
    }),
  );
  const variables = await writeIdentities(context.identities ?? [], scratch);
  const [azure, vault] = context.identities ?? [];
  expect(variables).toEqual({
    ARM_USE_OIDC: "true",
    ARM_OIDC_TOKEN_FILE_PATH: join(scratch, "azure_identity-default"),
    ARM_TENANT_ID: tenant_id,
    ARM_CLIENT_ID: client_id,
    AZURE_FEDERATED_TOKEN_FILE: join(scratch, "azure_identity-default"),
    AZURE_TENANT_ID: tenant_id,
    AZURE_CLIENT_ID: client_id,
    VAULT_ADDR: "https://vault.example",
    VAULT_NAMESPACE: "a/b",
    TERRAFORM_VAULT_AUTH_JWT: vault?.token,
    SVC_VAULT_TOKEN_FILE: join(scratch, "vault_identity-default"),
  });
  expect(await readFile(join(scratch, "azure_identity-default"), "utf8")).toBe(azure?.token);
  expect((await world.verified(azure?.token, "api://AzureADTokenExchange")).phase).toBe("plan");
});
