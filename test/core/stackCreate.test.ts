/** Stacks over HTTP: what creates one, and who may (docs/rules/stacks.md). */
import { describe, expect } from "vitest";
import { fields, minimal, test } from "../support/stacksTest.ts";

describe("create", () => {
  test("201 with every field; what was left out has its default", async ({ api, world }) => {
    const answer = await world.post(minimal({ name: "Network: Prod (EU)" }));
    expect(answer.status).toBe(201);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/);
    expect(answer.body).toEqual({
      id: "network-prod-eu",
      org_id: world.org,
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
      preview_runner_labels: null,
      fork_runner_labels: null,
      pr_requirements: {},
      queued_timeout: null,
      confirmation_timeout: null,
      supersede_age: null,
      max_run_duration: null,
      state_mode: "auto",
      held_at: null,
      held_by: null,
      held_by_actor: null,
      hold_reason: null,
      expires_at: null,
      hooks: {},
      allowed_actions: expect.arrayContaining(["plan", "hold", "delete"]),
      latest_deployment_id: null,
      latest_deployment_status: null,
      latest_deployment_mode: null,
      latest_deployment_commit_sha: null,
      latest_deployment_created_at: null,
      latest_deployment_completed_at: null,
      created_at: time,
      updated_at: time,
    });
    expect((await api.call("GET", world.path("network-prod-eu"), { token: world.admin })).body).toEqual(answer.body);
  });

  test("stores every setting, paths and groups in one spelling", async ({ world }) => {
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
    const answer = await world.post(minimal(settings));
    expect(answer.body).toMatchObject({
      ...settings,
      working_directory: "envs/prod",
      authz_groups: ["net", "ops"],
      confirmation_timeout: "PT1H30M",
    });
  });

  test("409 when the id is taken, in this organization only", async ({ api, world }) => {
    await world.post(minimal({ name: "Same Name" }));
    const answer = await world.post(minimal({ name: "same   name" }));
    expect(answer.body).toMatchObject({ status: 409, code: "conflict" });
    const other = await api.makeOrg();
    const { token } = await api.makeAccount(other, [["*", "*"]]);
    expect(
      (await api.call("POST", world.path("", other), { token, body: minimal({ name: "Same Name" }) })).status,
    ).toBe(201);
  });

  test("422 for a name that leaves no id", async ({ world }) => {
    for (const name of ["***", "..", ".", "日本"])
      expect(fields(await world.post(minimal({ name })))).toEqual(["name"]);
  });

  test.for([
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
  ] as const)("422 names %s for each bad value", async ([field, values], { world }) => {
    for (const value of values) {
      const answer = await world.post(minimal({ [field]: value }));
      expect([value, answer.status]).toEqual([value, 422]);
      expect(answer.body.errors.every((e: { field: string }) => e.field.split(".")[0] === field)).toBe(true);
    }
  });

  test("422 for fields that are not the caller's to set", async ({ world }) => {
    for (const field of ["id", "org_id", "held_at", "latest_deployment_id", "created_at"]) {
      expect(fields(await world.post(minimal({ [field]: "x" })))).toEqual([field]);
    }
  });
});

describe("who may create", () => {
  test("403 without (stack, create) on the name, also for a stranger", async ({ api, world }) => {
    const token = await world.holding([["stack", "create", { pattern: "dev-%" }]]);
    expect((await world.post(minimal({ name: "dev-1" }), token)).status).toBe(201);
    expect((await world.post(minimal({ name: "prod-1" }), token)).body).toMatchObject({
      status: 403,
      code: "forbidden",
    });
    const { token: stranger } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
    expect((await world.post(minimal(), stranger)).status).toBe(403);
    const { user } = await api.makeUser();
    expect((await api.call("POST", world.path(), { user, body: minimal() })).status).toBe(403);
  });

  test("automatic approval needs (stack, confirm) too", async ({ world }) => {
    const creator = await world.holding([["stack", "create"]]);
    for (const auto_approve_mode of ["auto", "non_destructive"]) {
      expect((await world.post(minimal({ auto_approve_mode }), creator)).status).toBe(403);
      const both = await world.holding([
        ["stack", "create"],
        ["stack", "confirm"],
      ]);
      expect((await world.post(minimal({ auto_approve_mode }), both)).status).toBe(201);
    }
  });

  test("each group needs (stack_authz_group, assign) on its name", async ({ world }) => {
    const token = await world.holding([
      ["stack", "create"],
      ["stack_authz_group", "assign", { pattern: "net%" }],
    ]);
    expect((await world.post(minimal({ authz_groups: ["net", "net-eu"] }), token)).status).toBe(201);
    expect((await world.post(minimal({ authz_groups: ["net", "ops"] }), token)).status).toBe(403);
  });

  test("a super-admin finds no organization that is not there", async ({ api, world }) => {
    const { user } = await api.makeUser({ superAdmin: true });
    expect((await api.call("POST", world.path(), { user, body: minimal() })).status).toBe(201);
    const gone = "01a1f77a-0000-7000-8000-00000000dead";
    expect((await api.call("POST", world.path("", gone), { user, body: minimal() })).status).toBe(404);
  });
});
