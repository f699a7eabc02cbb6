/**
 * A canary in every field that holds a secret, the product driven through what uses them, by hosts that throw back
 * whatever they are sent; then a search of everything that somebody might read. Rows are added to `canaries` with each
 * new secret field.
 */
import { execFileSync } from "node:child_process";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Browser } from "../support/browser.ts";
import { type Collector, startCollector } from "../support/collector.ts";
import { clearForms, databaseText, formsIn } from "../support/databaseText.ts";
import { type LocalInstallation, processesOf, startLocalInstallation } from "../support/localInstallation.ts";
import { commitFiles, removeTemporaryDirectories } from "../support/runnerProcess.ts";
import { type ScriptedIssuer, startScriptedIssuer } from "../support/scriptedIssuer.ts";
import { waitFor } from "../support/waitFor.ts";
import { workflowHistories } from "../support/workflowHistories.ts";

const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
  type: "pkcs8",
  format: "pem",
});
/** A line out of the middle of a PEM: it survives whatever is done to line ends. */
const lineOf = (pem: string) =>
  pem.split("\n").filter((line) => line.length > 40 && !line.startsWith("-----"))[1] ?? pem.split("\n")[1]!;
const canary = (field: string) => `canary-${field}-${crypto.randomUUID()}`;
const canaries = {
  script: canary("script"),
  scmToken: canary("scm-token"),
  webhookSecret: canary("webhook-secret"),
  appKey: lineOf(String(privateKey)),
  appWebhookSecret: canary("app-webhook-secret"),
  clientSecret: canary("client-secret"),
  contextVariable: canary("context-variable"),
  notificationPath: canary("notification-path"),
  notificationSecret: canary("notification-secret"),
  notificationHeader: canary("notification-header"),
};
/** Shown once to whoever made them; filled in as they are made. */
const shownOnce: Record<string, string> = {};

let parent: string;
let running: LocalInstallation;
let issuer: ScriptedIssuer;
let collector: Collector;
let echo: Server;
let echoUrl: string;
const notified: string[] = [];
const answers: string[] = [];
/** Everything the hostile host was sent. */
let sent = "";
const commandLines = new Set<string>();

beforeAll(async () => {
  // A code host and a notification target that answer an error with all that they were sent.
  echo = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.headers["x-svc-event"] !== undefined) notified.push(body);
    sent += `${request.url} ${JSON.stringify(request.headers)} ${body}\n`;
    response.writeHead(500, { "content-type": "application/json", "x-echo": String(request.headers.authorization) });
    response.end(JSON.stringify({ message: `${request.url} ${JSON.stringify(request.headers)} ${body}` }));
  });
  echo.listen(0, "127.0.0.1");
  await once(echo, "listening");
  const { port } = echo.address() as AddressInfo;
  echoUrl = `http://127.0.0.1:${port}`;
  issuer = await startScriptedIssuer();
  collector = await startCollector();
  parent = await mkdtemp(join(tmpdir(), "svc-canaries-"));
  running = await startLocalInstallation(join(parent, "data"), {
    SVC_EGRESS_ALLOW: "127.0.0.1",
    SVC_LOG_LEVEL: "debug",
    SVC_SCM_EVENT_FIRST_PAUSE: "PT0.1S",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: "100",
  });
}, 90_000);
afterAll(async () => {
  await running?.launcher.stop("SIGTERM", 60_000);
  await Promise.all([issuer?.close(), collector?.close()]);
  echo.closeAllConnections();
  echo.close();
  await rm(parent, { recursive: true, force: true });
  removeTemporaryDirectories();
}, 90_000);

type Called = { status: number; body: Record<string, string> & { group?: { id: string } } };

