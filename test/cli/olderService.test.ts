/** A service that is older than the program: what it can do works, and of the rest the missing call is named. */
import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect } from "vitest";
import { eachAtOnce } from "../../bench/harness/eachAtOnce.ts";
import { EXIT } from "../../cli/exit/exitCodes.ts";
import { type CliWorld, PLANS, cliTest as test } from "../support/cliTest.ts";
import { callsNow } from "../support/olderService.ts";
import { state } from "../support/stateTest.ts";

const O = "/api/v1/orgs/{org_id}";
const S = `${O}/stacks/{stack_id}`;
const D = `${S}/deployments/{id}`;
const NOBODY = "0190a3c2-0000-7000-8000-000000000001";

/** A call, and a command that cannot do without it. */
const NEEDS: [call: string, ...args: string[]][] = [
  ["POST /api/v1/auth/device", "login", "--host", "{host}"],
  ["GET /api/v1/auth/me", "whoami"],
  ["GET /api/v1/orgs", "stacks", "--org", "some name"],
  ["GET /api/v1/orgs/{org_id}/stacks", "stacks"],
  ["POST /api/v1/orgs/{org_id}/stacks", "stack", "create", "x", "--repository", "https://git.example/x"],
  [`GET ${S}`, "stack", "show", "{stack}"],
  [`POST ${S}/hold`, "stack", "hold", "{stack}", "--reason", "x"],
  [`POST ${S}/release`, "stack", "release", "{stack}"],
  [`GET ${S}/queue`, "queue", "{stack}"],
  [`GET ${S}/dependencies`, "graph", "{stack}"],
  [`POST ${S}/deployments`, "up", "{stack}", "--detach"],
  [`GET ${S}/deployments`, "watch", "{empty}"],
  [`POST ${S}/deployments/run-command`, "run", "{stack}", "--detach", "--", "true"],
  [`POST ${S}/local-sources`, "plan", "{stack}", "--local", "--detach"],
  [`POST ${S}/deployments/local`, "plan", "{stack}", "--local", "--detach"],
  [`GET ${S}/state/versions`, "state", "versions", "{stateful}"],
  [
    `GET ${S}/state/versions/{version_id}`,
    "state",
    "pull",
    "{stateful}",
    "--at",
    "01a1f77a-0000-7000-8000-00000000dead",
  ],
  [`GET ${S}/state/versions/{version_id}/body`, "state", "pull", "{stateful}"],
  [
    `POST ${S}/state/versions/{version_id}/restore`,
    "state",
    "rollback",
    "{stateful}",
    "--to",
    "1",
    "--reason",
    "x",
    "--yes",
  ],
  [`PUT ${S}/state/lock`, "state", "push", "{stateful}", "--input", "state"],
  [`POST ${S}/state`, "state", "push", "{stateful}", "--input", "state"],
  [`GET ${S}/outputs`, "outputs", "{stack}"],
  [`GET ${S}/drift`, "drift", "{stack}"],
  [`POST ${S}/drift/check`, "drift", "{stack}", "--check"],
  ["GET /api/v1/orgs/{org_id}/drift", "drift", "--all"],
  ["GET /api/v1/orgs/{org_id}/scm-integrations", "code-hosts"],
  ["POST /api/v1/orgs/{org_id}/scm-integrations/{integration_id}/test", "code-hosts", "host", "--test"],
  [`GET ${S}/schedules`, "schedules", "{stack}"],
  [`POST ${S}/schedules`, "schedules", "add", "n", "--stack", "{stack}", "--mode", "plan", "--cron", "0 3 * * *"],
  [`PATCH ${S}/schedules/{stack_schedule_id}`, "schedules", "pause", "n", "--stack", "{stateful}"],
  [`DELETE ${S}/schedules/{stack_schedule_id}`, "schedules", "remove", "n", "--stack", "{stateful}"],
  ["GET /api/v1/orgs/{org_id}/schedules", "schedules", "--all"],
  [`POST ${O}/schedules`, "schedules", "add", "n", "--label", "a=b", "--mode", "plan", "--cron", "0 3 * * *"],
  [`PATCH ${O}/schedules/{selector_schedule_id}`, "schedules", "pause", "w", "--organization"],
  [`DELETE ${O}/schedules/{selector_schedule_id}`, "schedules", "remove", "w", "--organization"],
  [`GET ${S}/lifetime`, "lifetime", "{stack}"],
  [`PATCH ${S}/lifetime`, "prolong", "{stack}", "--by", "P1D", "--reason", "r"],
  [`GET ${O}/notification-integrations`, "notifications", "list"],
  [`POST ${O}/notification-integrations`, "notifications", "create", "n", "--as", "slack", "--input", "target"],
  [`POST ${O}/notification-integrations/{notification_integration_id}/test`, "notifications", "test", "hook"],
  [`GET ${O}/notification-deliveries`, "notifications", "deliveries"],
  [`POST ${O}/notification-deliveries/{delivery_id}/retry`, "notifications", "retry", NOBODY],
  [`GET ${O}/policies`, "policies"],
  [`POST ${O}/policies`, "policies", "create", "n"],
  [`PUT ${O}/policies/{policy_id}`, "policies", "set", "rules", "--enforcement", "advisory"],
  [`POST ${O}/policies/{policy_id}/test`, "policies", "test", "rules", "{deployment}"],
  [`GET ${D}/policy-evaluations`, "policies", "said", "{deployment}"],
  [`POST ${D}/policy-evaluations`, "policies", "evaluate", "{deployment}"],
  [`POST ${D}/policy-override`, "policies", "override", "{deployment}", "--reason", "r"],
  [`GET ${D}/approvals`, "approvals", "{deployment}"],
  [`POST ${D}/reviews`, "review", "{deployment}", "--approve", "--plan", NOBODY],
  ["GET /api/v1/orgs/{org_id}/deployments", "ls"],
  ["GET /api/v1/orgs/{org_id}/explore/resources", "resources"],
  [`GET ${D}`, "watch", "{deployment}"],
  [`GET ${D}/events`, "events", "{deployment}"],
  [`GET ${D}/logs`, "logs", "{deployment}"],
  [`GET ${D}/plan/changes`, "changes", "{deployment}"],
  [`GET ${D}/plan/text`, "changes", "{deployment}", "--text"],
  [`POST ${D}/confirm`, "replan", "{deployment}", "--detach"],
  [`POST ${D}/skip`, "skip", "{deployment}"],
  [`POST ${D}/cancel`, "cancel", "{deployment}"],
  [`POST ${D}/retry`, "retry", "{deployment}", "--detach"],
];
/** What a program does beside its work, and does without where it cannot. */
const BESIDE = [
  "POST /api/v1/auth/device/token",
  "GET /api/v1/me/tokens",
  "DELETE /api/v1/me/tokens/{token_id}",
  // Of an output that is sensitive, once the outputs are listed.
  `GET ${S}/outputs/{name}`,
];

