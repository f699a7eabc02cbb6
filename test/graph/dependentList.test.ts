/**
 * The dependents of an apply over HTTP: who sees what of them
 * (docs/dependencies.md#rows-and-what-they-say).
 */
import { describe, expect } from "vitest";
import { countStatements } from "../../src/platform/db/statements.ts";
import { applyPending, children, dependsOn, finishApply, HEAD, resolveAll } from "../support/cascades.ts";
import { test } from "../support/dependentsTest.ts";

describe("the list", () => {
  test("shows each dependent with its trigger, its evidence, its child or its reason", async ({ api, world }) => {
    const [a, b, c] = [await world.stack(), await world.stack(), await world.stack()];
    await dependsOn(api.database, b.key, a.key, { to: "output.id", from: "aws_subnet.a" });
    await dependsOn(api.database, c.key, a.key, { inferred: true, to: "aws_vpc.main" });
    const deployment = await world.apply(a);
    const { status, body } = await world.list(a, deployment);
    expect(status).toBe(200);
    expect(body.dependents_resolved_at).toMatch(/^\d{4}-.*Z$/);
    expect(body.next_cursor).toBeNull();
    const [child] = await children(api.database, b.key);
    expect(body.items).toHaveLength(2);
    const of = (name: string) =>
      body.items.find((item: { dependent_stack_id: string }) => item.dependent_stack_id === name);
    expect([of(b.name), of(c.name)]).toEqual([
      {
        restricted: false,
        dependent_stack_id: b.name,
        dependent_stack_deleted: false,
        state: "triggered",
        trigger: "always",
        demotion_reason: null,
        skipped_reason: null,
        evidence: "declared",
        triggering_resources: [
          { parent_resource: "output.id", dependent_resource: "aws_subnet.a", provenance: "declared" },
        ],
        triggering_resources_remainder: 0,
        triggered_deployment_id: child?.id,
        triggered_deployment_status: "pending",
        error: null,
        attempts: 0,
        next_attempt_at: null,
        last_failure: null,
      },
      expect.objectContaining({
        state: "manual",
        dependent_stack_id: c.name,
        trigger: "manual",
        skipped_reason: "manual_trigger",
        evidence: "inferred",
        triggered_deployment_id: null,
      }),
    ]);
  });

  test("tells nothing of a dependent that the caller may not read but that it is there", async ({ api, world }) => {
    const [a, b, c] = [await world.stack("seen-a"), await world.stack("seen-b"), await world.stack("hidden-c")];
    for (const dependent of [b, c]) await dependsOn(api.database, dependent.key, a.key, { to: "output.id" });
    const deployment = await world.apply(a);
    const reader = await world.holding(["stack", "read", { pattern: "seen-%" }]);
    const { body, text } = await world.list(a, deployment, reader);
    expect(body.items.map((item: { restricted: boolean }) => item.restricted).sort()).toEqual([false, true]);
    const hidden = body.items.find((item: { restricted: boolean }) => item.restricted);
    expect(Object.entries(hidden).filter(([, value]) => value !== null)).toEqual([
      ["restricted", true],
      ["triggering_resources", []],
      ["triggering_resources_remainder", 0],
    ]);
    expect(text).not.toContain("hidden-c");
    const [child] = await children(api.database, c.key);
    expect(text).not.toContain(child?.id);
    // Nor does a cursor: the key of a stack tells when it was made, and is the same under every parent.
    const cursors = [];
    for (const parent of [deployment, await world.apply(a)]) {
      for (let query = "?limit=1"; query !== ""; ) {
        const page = (await world.list(a, parent, reader, query)).body;
        query = page.next_cursor === null ? "" : `?limit=1&cursor=${page.next_cursor}`;
        if (page.next_cursor !== null) cursors.push(Buffer.from(page.next_cursor, "base64url").toString());
      }
    }
    expect(new Set(cursors).size).toBe(2);
    for (const cursor of cursors) for (const { key } of [b, c]) expect(cursor).not.toContain(key);
  });

  test("is filtered by state, which tells nothing of those that the caller may not read", async ({ api, world }) => {
    const a = await world.stack("state-a");
    const [made, waits, never, hidden] = [
      await world.stack("state-made"),
      await world.stack("state-waits"),
      await world.stack("state-never"),
      await world.stack("unseen"),
    ];
    for (const { key } of [made, hidden]) await dependsOn(api.database, key, a.key);
    await dependsOn(api.database, waits.key, a.key, { trigger: "manual" });
    await dependsOn(api.database, never.key, a.key, { trigger: "never" });
    const deployment = await world.apply(a);
    const states = async (by: string, query = "") => {
      const { body } = await world.list(a, deployment, by, query);
      return body.items
        .map((item: { state: string; dependent_stack_id: string }) => `${item.dependent_stack_id} ${item.state}`)
        .sort();
    };
    const reader = await world.holding(["stack", "read", { pattern: "state-%" }]);
    const seen = ["state-made triggered", "state-never skipped", "state-waits manual"];
    expect(await states(reader)).toEqual(["null null", ...seen]);
    expect(await states(reader, "?state=triggered,manual,skipped,open,failed")).toEqual(seen);
    expect(await states(reader, "?state=triggered")).toEqual(["state-made triggered"]);
    expect(await states(world.admin, "?state=triggered&limit=2")).toEqual(["state-made triggered", "unseen triggered"]);
    expect(await states(world.admin, "?state=open,failed")).toEqual([]);
    expect((await world.list(a, deployment, world.admin, "?state=lost")).status).toBe(422);
    // One that a host kept from being triggered says so, and when it is tried again.
    const due = "2126-01-01T00:00:00Z";
    await api.database.sql`
      update dependent_triggers set triggered_deployment_id = null, attempts = 2, due_at = ${due}, last_failure = 'no answer'
      where parent_deployment_id = ${deployment} and dependent_stack_key = ${made.key}`;
    const { body } = await world.list(a, deployment, reader, "?state=open");
    const tried = { attempts: 2, next_attempt_at: "2126-01-01T00:00:00Z", last_failure: "no answer" };
    expect(body.items).toEqual([expect.objectContaining({ dependent_stack_id: made.name, error: null, ...tried })]);
  });

  test("comes in pages, each in one statement beside the check, and refuses a forged cursor", async ({
    api,
    world,
  }) => {
    const a = await world.stack();
    const dependents = [];
    for (let i = 0; i < 5; i++) dependents.push(await world.stack());
    for (const { key } of dependents) await dependsOn(api.database, key, a.key, { trigger: "manual" });
    const deployment = await world.apply(a);
    const seen: string[] = [];
    for (let query = "?limit=2"; query !== ""; ) {
      const { result, statements } = await countStatements(() => world.list(a, deployment, world.admin, query));
      // The token, the check, the page.
      expect(statements.length).toBeLessThanOrEqual(3);
      seen.push(...result.body.items.map((item: { dependent_stack_id: string }) => item.dependent_stack_id));
      query = result.body.next_cursor === null ? "" : `?limit=2&cursor=${result.body.next_cursor}`;
    }
    expect(seen.sort()).toEqual(dependents.map(({ name }) => name).sort());
    const forged = Buffer.from('["dependent",null,"x"]').toString("base64url");
    expect((await world.list(a, deployment, world.admin, `?cursor=${forged}`)).status).toBe(422);
    expect((await world.list(a, deployment, world.admin, "?limit=0")).status).toBe(422);
    expect((await world.list(a, deployment, world.admin, "?sort=name")).status).toBe(422);
  });

  test("is empty for a deployment that applied nothing, and 404 for who may not read it", async ({
    api,
    org,
    world,
  }) => {
    const a = await world.stack();
    const { status, body } = await api.call("POST", `/api/v1/orgs/${org.orgId}/stacks/${a.name}/deployments`, {
      token: world.admin,
      body: { mode: "plan", commit_sha: HEAD.sha },
    });
    expect(status).toBe(201);
    expect((await world.list(a, body.id)).body).toEqual({ dependents_resolved_at: null, items: [], next_cursor: null });
    expect((await world.list(a, body.id, await world.holding(["stack", "deploy"]))).status).toBe(404);
  });
});