/** A call below the organization; its answer is kept for the search unless it shows what is shown once. */
async function call(method: string, path: string, body?: unknown, headers: object = {}, keep = true): Promise<Called> {
  const { base_url, org_id, admin_token } = running.ready;
  const answer = await fetch(`${base_url}/api/v1/orgs/${org_id}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${admin_token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (keep) answers.push(`${method} ${path} ${answer.status} ${text}`);
  const json = answer.headers.get("content-type")?.includes("json");
  return { status: answer.status, body: json ? JSON.parse(text) : {} };
}

async function made(path: string, body: unknown, keep = true): Promise<Called["body"]> {
  const answer = await call("POST", path, body, {}, keep);
  expect([path, answer.status, answer.body.errors]).toEqual([path, 201, undefined]);
  return answer.body;
}

/** A person's token, made in a browser as people make one; its session is a secret as well. */
async function personalToken(): Promise<void> {
  const { base_url, org_id } = running.ready;
  const browser = new Browser();
  const page = await browser.visit(`${base_url}/api/v1/auth/sso/orgs/local/sources/local/start`);
  const password = (await readFile(join(parent, "data", "sign-in-password"), "utf8")).trim();
  const form = { method: "POST", body: new URLSearchParams({ name: "ada", password }) };
  await browser.visit((await browser.send(page.url, form)).headers.get("location") as string);
  const { csrf_token } = JSON.parse((await browser.send(`${base_url}/api/v1/auth/me`)).text);
  const made = await browser.send(`${base_url}/api/v1/me/tokens`, {
    method: "POST",
    headers: {
      origin: base_url,
      "x-csrf-token": csrf_token,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID(),
    },
    body: JSON.stringify({ org_id, name: "laptop" }),
  });
  expect([made.status, made.text]).toEqual([201, made.text]);
  shownOnce.personalToken = JSON.parse(made.text).token;
  shownOnce.session = browser.cookie(new URL(base_url).origin, "svc_session")!;
  shownOnce.csrfToken = csrf_token;
  answers.push((await browser.send(`${base_url}/api/v1/me/tokens`)).text);
  // It is used, and refused where it is not good for: neither says it.
  const headers = { authorization: `Bearer ${shownOnce.personalToken}` };
  const used = await call(
    "POST",
    "/stacks",
    { name: "by ada", repository_url: "https://git.example/r", branch: "main" },
    headers,
  );
  expect(used.status).toBe(201);
  for (const path of ["/api/v1/me/tokens", "/api/v1/auth/me", `/api/v1/orgs/${crypto.randomUUID()}/stacks`]) {
    answers.push(await (await fetch(`${base_url}${path}`, { headers })).text());
  }
}

/** Every people's read of the published document, with the ids there are. */
async function readEverything(ids: Record<string, string>): Promise<number> {
  const document = JSON.parse(await readFile(new URL("../../docs/openapi.json", import.meta.url), "utf8"));
  const prefix = "/api/v1/orgs/{org_id}";
  let read = 0;
  for (const [path, methods] of Object.entries(document.paths as Record<string, object>)) {
    if (!("get" in methods) || !path.startsWith(prefix)) continue;
    const filled = path.slice(prefix.length).replace(/\{(\w+)\}/g, (_, key: string) => ids[key] ?? "1");
    const { status } = await call("GET", filled);
    if (status === 200) read += 1;
    expect([path, status < 500]).toEqual([path, true]);
  }
  return read;
}

test("no canary shows in logs, database, answers, histories, command lines, files, notifications or spans", async () => {
  const watching = setInterval(() => {
    void processesOf(join(parent, "data")).then((found) => {
      for (const line of found.values()) commandLines.add(line);
    });
  }, 150);
  const ids: Record<string, string> = {};
  const { url } = commitFiles({ "main.tf": 'resource "terraform_data" "x" {}\n' });

  const context = {
    name: "c",
    selector: { canary: "yes" },
    variables: [{ name: "CANARY_VARIABLE", value: canaries.contextVariable, secret: true }],
  };
  ids.context_id = (await made("/contexts", context)).id!;
  const told = {
    name: "n",
    events: [
      "stack_created",
      "deployment_created",
      "run_command_executed",
      "deployment_succeeded",
      "deployment_failed",
    ],
    auth_config: {
      url: `${echoUrl}/${canaries.notificationPath}`,
      secret: canaries.notificationSecret,
      headers: { "X-Api-Key": canaries.notificationHeader },
    },
  };
  ids.notification_integration_id = (await made("/notification-integrations", told)).id!;
  const scm = {
    name: "s",
    url_pattern: `^${echoUrl}/acme/`,
    api_base_url: echoUrl,
    auth_config: { kind: "token", token: canaries.scmToken, webhook_secret: canaries.webhookSecret },
  };
  ids.integration_id = (await made("/scm-integrations", scm)).id!;
  const source = {
    provider_key: "oidc",
    source_slug: "o",
    display_name: "o",
    oidc_issuer: issuer.issuer,
    oidc_client_id: "client",
    client_secret: canaries.clientSecret,
  };
  ids.source_id = (await made("/identity-sources", source)).id!;
  ids.account_id = (await made("/service-accounts", { name: "ci" })).id!;
  shownOnce.accountToken = (await made(`/service-accounts/${ids.account_id}/tokens`, { name: "t" }, false)).token!;
  const group = await made("/runner-groups", { name: "g" }, false);
  ids.group_id = group.group?.id ?? group.id!;
  shownOnce.runnerKey = group.private_key!.split("\n").find((line) => line.length > 40)!;
  const rotated = await call("POST", `/runner-groups/${ids.group_id}/rotate-key`, undefined, {}, false);
  shownOnce.rotatedRunnerKey = rotated.body.private_key!.split("\n").find((line) => line.length > 40)!;
  await personalToken();
  const app = {
    name: "app",
    url_pattern: `^${echoUrl}/app/`,
    api_base_url: echoUrl,
    auth_config: { kind: "app", app_id: "1", private_key: privateKey, webhook_secret: canaries.appWebhookSecret },
  };
  await made("/scm-integrations", app);

  // Each is used, by hosts that send it back in an error.
  await made("/stacks", {
    name: "run",
    repository_url: url,
    branch: "main",
    tool: running.ready.tool,
    labels: { canary: "yes" },
  });
  ids.stack_id = "run";
  const script = `test -n "$CANARY_VARIABLE" && echo it is there # ${canaries.script}`;
  const deployment = await made("/stacks/run/deployments/run-command", { script });
  ids.id = deployment.id!;
  await made("/stacks", { name: "hosted", repository_url: `${echoUrl}/acme/infra`, branch: "main" });
  expect((await call("POST", "/stacks/hosted/deployments", { mode: "plan" })).status).toBe(502);
  await made("/stacks", { name: "by app", repository_url: `${echoUrl}/app/infra`, branch: "main" });
  expect((await call("POST", "/stacks/by-app/deployments", { mode: "plan" })).status).toBe(502);
  // What the app's key signed is good for minutes, and was thrown back too.
  shownOnce.appToken = /[Bb]earer (eyJ[\w-]+\.[\w-]+\.[\w-]+)/.exec(sent)?.[1] as string;
  const push = JSON.stringify({
    ref: "refs/heads/main",
    before: "1".repeat(40),
    after: "2".repeat(40),
    repository: {
      full_name: "acme/infra",
      clone_url: `${echoUrl}/acme/infra.git`,
      html_url: `${echoUrl}/acme/infra`,
    },
  });
  const signed = `sha256=${createHmac("sha256", canaries.webhookSecret).update(push).digest("hex")}`;
  for (const signature of [signed, "sha256=00"]) {
    const headers = {
      "x-github-event": "push",
      "x-github-delivery": crypto.randomUUID(),
      "x-hub-signature-256": signature,
    };
    await call("POST", `/scm-integrations/${ids.integration_id}/webhook`, push, headers);
  }
  await call("POST", `/identity-sources/${ids.source_id}/test`);
  await call("POST", `/notification-integrations/${ids.notification_integration_id}/test`);
  // What is wrong with a secret is said without it.
  const refused: [string, string, object][] = [
    [
      "PUT",
      `/scm-integrations/${ids.integration_id}`,
      { ...scm, auth_config: { kind: "token", token: `${canaries.scmToken} x` } },
    ],
    [
      "PUT",
      `/scm-integrations/${ids.integration_id}`,
      { ...scm, auth_config: { kind: "app", app_id: "1", installation_id: "1", private_key: canaries.scmToken } },
    ],
    [
      "PUT",
      `/notification-integrations/${ids.notification_integration_id}`,
      { ...told, auth_config: { url: `ftp://${canaries.notificationPath}/` } },
    ],
    [
      "POST",
      "/scm-integrations",
      { ...app, name: "x", auth_config: { ...app.auth_config, private_key: String(privateKey).slice(0, -60) } },
    ],
    ["POST", "/identity-sources", { ...source, client_secret: canaries.clientSecret.repeat(60) }],
    ["POST", "/stacks/run/deployments/run-command", { script: [canaries.script] }],
    ["POST", "/contexts", { ...context, variables: [{ name: "1", value: canaries.contextVariable }] }],
  ];
  for (const [method, path, body] of refused)
    expect([path, (await call(method, path, body)).status]).toEqual([path, 422]);

  const ended = await waitFor(
    async () => {
      const { body } = await call("GET", `/stacks/run/deployments/${ids.id}`);
      return body.completed_at !== null && body;
    },
    { what: "the command to end", timeoutMs: 45_000, everyMs: 200 },
  );
  expect(ended).toMatchObject({ status: "finished" });
  await waitFor(async () => notified.some((body) => body.includes("run_command_executed")), {
    what: "the notification of the command",
    timeoutMs: 45_000,
  });
  expect(await readEverything(ids)).toBeGreaterThan(25);
  expect(answers.join()).toContain("it is there");
  clearInterval(watching);
  // What was to be used was used.
  for (const used of [canaries.scmToken, canaries.notificationPath, canaries.notificationHeader])
    expect(sent).toContain(used);
  expect([...commandLines].join()).toContain("worker");
  await waitFor(async () => collector.spans.some(({ name }) => name === "command"), {
    what: "the span of the command",
    timeoutMs: 45_000,
  });
  // What an event caused is in the trace of the request that caused the event.
  const sending = collector.spans.filter(({ name }) => name === "RunActivity:deliver").map(({ traceId }) => traceId);
  expect(sending).toContain(collector.spans.find(({ name }) => name.endsWith("/run-command"))?.traceId);
  expect(collector.spans.map(({ name }) => name)).toContain("RunActivity:processBranch");

  const { database_url, explore_database_url, temporal_address, temporal_namespace } = running.ready;
  const dumps = await Promise.all(
    [database_url, explore_database_url].map((address) => {
      const sql = postgres(address, { max: 1 });
      return databaseText(sql).finally(() => sql.end());
    }),
  );
  const searched: Record<string, string> = {
    answers: answers.join("\n"),
    database: dumps.join("\n"),
    histories: await workflowHistories(temporal_address, temporal_namespace),
    commandLines: [...commandLines].join("\n"),
    notifications: notified.join("\n"),
    spans: collector.text(),
  };
  const hits: string[] = [];
  for (const [field, secret] of Object.entries({ ...canaries, ...shownOnce })) {
    expect([field, (secret ?? "").length > 20]).toEqual([field, true]);
    for (const [where, text] of Object.entries(searched)) {
      if (formsIn(text, secret).length > 0) hits.push(`${field} in ${where}`);
    }
    // Every program's log, stored objects, the databases' own files, and what runs left behind.
    for (const file of filesWith(secret)) hits.push(`${field} in the file ${file.slice(parent.length)}`);
  }
  console.log(`canaries: ${Object.keys(canaries).length + Object.keys(shownOnce).length} secrets, ${hits.length} hits`);
  expect(hits).toEqual([]);
  // The search finds what is there.
  expect(filesWith("run_command_executed").length).toBeGreaterThan(0);
}, 180_000);

function filesWith(secret: string): string[] {
  const patterns = clearForms(secret).flatMap((form) => ["-e", form]);
  try {
    const found = execFileSync("grep", ["-rlaF", ...patterns, parent], { encoding: "utf8" });
    return found.split("\n").filter((line) => line !== "");
  } catch (error) {
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}
