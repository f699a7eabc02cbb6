/**
 * What a person sees of `npm start`: it works, it stops without a trace, and it goes on where it was, also after a
 * crash.
 */
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planRunOf } from "../../src/main/demo/apiClient.ts";
import { Browser } from "../support/browser.ts";
import { type LocalInstallation, processesOf, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles } from "../support/runnerProcess.ts";
import { waitFor } from "../support/waitFor.ts";

let parent: string;
let folder: string;
let running: LocalInstallation;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-local-"));
  folder = join(parent, "data");
  running = await startLocalInstallation(folder);
}, 90_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
}, 90_000);

/** A stack whose apply writes a line to `applied` and takes `seconds` before that. */
async function stackOf(name: string, seconds: number): Promise<{ deployments: string; applied: string }> {
  const [state, applied] = [join(parent, `${name}.tfstate`), join(parent, `${name}.applied`)];
  const command = `sleep ${seconds} && echo applied >> ${applied}`;
  const { url } = commitFiles({
    "main.tf": `terraform {
  backend "local" { path = ${JSON.stringify(state)} }
}
resource "terraform_data" "thing" {
  provisioner "local-exec" { command = ${JSON.stringify(command)} }
}
`,
  });
  const { id } = await running.api.request<{ id: string }>("POST", "/stacks", {
    name,
    repository_url: url,
    branch: "main",
    tool: running.ready.tool,
  });
  return { deployments: `/stacks/${id}/deployments`, applied };
}

async function becomes(path: string, status: string): Promise<DeploymentResource> {
  const last = await waitFor(
    async () => {
      const deployment = await running.api.request<DeploymentResource>("GET", path);
      return (deployment.status === status || deployment.completed_at !== null) && deployment;
    },
    { what: `${path} to be ${status}`, timeoutMs: 45_000, everyMs: 100 },
  );
  expect(last, last.error ?? "").toMatchObject({ status });
  return last;
}

async function planned(deployments: string): Promise<string> {
  const { id } = await running.api.request<DeploymentResource>("POST", deployments, { mode: "plan" });
  await becomes(`${deployments}/${id}`, "waiting");
  return `${deployments}/${id}`;
}

/** A decision may meet the moment in which Temporal or Postgres comes back: 503, to be repeated. */
async function confirm(path: string): Promise<void> {
  await waitFor(
    async () => {
      const plan = planRunOf(await running.api.request<DeploymentResource>("GET", path));
      await running.api.request("POST", `${path}/confirm`, { action: "apply", plan_run_id: plan });
      return true;
    },
    { what: "a confirm to be answered", timeoutMs: 30_000, everyMs: 500 },
  );
}

it("says where everything is, keeps its secrets to their owner, and goes on after a stop that leaves no process", async () => {
  expect(Object.keys(running.ready).sort()).toEqual(
    [
      "admin_token",
      "base_url",
      "explore_database_url",
      "org_id",
      "runner_group_id",
      "temporal_address",
      "temporal_namespace",
      "temporal_ui_url",
      "tool",
      "database_url",
    ].sort(),
  );
  expect((await fetch(running.ready.temporal_ui_url)).status).toBe(200);
  for (const secret of [
    "ready.json",
    "env",
    "admin-token",
    "encryption-key",
    "runner-group.pem",
    "postgres.password",
    "sign-in-password",
    "identity-provider-secret",
  ]) {
    expect((await stat(join(folder, secret))).mode & 0o077, secret).toBe(0);
  }
  const { deployments, applied } = await stackOf("calm", 0);
  const path = await planned(deployments);

  const before = running.ready;
  await running.launcher.stop("SIGTERM", 60_000);
  expect(await running.launcher.exited).toBe("code 0");
  expect([...(await processesOf(folder)).values()]).toEqual([]);
  for (const name of ["ready.json", "env"]) expect(await readdir(folder)).not.toContain(name);

  running = await startLocalInstallation(folder);
  expect(running.ready).toEqual(before);
  expect((await becomes(path, "waiting")).id).toBe(path.split("/").at(-1));
  await confirm(path);
  await becomes(path, "finished");
  expect(await readFile(applied, "utf8")).toBe("applied\n");
}, 150_000);