describe("a child", () => {
  test("names the stacks it came from to who may read them, on each route that shows it", async ({
    api,
    org,
    world,
  }) => {
    const [a, b, c] = [await world.stack("open-a"), await world.stack("secret-b"), await world.stack("open-c")];
    await dependsOn(api.database, b.key, a.key);
    await dependsOn(api.database, c.key, b.key);
    await world.apply(a);
    const middle = (await children(api.database, b.key))[0]?.id as string;
    await finishApply(api.service, await applyPending(api.service, api.database, org, middle));
    await resolveAll(world.deps, middle);
    const child = (await children(api.database, c.key))[0]?.id as string;
    const base = `/api/v1/orgs/${org.orgId}/stacks/${c.name}`;
    const reader = await world.holding(["stack", "read", { pattern: "open-%" }]);
    const routes: [string, (body: never) => object][] = [
      [`${base}/deployments/${child}`, (body) => body],
      [`${base}/deployments`, ({ items }: { items: object[] }) => items[0] as object],
      [`${base}/queue`, ({ holder }: { holder: object }) => holder],
    ];
    for (const [path, of] of routes) {
      const whole = await api.call("GET", path, { token: world.admin });
      expect(of(whole.body as never)).toMatchObject({
        origin_dependency_deployment_id: middle,
        origin_dependency_stack_id: b.name,
        cascade_stack_path: [a.name, b.name],
      });
      const part = await api.call("GET", path, { token: reader });
      expect(of(part.body as never)).toMatchObject({
        origin_dependency_deployment_id: null,
        origin_dependency_stack_id: null,
        cascade_stack_path: [a.name, null],
      });
      expect(part.text).not.toContain("secret");
      expect(part.text).not.toContain(middle);
    }
  });
});
