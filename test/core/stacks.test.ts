/** Stacks over HTTP: create, read, settings, and who may change what (docs/rules/stacks.md). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { insertGroup } from "../../bench/harness/rows.ts";
import { claim, create, statuses } from "../support/fixtures.ts";
import { type Answer, type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: string;
let number = 0;

beforeAll(async () => {
  api = await startPeopleApi();
  org = await api.makeOrg();
  admin = (await api.makeAccount(org, [["*", "*"]])).token;
});
afterAll(() => api.close());

const path = (id = "", of = org) => `/api/v1/orgs/${of}/stacks${id === "" ? "" : `/${id}`}`;
const minimal = (more: Record<string, unknown> = {}) => ({
  name: `stack ${++number}`,
  repository_url: "https://git.example/team/repo.git",
  branch: "main",
  ...more,
});
const post = (body: unknown, token = admin) => api.call("POST", path(), { token, body });
const patch = (id: string, body: unknown, token = admin) => api.call("PATCH", path(id), { token, body });
const made = async (more: Record<string, unknown> = {}) => (await post(minimal(more))).body.id as string;
const holding = async (grants: Grant[]) => (await api.makeAccount(org, grants)).token;
const fields = (answer: Answer) => answer.body.errors?.map((error: { field: string }) => error.field);

describe("create", () => {
  test("201 with every field; what was left out has its default", async () => {
    const answer = await post(minimal({ name: "Network: Prod (EU)" }));
    expect(answer.status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/);
    expect(answer.body).toEqual({
      id: "network-prod-eu",
      org_id: org,
      name: "Network: Prod (EU)",
      repository_url: "https://git.example/team/repo.git",
      branch: "main",
      working_directory: ".",
      tool: "terraform",
      tool_version: null,
      labels: {},
      authz_groups: [],
      pr_plan_mode: "manual",
      auto_approve_mode: "manual",
      deploy_on_push: true,
      fork_previews: false,
      pr_requirements: {},
      queued_timeout: null,
      confirmation_timeout: null,
      supersede_age: null,
      max_run_duration: null,
      held_at: null,
      held_by: null,
      hold_reason: null,
      latest_deployment_id: null,
      latest_deployment_status: null,
      latest_deployment_mode: null,
      latest_deployment_commit_sha: null,
      latest_deployment_created_at: null,
      latest_deployment_completed_at: null,
      created_at: time,
      updated_at: time,
    });
    expect((await api.call("GET", path("network-prod-eu"), { token: admin })).body).toEqual(answer.body);
  });

  test("stores every setting, paths and groups in one spelling", async () => {
    const settings = {
      repository_url: "git@git.example:team/repo.git",
      branch: "release/1.x",
      working_directory: "./envs//prod/",
      tool: "tofu",
      tool_version: "1.9.0",
      labels: { env: "prod", "svc:runner-group:pool": "big", "svc:group:region": "eu" },
      authz_groups: ["ops", "net", "ops"],
      pr_plan_mode: "auto",
      auto_approve_mode: "non_destructive",
      deploy_on_push: false,
      fork_previews: false,
      pr_requirements: {},
      queued_timeout: "P1DT12H",
      confirmation_timeout: "PT90M",
      supersede_age: "PT30S",
      max_run_duration: "PT2H",
    };
    const answer = await post(minimal(settings));
    expect(answer.body).toMatchObject({
      ...settings,
      working_directory: "envs/prod",
      authz_groups: ["net", "ops"],
      confirmation_timeout: "PT1H30M",
    });
  });

  test("409 when the id is taken, in this organization only", async () => {
    await post(minimal({ name: "Same Name" }));
    const answer = await post(minimal({ name: "same   name" }));
    expect(answer.body).toMatchObject({ status: 409, code: "conflict" });
    const other = await api.makeOrg();
    const { token } = await api.makeAccount(other, [["*", "*"]]);
    expect((await api.call("POST", path("", other), { token, body: minimal({ name: "Same Name" }) })).status).toBe(201);
  });

  test("422 for a name that leaves no id", async () => {
    for (const name of ["***", "..", ".", "日本"]) expect(fields(await post(minimal({ name })))).toEqual(["name"]);
  });

  test.each([
    ["name", ["", " x", "x\u0007", "x".repeat(101), 7]],
    [
      "repository_url",
      [
        "http://git.example/r.git",
        "file:///etc",
        "git://git.example/r",
        "ext::sh -c id",
        "--upload-pack=id",
        "https://user:secret@git.example/r",
        "https://token@git.example/r",
        "https://git.example/r?x=1",
        "https://git.example/a b",
        "https://-host/r",
        "ssh://-oProxyCommand=id/r",
        "git@-host:r",
        "git@host:-r",
        "https://git.example/$(id)",
        "r",
        "",
      ],
    ],
    ["branch", ["", "-x", "a..b", "a b", "a~1", "x.lock", "a/.b", "a//b", "a@{1}", "@", "a\\b", "a/", "a.", "x\n"]],
    ["working_directory", ["/etc", "..", "a/../../b", "a\\b", "", ".git", "a/.GIT/hooks", "-chdir", "a\u0000"]],
    ["tool", ["pulumi", "Terraform", null]],
    ["tool_version", ["latest", "1.2", ">= 1.0.0", "1.2.3 "]],
    [
      "labels",
      [{ "svc:x": "1" }, { "svc:runner-group:": "x" }, { "": "x" }, { "a b": "c" }, { a: 1 }, { a: "x\n" }, []],
    ],
    ["authz_groups", [["svc:x"], [""], ["a\n"], "a", [1]]],
    ["pr_plan_mode", ["always"]],
    ["auto_approve_mode", ["yes"]],
    ["deploy_on_push", ["true", 1]],
    ["queued_timeout", ["30m", "PT0S", "P1Y", "-PT1M", 30, "PT1H "]],
    ["confirmation_timeout", ["x"]],
    ["supersede_age", ["P1M"]],
    ["max_run_duration", [""]],
  ])("422 names %s for each bad value", async (field, values) => {
    for (const value of values) {
      const answer = await post(minimal({ [field]: value }));
      expect([value, answer.status]).toEqual([value, 422]);
      expect(answer.body.errors.every((e: { field: string }) => e.field.split(".")[0] === field)).toBe(true);
    }
  });

  test("422 for fields that are not the caller's to set", async () => {
    for (const field of ["id", "org_id", "held_at", "latest_deployment_id", "created_at"]) {
      expect(fields(await post(minimal({ [field]: "x" })))).toEqual([field]);
    }
  });
});

describe("who may create", () => {
  test("403 without (stack, create) on the name, also for a stranger", async () => {
    const token = await holding([["stack", "create", { pattern: "dev-%" }]]);
    expect((await post(minimal({ name: "dev-1" }), token)).status).toBe(201);
    expect((await post(minimal({ name: "prod-1" }), token)).body).toMatchObject({ status: 403, code: "forbidden" });
    const { token: stranger } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
    expect((await post(minimal(), stranger)).status).toBe(403);
    const { user } = await api.makeUser();
    expect((await api.call("POST", path(), { user, body: minimal() })).status).toBe(403);
  });

  test("automatic approval needs (stack, confirm) too", async () => {
    const creator = await holding([["stack", "create"]]);
    for (const auto_approve_mode of ["auto", "non_destructive"]) {
      expect((await post(minimal({ auto_approve_mode }), creator)).status).toBe(403);
      const both = await holding([
        ["stack", "create"],
        ["stack", "confirm"],
      ]);
      expect((await post(minimal({ auto_approve_mode }), both)).status).toBe(201);
    }
  });

  test("each group needs (stack_authz_group, assign) on its name", async () => {
    const token = await holding([
      ["stack", "create"],
      ["stack_authz_group", "assign", { pattern: "net%" }],
    ]);
    expect((await post(minimal({ authz_groups: ["net", "net-eu"] }), token)).status).toBe(201);
    expect((await post(minimal({ authz_groups: ["net", "ops"] }), token)).status).toBe(403);
  });

  test("a super-admin finds no organization that is not there", async () => {
    const { user } = await api.makeUser({ superAdmin: true });
    expect((await api.call("POST", path(), { user, body: minimal() })).status).toBe(201);
    const gone = "01a1f77a-0000-7000-8000-00000000dead";
    expect((await api.call("POST", path("", gone), { user, body: minimal() })).status).toBe(404);
  });
});

describe("settings", () => {
  test("PATCH changes what is sent; a write that changes nothing leaves no trace", async () => {
    const id = await made({ branch: "dev", labels: { a: "1", b: "2" } });
    const before = (await api.call("GET", path(id), { token: admin })).body;
    const answer = await patch(id, { branch: "main", queued_timeout: "PT1H" });
    expect(answer.body).toEqual({
      ...before,
      branch: "main",
      queued_timeout: "PT1H",
      updated_at: answer.body.updated_at,
    });
    expect(answer.body.updated_at > before.updated_at).toBe(true);
    const again = await patch(id, { branch: "main", labels: { b: "2", a: "1" } });
    expect(again.body).toEqual(answer.body);
    expect((await patch(id, { queued_timeout: null })).body.queued_timeout).toBeNull();
    expect((await patch(id, {})).status).toBe(200);
    expect(fields(await patch(id, []))).toEqual(["body"]);
  });

  test("PUT replaces: absent means default, required stays required", async () => {
    const id = await made({ labels: { a: "1" }, tool: "tofu", queued_timeout: "PT1H", deploy_on_push: false });
    const { name: _, ...body } = minimal({ branch: "next" });
    const answer = await api.call("PUT", path(id), { token: admin, body });
    expect(answer.body).toMatchObject({
      branch: "next",
      labels: {},
      tool: "terraform",
      queued_timeout: null,
      deploy_on_push: true,
      fork_previews: false,
      pr_requirements: {},
    });
    expect(fields(await api.call("PUT", path(id), { token: admin, body: { branch: "x" } }))).toEqual([
      "repository_url",
    ]);
  });

  test("422 for a misspelt field, an id, and a transport the operator does not allow", async () => {
    const id = await made();
    expect(fields(await patch(id, { labls: {} }))).toEqual(["labls"]);
    expect(fields(await patch(id, { id: "other" }))).toEqual(["id"]);
    expect(fields(await patch(id, { repository_url: "file:///srv/r.git" }))).toEqual(["repository_url"]);
  });

  test("automatic approval needs (stack, confirm) when it is switched on, not when it was on already", async () => {
    const token = await holding([
      ["stack", "update"],
      ["stack", "read"],
    ]);
    const id = await made();
    expect((await patch(id, { auto_approve_mode: "auto" }, token)).status).toBe(404);
    await patch(id, { auto_approve_mode: "auto" });
    expect((await patch(id, { auto_approve_mode: "auto", branch: "x" }, token)).status).toBe(200);
    expect((await patch(id, { auto_approve_mode: "non_destructive" }, token)).status).toBe(404);
    expect((await patch(id, { auto_approve_mode: "manual" }, token)).status).toBe(200);
  });

  test("each group that comes or goes needs (stack_authz_group, assign)", async () => {
    const token = await holding([
      ["stack", "update"],
      ["stack_authz_group", "assign", { pattern: "a" }],
    ]);
    const id = await made({ authz_groups: ["b"] });
    expect((await patch(id, { authz_groups: ["a", "b"] }, token)).body.authz_groups).toEqual(["a", "b"]);
    expect((await patch(id, { authz_groups: ["b", "a"], branch: "x" }, token)).status).toBe(200);
    expect((await patch(id, { authz_groups: ["a"] }, token)).status).toBe(404);
    expect((await patch(id, { authz_groups: ["a", "b", "c"] }, token)).status).toBe(404);
    expect((await api.call("GET", path(id), { token: admin })).body.authz_groups).toEqual(["a", "b"]);
  });

  test("a new name brings the stack under no pattern that gives the caller more than before", async () => {
    const base: Grant[] = [
      ["stack", "update"],
      ["stack", "read"],
    ];
    const rename = async (grants: Grant[], from: string, to: string, settings: object = {}) => {
      const id = await made({ name: from, ...settings });
      const answer = await patch(id, { name: to }, await holding([...base, ...grants]));
      expect((await api.call("DELETE", path(answer.body.id ?? id), { token: admin })).status).toBe(204);
      return answer.status;
    };
    const dev = { pattern: "dev-%" };
    expect(await rename([["stack", "deploy", dev]], "prod-a", "dev-prod-a")).toBe(404);
    expect(await rename([["*", "deploy", dev]], "prod-a", "dev-prod-a")).toBe(404);
    expect(await rename([["stack", "*", dev]], "prod-a", "dev-prod-a")).toBe(404);
    expect(await rename([["*", "*", dev]], "prod-a", "dev-prod-a")).toBe(404);
    expect(await rename([["cloud_integration", "update", { pattern: "dev-%:cloud_b" }]], "prod-a", "dev-a")).toBe(404);
    expect(await rename([["stack", "deploy", dev]], "prod-a", "prod-b")).toBe(200);
    expect(await rename([["stack", "deploy", dev]], "dev-a", "dev-b")).toBe(200);
    expect(await rename([["stack", "deploy", dev]], "dev-a", "prod-b")).toBe(200);
    expect(await rename([["stack", "update", dev]], "prod-a", "dev-a")).toBe(200);
    const group: Grant = ["stack", "deploy", { group: "team" }];
    expect(await rename([["stack", "deploy", dev], group], "prod-a", "dev-a")).toBe(404);
    expect(await rename([["stack", "deploy", dev], group], "prod-a", "dev-a", { authz_groups: ["team"] })).toBe(200);
    expect(await rename([["stack_authz_group", "assign", dev]], "prod-a", "dev-a")).toBe(200);
  });

  test("a body that is wrong tells an outsider nothing", async () => {
    const id = await made();
    const token = await holding([["stack", "read"]]);
    expect((await patch(id, { misspelt: 1 }, token)).status).toBe(404);
    expect((await patch(id, "{", token)).status).toBe(404);
  });
});

describe("a changed policy tells what waits for it", () => {
  test("queued, waiting and running ones, each only where its deadline hangs on the change", async () => {
    const { database, service } = api;
    const id = await made();
    const [stack] = await database.sql`select stack_key from stacks where org_id = ${org} and slug = ${id}`;
    const { groupId } = await insertGroup(database.sql, org);
    const holder = await create(service, stack?.stack_key);
    const queued = await create(service, stack?.stack_key);
    const { runId } = await claim(database, { orgId: org, groupId }, holder);
    expect((await statuses(database, queued)).deployment).toBe("queued");

    const told = async (body: object) => {
      service.sent.length = 0;
      expect((await patch(id, body)).status).toBe(200);
      return service.sent;
    };
    const changed = expect.objectContaining({ kind: "wakeDeployment", deploymentId: queued, signal: "policyChanged" });
    expect(await told({ queued_timeout: "PT5M" })).toEqual([changed]);
    expect(await told({ queued_timeout: "PT5M" })).toEqual([]);
    expect(await told({ supersede_age: "PT5M" })).toEqual([changed]);
    expect(await told({ confirmation_timeout: "PT5M" })).toEqual([]);
    expect(await told({ max_run_duration: "PT5M" })).toEqual([
      { kind: "wakeLease", orgId: org, runId, signal: "reread" },
    ]);
    expect(await told({ branch: "other" })).toEqual([]);
    const rows =
      await database.sql`select message from outbox where message ->> 'signal' in ('policyChanged', 'reread')`;
    expect(rows).toHaveLength(3);
  });
});
