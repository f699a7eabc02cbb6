/**
 * The README and the manual, followed by somebody who has just cloned. Whoever adds a block says here how it is carried
 * out, or the last test fails.
 */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CommentScanner } from "../../runner/analysis/commentScanner.ts";
import { externalId } from "../../src/core/cloud/aws/sessionName.ts";
import { IDENTITY_TYPES } from "../../src/core/cloud/providerType.ts";
import type { DeploymentResource } from "../../src/core/deployments/resourceSchema.ts";
import { planSummaryOf } from "../../src/main/demo/apiClient.ts";
import { firstCalls } from "../../src/main/dev/firstCalls.ts";
import { MailServer } from "../support/mailServer.ts";
import { type LeftOut, Reader } from "../support/reader.ts";
import { waitFor } from "../support/waitFor.ts";

/** Blocks that are not carried out here, by page and first words, and why. */
const LEFT_OUT: LeftOut = [
  [
    "README.md",
    "npm run demo",
    "the start is how this test begins, by the same program; the demo is the same story, told by itself",
  ],
  ["README.md", "npm test ", "the project's own checks, this test among them"],
  ["README.md", " person ", "a picture"],
  ["README.md", "$ deploy up", "a recording, compared with the program by test/cli/recording.test.ts"],
  ["docs/cli.md", "$ deploy up", "the same recording"],
  [
    "docs/cli.md",
    "source <(deploy",
    "for files that a shell starts with; what it reads is tried in test/cli/machine.test.ts",
  ],
  ["docs/access.md", "  Sign in  ", "what is printed at the start: looked for below"],
  ["docs/architecture.md", "src/", "a list of directories, which the check of districts compares"],
  ["docs/dependencies.md", "  network/main.tf", "carried out by the test of the page's examples"],
  ["docs/dependencies.md", "                          network", "a picture"],
  ["docs/dependencies.md", "  network  plan", "a picture"],
  ["docs/operations.md", "POST /api", "a picture of a trace"],
  ["docs/state.md", "Error: Error acquiring", "what an engine says: looked for in test/core/stateEngines.test.ts"],
  ["docs/schedules.md", "$ deploy schedules network", "what the command line says, with times of another day"],
  [
    "docs/approvals.md",
    "$ deploy approvals",
    "what the command line says to a person; the same command is carried out on the page",
  ],
  [
    "docs/drift.md",
    "network  drifted",
    "what the command line says: looked for in test/provider/drift.real.ts, which builds a provider",
  ],
  ["docs/policies.md", '{\n  "protected_types"', "read by src/core/policies/rules.test.ts"],
  ["docs/policies.md", "package deploy", "evaluated by src/core/policies/thread/evaluate.test.ts"],
  ["docs/policies.md", "deploy policies push", "commands, tried in test/cli/policies.test.ts"],
  ["docs/runners.md", "# Docker", "recipes for programs that the tests do not have; the form is tried with a stand-in"],
  ["docs/runners.md", "iptables", "closes an address to users of the whole machine"],
];

let reader: Reader;
beforeAll(async () => {
  reader = await Reader.start(LEFT_OUT);
}, 120_000);
afterAll(() => reader?.close(), 90_000);

const settledAs = (text: string | undefined) => text?.match(/^(?:waiting|finished|failed|skipped|cancelled)$/gm) ?? [];
const lastAnswer = (text: string | undefined) => JSON.parse(text?.trim().split("\n").at(-1) ?? "");

it("the README's first calls are those that are printed at the start", async () => {
  const printed = await readFile(join(reader.folder, "output.log"), "utf8");
  expect(printed).toContain(firstCalls(join(reader.folder, ".data")).replace(/^/gm, "  "));
  expect(reader.take("README.md", "sh")[0]).toBe(`${firstCalls(".data")}\n`);
  expect(printed).toContain("/api/v1/auth/sso/orgs/local/sources/local/start\n");
  expect(printed).toContain("as ada (admin), dev (deployer) or anybody, password ");
});

