/** The button that triggers a dependent (docs/dependencies.md#rows-and-what-they-say). */
import { randomUUID } from "node:crypto";
import { describe, expect } from "vitest";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import { resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import { applied, children, dependsOn, HEAD, resolveAll } from "../support/cascades.ts";
import { test } from "../support/dependentsTest.ts";
import type { Grant } from "../support/peopleApi.ts";

describe("the button", () => {
  test("deploys what waited for a person, once, and says who asked", async ({ api, org, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await world.apply(a);
    const { status, body } = await world.press(a, deployment, b);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      stack_id: b.name,
      mode: "plan",
      status: "pending",
      origin_type: "dependency",
      origin_dependency_deployment_id: deployment,
      origin_dependency_stack_id: a.name,
      cascade_stack_path: [a.name],
      commit_sha: HEAD.sha,
      commit_message: HEAD.message,
    });
    expect(body.created_by).not.toBeNull();
    expect((await world.list(a, deployment)).body.items[0]).toMatchObject({
      trigger: "manual",
      skipped_reason: null,
      triggered_deployment_id: body.id,
    });
    const asked = world.deps.asked;
    const again = await world.press(a, deployment, b);
    expect([again.status, again.body.code]).toEqual([409, "already_triggered"]);
    // What is certain needs no host.
    expect(world.deps.asked).toBe(asked);
    const [logged] = await api.database.sql`
      select action, resource_id from audit_log where org_id = ${org.orgId} and action = 'deployment.create'
        and resource_id = ${body.id}`;
    expect(logged).toBeDefined();
  });

  test("answers a repeated request with the first one's answer", async ({ api, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await world.apply(a);
    const key = { "idempotency-key": randomUUID() };
    const both = await Promise.all([
      world.press(a, deployment, b, world.admin, key),
      world.press(a, deployment, b, world.admin, key),
    ]);
    const third = await world.press(a, deployment, b, world.admin, key);
    for (const { status, body } of [...both, third]) {
      expect(status).toBe(201);
      expect(body.id).toBe(third.body.id);
    }
    expect(await children(api.database, b.key)).toHaveLength(1);
  });

  test("refuses what is declared never", async ({ api, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(api.database, b.key, a.key, { trigger: "never" });
    const deployment = await world.apply(a);
    const { status, body } = await world.press(a, deployment, b);
    expect([status, body.code]).toEqual([409, "trigger_never"]);
    expect(await children(api.database, b.key)).toEqual([]);
  });

  test("deploys what could not be triggered, and its error goes", async ({ api, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(api.database, b.key, a.key);
    world.deps.head = async () => null;
    const deployment = await world.apply(a);
    expect((await world.list(a, deployment)).body.items[0].error).toContain("branch");
    expect((await world.press(a, deployment, b)).status).toBe(422);
    world.deps.head = async () => {
      throw new HostError("unavailable", 503);
    };
    expect((await world.press(a, deployment, b)).status).toBe(502);
    world.deps.head = async () => HEAD;
    expect((await world.press(a, deployment, b)).status).toBe(201);
    expect((await world.list(a, deployment)).body.items[0]).toMatchObject({ error: null });
  });

  test("is 404 alike without read on the parent, deploy on the dependent, a dependency, or a stack", async ({
    api,
    world,
  }) => {
    const [a, b, other] = [await world.stack("up-a"), await world.stack("down-b"), await world.stack("down-other")];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await world.apply(a);
    const readA = ["stack", "read", { pattern: "up-%" }] as Grant;
    const deployB = ["stack", "deploy", { pattern: "down-%" }] as Grant;
    const both = await world.holding(readA, deployB);
    const refused = [
      await world.press(a, deployment, b, await world.holding(deployB)),
      await world.press(a, deployment, b, await world.holding(readA, ["stack", "read"])),
      await world.press(a, deployment, other, both),
      await world.press(a, deployment, { ...other, name: "not-there" }, both),
      await world.press(a, deployment, a, both),
      await world.press(a, randomUUID(), b, both),
    ];
    const texts = new Set(refused.map(({ status, text }) => `${status} ${text}`));
    expect([...texts]).toEqual([expect.stringContaining("404")]);
    const granted = await world.press(a, deployment, b, both);
    expect(granted.status).toBe(201);
    // Who may deploy it need not be allowed to read it; what it came from they may.
    expect(granted.body.origin_dependency_stack_id).toBe(a.name);
  });

  test("knows no row of a dependent that was deleted and made again", async ({ api, org, world }) => {
    const [a, b] = [await world.stack(), await world.stack("again")];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await world.apply(a);
    await api.call("DELETE", `/api/v1/orgs/${org.orgId}/stacks/${b.name}`, { token: world.admin });
    await world.stack("again");
    expect((await world.press(a, deployment, b)).status).toBe(404);
    expect((await world.list(a, deployment)).body.items[0]).toMatchObject({
      dependent_stack_id: "again",
      dependent_stack_deleted: true,
    });
  });

  test("may come before the cascade, which then leaves the dependent alone", async ({ api, org, world }) => {
    const [a, b] = [await world.stack(), await world.stack()];
    await dependsOn(api.database, b.key, a.key);
    const deployment = await applied(api.service, api.database, org, a.key);
    expect((await world.press(a, deployment, b)).status).toBe(404);
    world.deps.head = async () => {
      throw new HostError("unavailable");
    };
    await resolveDependents(world.deps, deployment);
    world.deps.head = async () => HEAD;
    expect((await world.list(a, deployment)).body.dependents_resolved_at).toBeNull();
    const { body } = await world.press(a, deployment, b);
    await resolveAll(world.deps, deployment);
    expect((await children(api.database, b.key)).map(({ id }) => id)).toEqual([body.id]);
    expect((await world.list(a, deployment)).body.dependents_resolved_at).not.toBeNull();
  });
});