test("every call of the program is one of those that are tried here", () => {
  const folder = fileURLToPath(new URL("../../cli/", import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  const text = files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  const calls = [...text.matchAll(/\.(GET|POST|PUT|PATCH|DELETE)\(\s*"(\/api[^"]+)"/g)].map(
    ([, verb, path]) => `${verb} ${path}`,
  );
  const tried = new Set([...NEEDS.map(([call]) => call), ...BESIDE]);
  expect([...new Set(calls)].filter((call) => !tried.has(call))).toEqual([]);
  const known = new Set(callsNow().map(({ call }) => call));
  expect([...tried].filter((call) => !known.has(call))).toEqual([]);
});

/** A stack with a plan that waits for a person. */
async function waiting(world: CliWorld): Promise<{ stack: string; deployment: string }> {
  const stack = await world.stack();
  const { stdout } = await world.run(["up", stack, "--detach"]);
  await world.plan(PLANS.changes);
  expect((await world.run(["watch", stack, "--quiet"])).code).toBe(EXIT.done);
  return { stack, deployment: `${stack}/${stdout.trim()}` };
}

test("each missing call is named by the command that needs it", async ({ world, old, folder }) => {
  const { stack, deployment } = await waiting(world);
  const { sql } = world.api.database;
  await sql`insert into scm_integrations (org_id, name, url_pattern) values (${world.org}, 'host', '^https://git')`;
  const [empty, stateful] = [await world.stack(), await world.stack()];
  await writeFile(join(folder, "state"), JSON.stringify(state(1)));
  expect((await world.run(["state", "push", stateful, "--input", "state"])).code).toBe(EXIT.done);
  // The first of two, so that there is one to go back to.
  await writeFile(join(folder, "state"), JSON.stringify(state(2)));
  expect((await world.run(["state", "push", stateful, "--input", "state"])).code).toBe(EXIT.done);
  const nightly = ["schedules", "add", "n", "--stack", stateful, "--mode", "plan", "--cron", "0 3 * * *"];
  expect((await world.run(nightly)).code).toBe(EXIT.done);
  const weekly = ["schedules", "add", "w", "--label", "a=b", "--mode", "plan", "--cron", "0 3 * * 1"];
  expect((await world.run(weekly)).code).toBe(EXIT.done);
  await writeFile(join(folder, "target"), "https://chat.example/hook");
  const hook = ["notifications", "create", "hook", "--as", "slack", "--input", "target"];
  for (const made of [hook, ["policies", "create", "rules"]]) expect((await world.run(made)).code).toBe(EXIT.done);
  await writeFile(join(folder, "main.tf"), "");
  const found = new Map<string, unknown[]>();
  await eachAtOnce(NEEDS, 3, async ([call, ...args]) => {
    const host = await old(call.split(" ")[1]!);
    const meant: Record<string, string> = {
      ...{ "{stack}": stack, "{empty}": empty, "{stateful}": stateful, "{deployment}": deployment },
      "{host}": host,
    };
    const words = args.map((word) => meant[word] ?? word);
    const { code, stderr } = await world.run(words, { env: { DEPLOY_HOST: host } });
    found.set(call, [call, code, /needs: (\S+ \S+)\. It is older/.exec(stderr)?.[1] ?? stderr]);
  });
  expect(NEEDS.map(([call]) => found.get(call))).toEqual(NEEDS.map(([call]) => [call, EXIT.failed, call]));
}, 180_000);

describe("the service of before there were clients", () => {
  test("is planned, confirmed and watched with, and read", async ({ world, old, folder }) => {
    const env = { DEPLOY_HOST: await old() };
    const stack = await world.stack();
    const up = world.start(["up", stack, "--auto-approve"], { env });
    await world.plan(PLANS.changes);
    await world.apply();
    expect([await up.exited, up.stderr]).toEqual([EXIT.done, expect.stringContaining(": applied")]);

    const asked = world.start(["up", stack, "--auto-approve=non-destructive"], { env });
    await world.plan(PLANS.destroys);
    expect(await asked.exited).toBe(EXIT.refused);
    await writeFile(join(folder, "main.tf"), "");
    const local = world.start(["plan", stack, "--local"], { env });
    await world.plan(PLANS.nothing);
    expect(await local.exited).toBe(EXIT.done);
    const works = [
      ["whoami"],
      ["stacks"],
      ["stack", "show", stack],
      ["queue", stack],
      ["graph", stack],
      ["events", stack],
      ["logs", stack],
      ["resources"],
      ["replan", stack, "--target", "a.b", "--detach"],
      ["cancel", stack],
      ["stack", "hold", stack, "--reason", "x"],
      ["stack", "release", stack],
    ];
    for (const args of works) {
      const { code, stderr } = await world.run(args, { env });
      expect([args, code, stderr]).toEqual([args, EXIT.done, expect.not.stringContaining("bug")]);
    }
  }, 120_000);

  test("cannot be signed in to by a browser, and is by a token", async ({ world, old }) => {
    const host = await old();
    const env = { DEPLOY_TOKEN: "", DEPLOY_HOST: "", DEPLOY_ORG: "" };
    const byBrowser = await world.run(["login", "--host", host], { env });
    expect([byBrowser.code, byBrowser.stderr]).toEqual([
      EXIT.failed,
      expect.stringContaining("POST /api/v1/auth/device"),
    ]);
    const login = world.start(["login", "--host", host, "--with-token"], { env, input: world.token });
    expect(await login.exited).toBe(EXIT.done);
    expect((await world.run(["stacks"], { env })).code).toBe(EXIT.done);
  });
});
