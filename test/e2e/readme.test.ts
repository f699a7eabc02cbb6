/**
 * The README and the manual, followed by somebody who has just cloned: one installation over an empty data folder, one shell, block
 * after block. Whoever adds a block says here how it is carried out, or the last test fails.
 */

import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CommentScanner } from "../../runner/analysis/commentScanner.ts";
import { externalId } from "../../src/core/cloud/aws/sessionName.ts";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planSummaryOf } from "../../src/main/demo/apiClient.ts";
import { firstCalls } from "../../src/main/dev/firstCalls.ts";
import { Browser } from "../support/browser.ts";
import { type LocalInstallation, startLocalInstallation } from "../support/localInstallation.ts";
import { type Block, manualBlocks } from "../support/manual.ts";
import { ShellSession } from "../support/shellSession.ts";
import { waitFor } from "../support/waitFor.ts";

/** Blocks that are not carried out here, by page and first words, and why. */
const NOT_CARRIED_OUT: [page: string, begins: string, why: string][] = [
  [
    "README.md",
    "npm run demo",
    "the start is how this test begins, by the same program; the demo is the same story, told by itself",
  ],
  ["README.md", "npm test ", "the project's own checks, this test among them"],
  ["README.md", " person ", "a picture"],
  ["docs/access.md", "  Sign in  ", "what is printed at the start: looked for below"],
  ["docs/architecture.md", "src/", "a list of directories, which the check of districts compares"],
  ["docs/dependencies.md", "  network/main.tf", "carried out by the test of the page's examples"],
  ["docs/dependencies.md", "                          network", "a picture"],
  ["docs/dependencies.md", "  network  plan", "a picture"],
  ["docs/operations.md", "POST /api", "a picture; the test of traces compares them"],
];

type Received = { headers: Record<string, unknown>; body: string };

const blocks = manualBlocks();
const carriedOut = new Set<Block>();
const received: Received[] = [];