it("the README leads from nothing to two stacks that follow each other", async () => {
  const [first, repository, , applied, command, local, integration, dependencies, cascade] =
    await reader.follow("README.md");
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

it("the command line signs in, plans, applies, plans what is not committed, and serves a pipeline", async () => {
  const [signedIn, acted, local, pipeline] = await reader.follow("docs/cli.md");
  expect(signedIn).toMatch(/Signed in as bootstrap .*\n(?:.*\n)*service +http/);
  expect(acted).toMatch(/^network +finished/m);
  expect(acted).toContain(": finished");
  expect(acted).toContain("vpc_id = ");
  expect(local).toContain('input: "vpc-2" -> "vpc-9"');
  expect(pipeline?.match(/\+ add +output\.region/g)).toHaveLength(2);
  expect(pipeline).toContain(": applied");
}, 240_000);

it("a state is kept, looked at and brought back as the manual says", async () => {
  const [lock, versions, restored] = await reader.follow("docs/state.md");
  expect(lock).toContain('"who":"me@laptop"');
  expect(versions).toContain('"lineage"');
  expect(lastAnswer(versions)).toMatchObject({ complete: true });
  expect(lastAnswer(restored)).toMatchObject({ origin: "rollback" });
}, 60_000);

it("a stack is checked for drift as the manual says", async () => {
  const [checked, scheduled] = await reader.follow("docs/drift.md");
  expect(lastAnswer(checked?.split("\n").slice(0, -1).join("\n") || checked)).toMatchObject({
    status: "none",
    total: 0,
  });
  expect(lastAnswer(scheduled)).toEqual({ items: [], next_cursor: null });
}, 120_000);

it("a policy denies a destroy and is overridden as the manual says", async () => {
  const [denied, overridden] = await reader.follow("docs/policies.md");
  expect(denied).toContain("Denied by policy keep the network: ");
  expect(denied).toContain('"code":"policy_denied"');
  expect(overridden).toContain('"override_reason":"the network moves to another account"');
}, 120_000);

it("what comes by schedule, and a stack for a while, are as the manual says", async () => {
  const [once, all, lifetime] = await reader.follow("docs/schedules.md");
  const { items } = lastAnswer(once);
  expect(items.map(({ name }: { name: string }) => name)).toEqual(["nightly", "once"]);
  expect(items[0]).toMatchObject({ mode: "refresh", next_at: expect.stringMatching(/Z$/), last: null });
  expect(items[1]).toMatchObject({ next_at: null, last: { created: 1, deployment_status: "finished" } });
  expect(lastAnswer(all).items.map(({ name }: { name: string }) => name)).toEqual(["nightly", "once", "weekend"]);
  expect(lastAnswer(lifetime)).toMatchObject({
    phase: "alive",
    expires_at: expect.stringMatching(/^2099-02-07T18:00:00/),
  });
}, 120_000);

it("a plan waits for the approvals of others, and goes on with the last one", async () => {
  const [, waited, applied] = await reader.follow("docs/approvals.md");
  expect(settledAs(waited)).toEqual(["waiting"]);
  expect(waited).toContain(
    "It needs 2 more approvals by service account ada or service account ben (rule production, 0 of 2 given).",
  );
  expect(applied).toMatch(/^It needs 1 more approval .*\napplying\nfinished\n/);
  expect(applied).toContain("2 of 2 by service account ada or service account ben (rule production)");
  expect(applied?.match(/^ {2}approved {3}(?:ada|ben) .*Looks right\.$/gm)).toHaveLength(2);
}, 120_000);

it("notifications arrive as the manual says, and its checks of a signature take them", async () => {
  const mail = await MailServer.start();
  const [, chat, mailed, tested] = await reader.follow("docs/notifications.md", (code) =>
    code
      .replace(/https:\/\/hooks\.(?:example|slack)\.com\/[\w/]+/, reader.receiverUrl)
      .replace('"smtp.example.com", "port": 587', `"localhost", "port": ${mail.port}`),
  );
  expect(chat).toMatch(/^2xx\n(?:.*\n)*platform channel +slack/m);
  expect(mailed).toContain("2xx");
  expect(mail.received).toMatchObject([{ to: ["ada@example.com", "ops@example.com"], user: "deploy", secure: true }]);
  await mail.stop();
  expect(lastAnswer(tested)).toEqual({ result: "2xx" });
  const [slack] = reader.received.splice(0, 1);
  expect(JSON.parse(slack?.body ?? "")).toMatchObject({ blocks: [{ type: "rich_text" }] });
  const [{ headers, body } = { headers: {}, body: "" }] = reader.received;
  const signature = String(headers["x-svc-signature-256"]);
  const secret = await reader.shell.variable("SECRET");
  const [script = ""] = reader.take("docs/notifications.md", "js");
  const { isFromService } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  expect([
    isFromService(secret, Buffer.from(body), signature),
    isFromService(secret, Buffer.from("{}"), signature),
  ]).toEqual([true, false]);
  const [python = ""] = reader.take("docs/notifications.md", "python");
  const call = `import sys\nprint([is_from_service(sys.argv[1], body, sys.argv[3]) for body in (sys.argv[2].encode(), b"{}")])`;
  expect(execFileSync("python3", ["-c", `${python}\n${call}`, secret, body, signature], { encoding: "utf8" })).toBe(
    "[True, False]\n",
  );
  const auth_config = { url: reader.receiverUrl };
  const events = ["deployment_waiting_for_confirmation"];
  await reader.running.api.request("POST", "/notification-integrations", {
    ...{ name: "sample", provider_type: "webhook", events, stack_label_selector: {}, auth_config },
    ...{ changes_only: false, provider_config: {} },
  });
}, 60_000);

it("a stack's daily life", async () => {
  const [narrowed, , again, queue] = await reader.follow("docs/stacks.md", async (code) => {
    if (code.includes("/retry")) await fiveSecondsOld();
    return code;
  });
  expect(settledAs(narrowed)).toEqual(["waiting", "waiting"]);
  expect(settledAs(again)).toEqual(["waiting"]);
  expect(lastAnswer(queue).results).toMatchObject([{ http_status: 200 }, { http_status: 200 }]);
}, 120_000);

/** A retry of what was deployed a moment ago is refused as a slip of the finger; readers are slower than that. */
async function fiveSecondsOld(): Promise<void> {
  const { items } = await reader.running.api.request<{ items: { created_at: string }[] }>(
    "GET",
    "/stacks/network/deployments?limit=1",
  );
  const newest = Date.parse(items[0]?.created_at ?? "");
  await waitFor(() => Date.now() - newest > 5_500, { what: "the newest deployment to be five seconds old" });
}

it("a notification has the fields of the manual's sample", async () => {
  const [sample = ""] = reader.take("docs/notifications.md", "json");
  // One that is told late, when its stack is planned anew already, has no figures.
  const isWhole = (body: string) => body.includes("deployment_waiting") && body.includes("plan_summary");
  const body = await waitFor(() => reader.received.find((one) => isWhole(one.body))?.body, {
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
  await writeFile(join(reader.folder, "app.private-key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const [made] = await reader.follow("docs/source-control.md");
  expect(lastAnswer(made)).toMatchObject({ name: "acme app", webhook_url: expect.any(String), last_failure: null });
}, 60_000);

it("comments of a configuration are understood", () => {
  const comments = ["README.md", "docs/dependencies.md"].flatMap((page) => reader.take(page, "hcl"));
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
      (await reader.running.api.request<{ items: unknown[] }>("GET", "/explore/resources?stack=network")).items.length,
    { what: "the network in the index" },
  );
  const [found] = await reader.follow("docs/explore.md");
  expect(lastAnswer(found).items).toContainEqual(
    expect.objectContaining({ address: "terraform_data.vpc", mode: "managed" }),
  );
}, 60_000);

it("an output is given to another stack, which follows it, as the manual says", async () => {
  const [, planned, followed, read, readers] = await reader.follow("docs/outputs.md");
  expect(settledAs(planned)).toEqual(["waiting", "finished"]);
  const [line = ""] = reader.take("docs/outputs.md", "text");
  expect(planned).toContain(line.trim());
  expect(settledAs(followed)).toEqual(["waiting", "finished", "waiting"]);
  expect(followed).toContain('"a shop in vpc-7"');
  expect(read).toContain('"value":"\\"vpc-7\\""');
  expect(readers).toContain('"stack_id":"shop"');
  const { items } = await reader.running.api.request<{ items: unknown[] }>("GET", "/stacks/network/output-readers");
  expect(items).toEqual([]);
}, 180_000);

it("a stack that keeps its state nowhere says that it will be lost, before and after the confirm", async () => {
  await reader.running.api.request("PATCH", "/stacks/app", { state_mode: "own" });
  const ids = (await reader.running.api.request<{ items: { id: string }[] }>("GET", "/stacks/app/deployments")).items;
  for (const { id } of ids) await reader.running.api.request("POST", "/stacks/app/deployments/skip", { ids: [id] });
  const { id } = await reader.running.api.request<{ id: string }>("POST", "/stacks/app/deployments", { mode: "plan" });
  await reader.shell.run(`ID=${id}; settled app`);
  const path = `/stacks/app/deployments/${id}`;
  const planned = await reader.running.api.request<DeploymentResource>("GET", path);
  const [warning] = planSummaryOf(planned).warnings ?? [];
  expect(warning).toContain("state of this stack is lost");
  const confirmed = await reader.running.api.request<{ warning: string }>("POST", `${path}/confirm`, {
    action: "apply",
  });
  expect(confirmed.warning).toBe(warning);
}, 60_000);

it("an address that nobody opened is told as such, to whoever named it and to the operator", async () => {
  const closed = "http://10.255.255.1:3000";
  const base = { name: "closed", url_pattern: `^${closed}/`, api_base_url: `${closed}/api/v3` };
  const auth_config = { kind: "token", token: "ghp_1234", webhook_secret: "0123456789abcdef" };
  await expect(reader.running.api.request("POST", "/scm-integrations", { ...base, auth_config })).rejects.toThrow(
    "can open it with SVC_EGRESS_ALLOW",
  );
  const stack = { name: "closed", repository_url: `${closed}/acme/infra.git`, branch: "main" };
  await reader.running.api.request("POST", "/stacks", stack);
  await expect(reader.running.api.request("POST", "/stacks/closed/deployments", { mode: "plan" })).rejects.toThrow(
    "can open it with SVC_EGRESS_ALLOW",
  );
  const log = await readFile(join(reader.folder, ".data/logs/api.log"), "utf8");
  const refused = log.split("\n").filter((line) => line.includes("an outbound call was refused"));
  expect(refused.map((line) => JSON.parse(line))).toMatchObject([{ host: "10.255.255.1", port: 3000 }]);
}, 60_000);

it("people sign in, get roles and sign out", async () => {
  const { base_url: baseUrl } = reader.running.ready;
  const password = (await readFile(join(reader.folder, ".data/sign-in-password"), "utf8")).trim();
  const [documented = "", context = ""] = reader.take("docs/access.md", "json");
  const { browser, me: ada } = await reader.signIn("ada", password);
  let page = browser;
  expect(Object.keys(ada).sort()).toEqual(Object.keys(JSON.parse(documented)).sort());
  expect(ada).toMatchObject({
    ...JSON.parse(documented),
    id: expect.stringMatching(/^oidc-[0-9a-f]{12}:ada:ada$/),
    csrf_token: expect.any(String),
  });

  // The console of Ada's page: a browser adds the origin by itself.
  const console = async (path: string, init: RequestInit = {}) => {
    const headers = { ...(init.headers as Record<string, string>), ...(init.method && { origin: baseUrl }) };
    const { status, text } = await page.send(baseUrl + path, { ...init, headers });
    expect([path, status < 300 ? "works" : text]).toEqual([path, "works"]);
    return { status, json: async () => JSON.parse(text) };
  };
  const scripts = reader.take("docs/access.md", "js");
  const steps = scripts.map((script, at) => `${script}\nawait between(${at});`).join("\n");
  const code = `export default async (fetch, between, location) => {\n${steps}\n}`;
  const { default: typed } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const between = async (at: number) => {
    if (at === 1) expect((await reader.signIn("grace", password)).me.name).toBe("grace");
    // The block before is of signing out.
    if (at === 3) page = (await reader.signIn("ada", password)).browser;
  };
  const visited: string[] = [];
  await typed(console, between, { assign: (url: string) => visited.push(url) });
  expect(visited).toEqual([expect.stringContaining("/auth?")]);
  const { items } = await reader.running.api.request<{ items: { user_id: string }[] }>("GET", "/role-assignments");
  expect(items.filter(({ user_id }) => user_id?.endsWith(":grace:grace"))).toHaveLength(2);
  expect((await browser.send(`${baseUrl}/api/v1/auth/me`)).status).toBe(401);

  await reader.follow("docs/access.md", (code) => code.replace(JSON.parse(documented).id, ada.id));
  expect((await reader.signIn("ada", password)).me).toMatchObject({ id: ada.id, is_super_admin: true });

  const made = await reader.running.api.request<{ name: string }>("POST", "/contexts", JSON.parse(context));
  expect(made).toMatchObject({ name: "production" });
}, 90_000);

type Declared = {
  provider_type: string;
  config: { audience: string };
  trust: { issuer: string; subjects: Record<string, string> };
};

/** Programs that the tests do not have: each notes how it was called. */
const CLOUD_PROGRAMS = ["aws", "gcloud", "az", "vault"].map(
  (name) => `${name}() { node -e 'console.log(JSON.stringify(process.argv.slice(1)))' -- ${name} "$@"; }`,
);

it("a stack gets access to a cloud, by the service's name and by identities of its runs", async () => {
  const [policy = "", trust = ""] = reader.take("docs/cloud.md", "json");
  const { Statement } = JSON.parse(policy);
  const subject = { orgId: "ORG_ID", stackSlug: "network" } as Parameters<typeof externalId>[0];
  expect(Statement[0].Condition.StringEquals).toEqual({ "sts:ExternalId": externalId(subject) });
  await reader.shell.run(CLOUD_PROGRAMS.join("\n"));
  const [written, , provider, role, , pool, binding, , azure, , vault] = await reader.follow("docs/cloud.md");
  expect(lastAnswer(written).config.roles.map(({ name }: { name: string }) => name)).toEqual(["default", "network"]);
  const { items } = await reader.running.api.request<{ items: Declared[] }>(
    "GET",
    "/stacks/network/cloud-integrations",
  );
  expect(items.map(({ provider_type }) => provider_type)).toEqual([...IDENTITY_TYPES].sort());
  const declared = items.find(({ provider_type }) => provider_type === "aws_identity") as Declared;
  const { issuer, subjects } = declared.trust;
  expect(JSON.parse(await (await fetch(`${issuer}/.well-known/openid-configuration`)).text()).issuer).toBe(issuer);
  // What the policy names is what tokens say, with the ids in their places.
  const own = (text: string) => text.replace(/org:[0-9a-f-]{36}:stack:[0-9a-f-]{36}/, "org:ORG_ID:stack:STACK_KEY");
  const { plan = "", apply = "" } = subjects;
  expect(JSON.parse(trust).Statement[0].Condition.StringEquals).toEqual({
    "deploy.example.com:aud": declared.config.audience,
    "deploy.example.com:sub": [own(plan), own(apply)],
  });
  const page = await readFile("docs/cloud.md", "utf8");
  for (const each of Object.values<string>(subjects)) expect(page).toContain(`| \`${own(each)}\` |`);
  const calls = (text: string | undefined): string[][] =>
    (text ?? "")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  expect(calls(provider)).toEqual([
    ["aws", "iam", "create-open-id-connect-provider", "--url", issuer, "--client-id-list", declared.config.audience],
  ]);
  expect(calls(role)[0]?.slice(0, 3)).toEqual(["aws", "iam", "create-role"]);
  expect(calls(pool)[1]).toContain(`--issuer-uri=${issuer}`);
  expect(calls(binding)[0]?.at(-1)).toMatch(new RegExp(`/subject/${subjects.apply}$`));
  expect(calls(azure)[0]?.at(-1)).toContain(`"subject": "${subjects.apply}"`);
  expect(calls(vault)[2]).toContain(`bound_subject=${subjects.apply}`);
  // What the page says of claims is what tokens have.
  const { claims_supported: claims } = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as {
    claims_supported: string[];
  };
  const said = page.slice(page.indexOf("### What a token says")).split("Whoever may set")[0] ?? "";
  expect([...said.matchAll(/`([a-z_]+)`/g)].map(([, claim]) => claim).sort()).toEqual([...claims].sort());
}, 60_000);

it("no block is left over: each was carried out, or is named above with the reason", () => {
  expect(reader.forgotten()).toEqual([]);
});
