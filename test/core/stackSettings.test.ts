/** Stacks over HTTP: their settings, who may change what, and what follows (docs/rules/stacks.md). */
import { describe, expect } from "vitest";
import { insertGroup } from "../../bench/harness/rows.ts";
import { claim, create, statuses } from "../support/fixtures.ts";
import type { Grant } from "../support/peopleApi.ts";
import { fields, minimal, test } from "../support/stacksTest.ts";

describe("settings", () => {
  test("PATCH changes what is sent; a write that changes nothing leaves no trace", async ({ api, world }) => {
    const id = await world.made({ branch: "dev", labels: { a: "1", b: "2" } });
    const before = (await api.call("GET", world.path(id), { token: world.admin })).body;
    const answer = await world.patch(id, { branch: "main", queued_timeout: "PT1H" });
    expect(answer.body).toEqual({
      ...before,
      branch: "main",
      queued_timeout: "PT1H",
      updated_at: answer.body.updated_at,
    });
    expect(answer.body.updated_at > before.updated_at).toBe(true);
    const again = await world.patch(id, { branch: "main", labels: { b: "2", a: "1" } });
    expect(again.body).toEqual(answer.body);
    expect((await world.patch(id, { queued_timeout: null })).body.queued_timeout).toBeNull();
    expect((await world.patch(id, {})).status).toBe(200);
    expect(fields(await world.patch(id, []))).toEqual(["body"]);
  });

  test("PUT replaces: absent means default, required stays required", async ({ api, world }) => {
    const id = await world.made({ labels: { a: "1" }, tool: "tofu", queued_timeout: "PT1H", deploy_on_push: false });
    const { name: _, ...body } = minimal({ branch: "next" });
    const answer = await api.call("PUT", world.path(id), { token: world.admin, body });
    expect(answer.body).toMatchObject({
      branch: "next",
      labels: {},
      tool: "terraform",
      queued_timeout: null,
      deploy_on_push: true,
      fork_previews: false,
      pr_requirements: {},
    });
    expect(fields(await api.call("PUT", world.path(id), { token: world.admin, body: { branch: "x" } }))).toEqual([
      "repository_url",
    ]);
  });

  test("422 for a misspelt field, an id, and a transport the operator does not allow", async ({ world }) => {
    const id = await world.made();
    expect(fields(await world.patch(id, { labls: {} }))).toEqual(["labls"]);
    expect(fields(await world.patch(id, { id: "other" }))).toEqual(["id"]);
    expect(fields(await world.patch(id, { repository_url: "file:///srv/r.git" }))).toEqual(["repository_url"]);
  });

  test("automatic approval needs (stack, confirm) when it is switched on, not when it is switched off", async ({
    world,
  }) => {
    const token = await world.holding([
      ["stack", "update"],
      ["stack", "read"],
    ]);
    const id = await world.made();
    expect((await world.patch(id, { auto_approve_mode: "auto" }, token)).status).toBe(404);
    await world.patch(id, { auto_approve_mode: "auto" });
    expect((await world.patch(id, { auto_approve_mode: "auto", queued_timeout: "PT1H" }, token)).status).toBe(200);
    expect((await world.patch(id, { auto_approve_mode: "non_destructive" }, token)).status).toBe(404);
    expect((await world.patch(id, { auto_approve_mode: "manual", branch: "x" }, token)).status).toBe(404);
    expect((await world.patch(id, { auto_approve_mode: "manual" }, token)).status).toBe(200);
  });

  test("each group that comes or goes needs (stack_authz_group, assign)", async ({ api, world }) => {
    const token = await world.holding([
      ["stack", "update"],
      ["stack_authz_group", "assign", { pattern: "a" }],
    ]);
    const id = await world.made({ authz_groups: ["b"] });
    expect((await world.patch(id, { authz_groups: ["a", "b"] }, token)).body.authz_groups).toEqual(["a", "b"]);
    expect((await world.patch(id, { authz_groups: ["b", "a"], branch: "x" }, token)).status).toBe(200);
    expect((await world.patch(id, { authz_groups: ["a"] }, token)).status).toBe(404);
    expect((await world.patch(id, { authz_groups: ["a", "b", "c"] }, token)).status).toBe(404);
    expect((await api.call("GET", world.path(id), { token: world.admin })).body.authz_groups).toEqual(["a", "b"]);
  });

  test("a new name brings the stack under no pattern that gives the caller more than before", async ({
    api,
    world,
  }) => {
    const base: Grant[] = [
      ["stack", "update"],
      ["stack", "read"],
    ];
    const rename = async (grants: Grant[], from: string, to: string, settings: object = {}) => {
      const id = await world.made({ name: from, ...settings });
      const answer = await world.patch(id, { name: to }, await world.holding([...base, ...grants]));
      expect((await api.call("DELETE", world.path(answer.body.id ?? id), { token: world.admin })).status).toBe(204);
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

  test("a body that is wrong tells an outsider nothing", async ({ world }) => {
    const id = await world.made();
    const token = await world.holding([["stack", "read"]]);
    expect((await world.patch(id, { misspelt: 1 }, token)).status).toBe(404);
    expect((await world.patch(id, "{", token)).status).toBe(404);
  });
});

describe("a changed policy tells what waits for it", () => {
  test("queued, waiting and running ones, each only where its deadline hangs on the change", async ({ api, world }) => {
    const { database, service } = api;
    const id = await world.made();
    const [stack] = await database.sql`select stack_key from stacks where org_id = ${world.org} and slug = ${id}`;
    const { groupId } = await insertGroup(database.sql, world.org);
    const holder = await create(service, stack?.stack_key);
    const queued = await create(service, stack?.stack_key);
    const { runId } = await claim(database, { orgId: world.org, groupId }, holder);
    expect((await statuses(database, queued)).deployment).toBe("queued");

    const told = async (body: object) => {
      service.sent.length = 0;
      expect((await world.patch(id, body)).status).toBe(200);
      return service.sent;
    };
    const changed = expect.objectContaining({ kind: "wakeDeployment", deploymentId: queued, signal: "policyChanged" });
    expect(await told({ queued_timeout: "PT5M" })).toEqual([changed]);
    expect(await told({ queued_timeout: "PT5M" })).toEqual([]);
    expect(await told({ supersede_age: "PT5M" })).toEqual([changed]);
    expect(await told({ confirmation_timeout: "PT5M" })).toEqual([]);
    expect(await told({ max_run_duration: "PT5M" })).toEqual([
      { kind: "wakeLease", orgId: world.org, runId, signal: "reread" },
    ]);
    expect(await told({ branch: "other" })).toEqual([]);
    const rows =
      await database.sql`select message from outbox where message ->> 'signal' in ('policyChanged', 'reread')`;
    expect(rows).toHaveLength(3);
  });
});