it("lets a person sign in with a browser, as who they say they are if they know the password", async () => {
  const { base_url: baseUrl, org_id: orgId } = running.ready;
  const start = `${baseUrl}/api/v1/auth/sso/orgs/local/sources/local/start`;
  const password = (await readFile(join(folder, "sign-in-password"), "utf8")).trim();
  const me = async (browser: Browser) => JSON.parse((await browser.send(`${baseUrl}/api/v1/auth/me`)).text);
  let asked = "";
  const signInAs = async (name: string, typed: string, browser = new Browser()) => {
    const page = await browser.visit(start);
    expect(page.text).toContain("<form");
    const form = { method: "POST", body: new URLSearchParams({ name, password: typed }) };
    const answer = await browser.send(page.url, form);
    const onward = answer.headers.get("location");
    if (onward === null) return browser;
    const { url } = await browser.visit(onward, { stopAt: ({ pathname }) => pathname === "/api/v1/auth/sso/confirm" });
    asked = new URL(url).hash.slice(1);
    return browser;
  };
  expect((await me(await signInAs("ada", "guessed"))).code).toBe("not_authenticated");
  for (const [name, mayCreate] of [
    ["ada", true],
    ["dev", false],
    ["grace", false],
  ] as const) {
    const browser = await signInAs(name, password);
    const { id, csrf_token } = await me(browser);
    expect(id).toMatch(new RegExp(`^oidc-[0-9a-f]{12}:${name}:${name}$`));
    const answer = await browser.send(`${baseUrl}/api/v1/orgs/${orgId}/roles`, {
      method: "POST",
      headers: { origin: baseUrl, "x-csrf-token": csrf_token, "content-type": "application/json" },
      body: JSON.stringify({ name: `made by ${name}`, permissions: [] }),
    });
    expect([name, answer.status]).toEqual([name, mayCreate ? 201 : 403]);
  }
  // In one browser, one after the other: each time the provider asks who it is, and then whether it is to be so.
  const shared = await signInAs("ada", password);
  await signInAs("dev", password, shared);
  const ada = await me(shared);
  expect(ada.name).toBe("Ada (admin)");
  const agreed = await shared.send(`${baseUrl}/api/v1/me/sign-in-confirmations/${asked}`, {
    method: "POST",
    headers: { origin: baseUrl, "x-csrf-token": ada.csrf_token },
  });
  expect(agreed.status).toBeLessThan(300);
  expect((await me(shared)).name).toBe("Dev (deployer)");
}, 60_000);

it("finishes an apply during which its launcher was killed, once", async () => {
  const { deployments, applied } = await stackOf("killed", 6);
  const path = await planned(deployments);
  await confirm(path);
  await waitFor(async () => [...(await processesOf(parent)).values()].some((command) => command.includes("sleep 6")), {
    what: "the apply to be at work",
  });
  void running.launcher.stop("SIGKILL");
  await running.launcher.exited;
  running = await startLocalInstallation(folder);
  await becomes(path, "finished");
  expect(await readFile(applied, "utf8")).toBe("applied\n");
}, 150_000);

it("brings Temporal, Postgres and the runner back when they are killed", async () => {
  const { deployments, applied } = await stackOf("servers", 0);
  const path = await planned(deployments);
  const processes = await processesOf(folder);
  const pidOf = (...marks: string[]) =>
    [...processes].find(([, command]) => marks.every((mark) => command.includes(mark)))?.[0] as number;
  for (const pid of [pidOf("start-dev"), pidOf("bin/postgres -D"), pidOf("runner/main.ts")])
    process.kill(pid, "SIGKILL");
  await confirm(path);
  await becomes(path, "finished");
  expect(await readFile(applied, "utf8")).toBe("applied\n");
}, 120_000);