let parent: string;
let running: LocalInstallation;
let shell: ShellSession;
let receiver: Server;
let receiverUrl: string;

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "svc-readme-"));
  receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString("utf8");
    received.push({ headers: request.headers, body });
    response.end();
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/deploys`;
  running = await startLocalInstallation(join(parent, ".data"), { SVC_EGRESS_ALLOW: "127.0.0.1" });
  shell = new ShellSession(parent);
}, 120_000);
afterAll(async () => {
  shell?.close();
  receiver?.close();
  await running?.launcher.stop("SIGTERM", 60_000);
  await rm(parent, { recursive: true, force: true });
}, 90_000);

/** The blocks of a page in this language that are carried out, in order; they count as done. */
function take(page: string, language: string): string[] {
  const taken = blocks.filter((block) => block.page === page && block.language === language && !isExcepted(block));
  for (const block of taken) carriedOut.add(block);
  expect(taken, `${page} has no ${language}`).not.toEqual([]);
  return taken.map(({ code }) => code);
}

function isExcepted({ page, code }: Block): boolean {
  return NOT_CARRIED_OUT.some(([where, begins]) => where === page && code.startsWith(begins));
}

/** Runs a page's shell blocks, each with what a reader would put in its place. */
async function follow(page: string, filled: (code: string) => string | Promise<string> = (code) => code) {
  const printed: string[] = [];
  for (const code of take(page, "sh")) printed.push(await shell.run(await filled(code)));
  return printed;
}

const settledAs = (text: string | undefined) => text?.match(/^(?:waiting|finished|failed|skipped|cancelled)$/gm) ?? [];
const lastAnswer = (text: string | undefined) => JSON.parse(text?.trim().split("\n").at(-1) ?? "");

it("the README's first calls are those that are printed at the start", async () => {
  const printed = await readFile(join(parent, "output.log"), "utf8");
  expect(printed).toContain(firstCalls(join(parent, ".data")).replace(/^/gm, "  "));
  expect(take("README.md", "sh")[0]).toBe(`${firstCalls(".data")}\n`);
  expect(printed).toContain("/api/v1/auth/sso/orgs/local/sources/local/start\n");
  expect(printed).toContain("as ada (admin), dev (deployer) or anybody, password ");
});

it("the README leads from nothing to two stacks that follow each other", async () => {
  const [first, repository, , applied, command, local, integration, dependencies, cascade] = await follow("README.md");
  expect(JSON.parse(first ?? "")).toEqual({ items: [], next_cursor: null });
  expect(repository).toBe("");
  expect(settledAs(applied)).toEqual(["waiting", "finished"]);
  expect(applied).toContain("Plan: 3 to add, 0 to change, 0 to destroy.");
  expect(applied).not.toContain("warning");
  expect(settledAs(command)).toEqual(["finished"]);
  expect(command).toContain('terraform_data.subnet["eu 1"]');
  expect(settledAs(local)).toEqual(["finished"]);
  expect(JSON.parse(integration ?? "").webhook_url).toMatch(/^http/);
  expect(settledAs(dependencies)).toEqual(["waiting", "finished"]);
  expect(settledAs(cascade)).toEqual(["waiting", "finished"]);
  expect(lastAnswer(cascade).items).toMatchObject([
    { dependent_stack_id: "app", trigger: "always", triggered_deployment_id: expect.any(String) },
  ]);
}, 180_000);

it("notifications arrive as the manual says, and its checks of a signature take them", async () => {
  const [, tested] = await follow("docs/notifications.md", (code) =>
    code.replace("https://hooks.example.com/deploys", receiverUrl),
  );
  expect(lastAnswer(tested)).toEqual({ result: "2xx" });
  const [{ headers, body } = { headers: {}, body: "" }] = received;
  const signature = String(headers["x-svc-signature-256"]);
  const secret = await shell.variable("SECRET");
  const [script = ""] = take("docs/notifications.md", "js");
  const { isFromService } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  expect([
    isFromService(secret, Buffer.from(body), signature),
    isFromService(secret, Buffer.from("{}"), signature),
  ]).toEqual([true, false]);
  const [python = ""] = take("docs/notifications.md", "python");
  const call = `import sys\nprint([is_from_service(sys.argv[1], body, sys.argv[3]) for body in (sys.argv[2].encode(), b"{}")])`;
  expect(execFileSync("python3", ["-c", `${python}\n${call}`, secret, body, signature], { encoding: "utf8" })).toBe(
    "[True, False]\n",
  );
  const auth_config = { url: receiverUrl };
  const events = ["deployment_waiting_for_confirmation"];
  await running.api.request("POST", "/notification-integrations", {
    ...{ name: "sample", provider_type: "webhook", events, stack_label_selector: {}, auth_config },
    ...{ changes_only: false, provider_config: {} },
  });
}, 60_000);

it("a stack's daily life", async () => {
  const [narrowed, again, queue] = await follow("docs/stacks.md", async (code) => {
    if (code.includes("/retry")) await fiveSecondsOld();
    return code;
  });
  expect(settledAs(narrowed)).toEqual(["waiting", "waiting"]);
  expect(settledAs(again)).toEqual(["waiting"]);
  expect(lastAnswer(queue).results).toMatchObject([{ http_status: 200 }, { http_status: 200 }]);
}, 120_000);

/** A retry of what was deployed a moment ago is refused as a slip of the finger; readers are slower than that. */
async function fiveSecondsOld(): Promise<void> {
  const { items } = await running.api.request<{ items: { created_at: string }[] }>(
    "GET",
    "/stacks/network/deployments?limit=1",
  );
  const newest = Date.parse(items[0]?.created_at ?? "");
  await waitFor(() => Date.now() - newest > 5_500, { what: "the newest deployment to be five seconds old" });
}

it("a notification has the fields of the manual's sample", async () => {
  const [sample = ""] = take("docs/notifications.md", "json");
  const body = await waitFor(() => received.find((one) => one.body.includes("deployment_waiting"))?.body, {
    what: "a notification of the plan that waited",
  });
  const fields = (value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, inner]) => [name, name === "stack_labels" ? {} : fields(inner)]),
        )
      : null;
  expect(fields(JSON.parse(body))).toEqual(fields(JSON.parse(sample)));
});

it("a code host is set up", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(join(parent, "app.private-key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const [made] = await follow("docs/source-control.md");
  expect(lastAnswer(made)).toMatchObject({ name: "acme app", webhook_url: expect.any(String), last_failure: null });
}, 60_000);

it("comments of a configuration are understood", () => {
  const comments = ["README.md", "docs/dependencies.md"].flatMap((page) => take(page, "hcl"));
  for (const code of comments) {
    const scanner = new CommentScanner({ id: "app-web", name: "Web", labels: { env: "prod" } });
    const file = scanner.file("main.tf");
    for (const line of code.split("\n")) file.line(line);
    file.end();
    expect([scanner.errors, scanner.edges.length], code).toEqual([[], code.match(/svc:dependency:/g)?.length]);
  }
});

it("what the stacks hold is searched", async () => {
  await waitFor(
    async () =>
      (await running.api.request<{ items: unknown[] }>("GET", "/explore/resources?stack=network")).items.length,
    { what: "the network in the index" },
  );
  const [found] = await follow("docs/explore.md");
  expect(lastAnswer(found).items).toContainEqual(
    expect.objectContaining({ address: "terraform_data.vpc", mode: "managed" }),
  );
}, 60_000);

it("a stack without a backend says that its state will be lost, before and after the confirm", async () => {
  await shell.run(`sed -i '/backend "local"/d' $INFRA/app/main.tf && commit 'No backend'`);
  const ids = (await running.api.request<{ items: { id: string }[] }>("GET", "/stacks/app/deployments")).items;
  for (const { id } of ids) await running.api.request("POST", "/stacks/app/deployments/skip", { ids: [id] });
  const { id } = await running.api.request<{ id: string }>("POST", "/stacks/app/deployments", { mode: "plan" });
  await shell.run(`ID=${id}; settled app`);
  const path = `/stacks/app/deployments/${id}`;
  const planned = await running.api.request<DeploymentResource>("GET", path);
  const [warning] = planSummaryOf(planned).warnings ?? [];
  expect(warning).toContain("state of this stack is lost");
  const confirmed = await running.api.request<{ warning: string }>("POST", `${path}/confirm`, { action: "apply" });
  expect(confirmed.warning).toBe(warning);
}, 60_000);

it("an address that nobody opened is told as such, to whoever named it and to the operator", async () => {
  const closed = "http://10.255.255.1:3000";
  const base = { name: "closed", url_pattern: `^${closed}/`, api_base_url: `${closed}/api/v3` };
  const auth_config = { kind: "token", token: "ghp_1234", webhook_secret: "0123456789abcdef" };
  await expect(running.api.request("POST", "/scm-integrations", { ...base, auth_config })).rejects.toThrow(
    "can open it with SVC_EGRESS_ALLOW",
  );
  const stack = { name: "closed", repository_url: `${closed}/acme/infra.git`, branch: "main" };
  await running.api.request("POST", "/stacks", stack);
  await expect(running.api.request("POST", "/stacks/closed/deployments", { mode: "plan" })).rejects.toThrow(
    "can open it with SVC_EGRESS_ALLOW",
  );
  const log = await readFile(join(parent, ".data/logs/api.log"), "utf8");
  const refused = log.split("\n").filter((line) => line.includes("an outbound call was refused"));
  expect(refused.map((line) => JSON.parse(line))).toMatchObject([{ host: "10.255.255.1", port: 3000 }]);
}, 60_000);

it("people sign in, get roles and sign out", async () => {
  const { base_url: baseUrl, org_id: orgId } = running.ready;
  const browsers: Record<string, Browser> = {};
  const password = (await readFile(join(parent, ".data/sign-in-password"), "utf8")).trim();
  const signIn = async (name: string) => {
    const browser = new Browser();
    browsers[name] = browser;
    const page = await browser.visit(`${baseUrl}/api/v1/auth/sso/orgs/local/sources/local/start`);
    const form = { method: "POST", body: new URLSearchParams({ name, password }) };
    const onward = (await browser.send(page.url, form)).headers.get("location");
    return JSON.parse((await browser.visit(onward ?? "")).text);
  };
  const [documented = "", context = ""] = take("docs/access.md", "json");
  const ada = await signIn("ada");
  expect(Object.keys(ada).sort()).toEqual(Object.keys(JSON.parse(documented)).sort());
  expect(ada).toMatchObject({
    ...JSON.parse(documented),
    id: expect.stringMatching(/^oidc-[0-9a-f]{12}:ada:ada$/),
    csrf_token: expect.any(String),
  });

  // The console of Ada's page: a browser adds the origin by itself.
  const console = async (path: string, init: RequestInit = {}) => {
    const headers = { ...(init.headers as Record<string, string>), ...(init.method && { origin: baseUrl }) };
    const { status, text } = await (browsers.ada as Browser).send(baseUrl + path, { ...init, headers });
    expect([path, status < 300 ? "works" : text]).toEqual([path, "works"]);
    return { status, json: async () => JSON.parse(text) };
  };
  const scripts = take("docs/access.md", "js");
  const between = scripts.map((code, at) => `${code}\nawait between(${at});`).join("\n");
  const page = `export default async (fetch, between) => {\n${between}\n}`;
  const { default: typed } = await import(`data:text/javascript,${encodeURIComponent(page)}`);
  await typed(console, async (at: number) => {
    if (at === 1) expect(await signIn("grace")).toMatchObject({ name: "grace" });
  });
  const { items } = await running.api.request<{ items: { user_id: string }[] }>("GET", "/role-assignments");
  expect(items.filter(({ user_id }) => user_id?.endsWith(":grace:grace"))).toHaveLength(2);
  expect((await (browsers.ada as Browser).send(`${baseUrl}/api/v1/auth/me`)).status).toBe(401);

  await follow("docs/access.md", (code) => code.replace(JSON.parse(documented).id, ada.id));
  expect(await signIn("ada")).toMatchObject({ id: ada.id, is_super_admin: true });

  const made = await running.api.request<{ name: string; org_id: string }>("POST", "/contexts", JSON.parse(context));
  expect(made).toMatchObject({ name: "production" });
  expect(orgId).not.toBe("");
}, 90_000);

it("a stack gets access to a cloud", async () => {
  const [policy = ""] = take("docs/cloud.md", "json");
  const { Statement } = JSON.parse(policy);
  const subject = { orgId: "ORG_ID", stackSlug: "network" } as Parameters<typeof externalId>[0];
  expect(Statement[0].Condition.StringEquals).toEqual({ "sts:ExternalId": externalId(subject) });
  const [written] = await follow("docs/cloud.md");
  expect(lastAnswer(written).config.roles.map(({ name }: { name: string }) => name)).toEqual(["default", "network"]);
}, 60_000);

it("no block is left over: each was carried out, or is named above with the reason", () => {
  const at = ({ page, line, code }: Block) => `${page}:${line} ${code.split("\n")[0]}`;
  expect(blocks.filter((block) => !carriedOut.has(block) && !isExcepted(block)).map(at)).toEqual([]);
  const named = NOT_CARRIED_OUT.filter(([page, begins]) =>
    blocks.some((block) => block.page === page && block.code.startsWith(begins)),
  );
  expect(named).toEqual(NOT_CARRIED_OUT);
});
