/**
 * The dependents of an apply over HTTP: who sees what of them, and the button
 * (docs/dependencies.md#rows-and-what-they-say).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { HostError } from "../../src/exchange/scm/host/errors.ts";
import type { GitSettings } from "../../src/exchange/scm/resolveCommit.ts";
import { resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import {
  applied,
  applyPending,
  children,
  dependsOn,
  finishApply,
  HEAD,
  resolveAll,
  type TestCascade,
  testCascade,
} from "../support/cascades.ts";
import { makeOrg, makeStack, type TestOrg } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let deps: TestCascade;
let org: TestOrg;
let admin: string;
let host: GitSettings["headAtHost"];
beforeAll(async () => {
  const git = { allowProtocol: [], checkHost: async () => {}, headAtHost: (of: never) => host?.(of) as never };
  api = await startPeopleApi({ git });
});
afterAll(() => api.close());
beforeEach(async () => {
  org = await makeOrg(api.database);
  deps = testCascade(api.service);
  host = ({ repositoryUrl, branch }) => {
    deps.asked += 1;
    return deps.head(repositoryUrl, branch);
  };
  admin = await holding(["*", "*"]);
});

const holding = async (...grants: Grant[]) => (await api.makeAccount(org.orgId, grants)).token;

async function stack(name = `s-${randomUUID().slice(0, 8)}`) {
  const settings = { slug: name, name, auto_approve_mode: "auto" };
  return { key: await makeStack(api.database, org.orgId, settings), name };
}
type Stack = Awaited<ReturnType<typeof stack>>;
const at = ({ name }: Stack, deployment: string) =>
  `/api/v1/orgs/${org.orgId}/stacks/${name}/deployments/${deployment}/dependents`;
const list = (parent: Stack, deployment: string, token = admin, query = "") =>
  api.call("GET", at(parent, deployment) + query, { token });
const press = (parent: Stack, deployment: string, dependent: Stack, token = admin, headers = {}) =>
  api.call("POST", `${at(parent, deployment)}/${dependent.name}/deploy`, { token, headers });

/** An apply of `parent` whose dependents are resolved. */
async function apply(parent: Stack): Promise<string> {
  const deployment = await applied(api.service, api.database, org, parent.key);
  await resolveAll(deps, deployment);
  return deployment;
}

describe("the list", () => {
  it("shows each dependent with its trigger, its evidence, its child or its reason", async () => {
    const [a, b, c] = [await stack(), await stack(), await stack()];
    await dependsOn(api.database, b.key, a.key, { to: "output.id", from: "aws_subnet.a" });
    await dependsOn(api.database, c.key, a.key, { inferred: true, to: "aws_vpc.main" });
    const deployment = await apply(a);
    const { status, body } = await list(a, deployment);
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

  it("tells nothing of a dependent that the caller may not read but that it is there", async () => {
    const [a, b, c] = [await stack("seen-a"), await stack("seen-b"), await stack("hidden-c")];
    for (const dependent of [b, c]) await dependsOn(api.database, dependent.key, a.key, { to: "output.id" });
    const deployment = await apply(a);
    const reader = await holding(["stack", "read", { pattern: "seen-%" }]);
    const { body, text } = await list(a, deployment, reader);
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
    for (const parent of [deployment, await apply(a)]) {
      for (let query = "?limit=1"; query !== ""; ) {
        const page = (await list(a, parent, reader, query)).body;
        query = page.next_cursor === null ? "" : `?limit=1&cursor=${page.next_cursor}`;
        if (page.next_cursor !== null) cursors.push(Buffer.from(page.next_cursor, "base64url").toString());
      }
    }
    expect(new Set(cursors).size).toBe(2);
    for (const cursor of cursors) for (const { key } of [b, c]) expect(cursor).not.toContain(key);
  });

  it("is filtered by state, which tells nothing of those that the caller may not read", async () => {
    const a = await stack("state-a");
    const [made, waits, never, hidden] = [
      await stack("state-made"),
      await stack("state-waits"),
      await stack("state-never"),
      await stack("unseen"),
    ];
    for (const { key } of [made, hidden]) await dependsOn(api.database, key, a.key);
    await dependsOn(api.database, waits.key, a.key, { trigger: "manual" });
    await dependsOn(api.database, never.key, a.key, { trigger: "never" });
    const deployment = await apply(a);
    const states = async (by: string, query = "") => {
      const { body } = await list(a, deployment, by, query);
      return body.items
        .map((item: { state: string; dependent_stack_id: string }) => `${item.dependent_stack_id} ${item.state}`)
        .sort();
    };
    const reader = await holding(["stack", "read", { pattern: "state-%" }]);
    const seen = ["state-made triggered", "state-never skipped", "state-waits manual"];
    expect(await states(reader)).toEqual(["null null", ...seen]);
    expect(await states(reader, "?state=triggered,manual,skipped,open,failed")).toEqual(seen);
    expect(await states(reader, "?state=triggered")).toEqual(["state-made triggered"]);
    expect(await states(admin, "?state=triggered&limit=2")).toEqual(["state-made triggered", "unseen triggered"]);
    expect(await states(admin, "?state=open,failed")).toEqual([]);
    expect((await list(a, deployment, admin, "?state=lost")).status).toBe(422);
    // One that a host kept from being triggered says so, and when it is tried again.
    const due = "2126-01-01T00:00:00Z";
    await api.database.sql`
      update dependent_triggers set triggered_deployment_id = null, attempts = 2, due_at = ${due}, last_failure = 'no answer'
      where parent_deployment_id = ${deployment} and dependent_stack_key = ${made.key}`;
    const { body } = await list(a, deployment, reader, "?state=open");
    const tried = { attempts: 2, next_attempt_at: "2126-01-01T00:00:00Z", last_failure: "no answer" };
    expect(body.items).toEqual([expect.objectContaining({ dependent_stack_id: made.name, error: null, ...tried })]);
  });

  it("comes in pages, each in one statement beside the check, and refuses a forged cursor", async () => {
    const a = await stack();
    const dependents = [];
    for (let i = 0; i < 5; i++) dependents.push(await stack());
    for (const { key } of dependents) await dependsOn(api.database, key, a.key, { trigger: "manual" });
    const deployment = await apply(a);
    const seen: string[] = [];
    for (let query = "?limit=2"; query !== ""; ) {
      const { result, statements } = await countStatements(() => list(a, deployment, admin, query));
      // The token, the check, the page.
      expect(statements.length).toBeLessThanOrEqual(3);
      seen.push(...result.body.items.map((item: { dependent_stack_id: string }) => item.dependent_stack_id));
      query = result.body.next_cursor === null ? "" : `?limit=2&cursor=${result.body.next_cursor}`;
    }
    expect(seen.sort()).toEqual(dependents.map(({ name }) => name).sort());
    const forged = Buffer.from('["dependent",null,"x"]').toString("base64url");
    expect((await list(a, deployment, admin, `?cursor=${forged}`)).status).toBe(422);
    expect((await list(a, deployment, admin, "?limit=0")).status).toBe(422);
    expect((await list(a, deployment, admin, "?sort=name")).status).toBe(422);
  });

  it("is empty for a deployment that applied nothing, and 404 for who may not read it", async () => {
    const a = await stack();
    const { status, body } = await api.call("POST", `/api/v1/orgs/${org.orgId}/stacks/${a.name}/deployments`, {
      token: admin,
      body: { mode: "plan", commit_sha: HEAD.sha },
    });
    expect(status).toBe(201);
    expect((await list(a, body.id)).body).toEqual({ dependents_resolved_at: null, items: [], next_cursor: null });
    expect((await list(a, body.id, await holding(["stack", "deploy"]))).status).toBe(404);
  });
});

describe("the button", () => {
  it("deploys what waited for a person, once, and says who asked", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await apply(a);
    const { status, body } = await press(a, deployment, b);
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
    expect((await list(a, deployment)).body.items[0]).toMatchObject({
      trigger: "manual",
      skipped_reason: null,
      triggered_deployment_id: body.id,
    });
    const asked = deps.asked;
    const again = await press(a, deployment, b);
    expect([again.status, again.body.code]).toEqual([409, "already_triggered"]);
    // What is certain needs no host.
    expect(deps.asked).toBe(asked);
    const [logged] = await api.database.sql`
      select action, resource_id from audit_log where org_id = ${org.orgId} and action = 'deployment.create'
        and resource_id = ${body.id}`;
    expect(logged).toBeDefined();
  });

  it("answers a repeated request with the first one's answer", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await apply(a);
    const key = { "idempotency-key": randomUUID() };
    const both = await Promise.all([press(a, deployment, b, admin, key), press(a, deployment, b, admin, key)]);
    const third = await press(a, deployment, b, admin, key);
    for (const { status, body } of [...both, third]) {
      expect(status).toBe(201);
      expect(body.id).toBe(third.body.id);
    }
    expect(await children(api.database, b.key)).toHaveLength(1);
  });

  it("refuses what is declared never", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(api.database, b.key, a.key, { trigger: "never" });
    const deployment = await apply(a);
    const { status, body } = await press(a, deployment, b);
    expect([status, body.code]).toEqual([409, "trigger_never"]);
    expect(await children(api.database, b.key)).toEqual([]);
  });

  it("deploys what could not be triggered, and its error goes", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(api.database, b.key, a.key);
    deps.head = async () => null;
    const deployment = await apply(a);
    expect((await list(a, deployment)).body.items[0].error).toContain("branch");
    expect((await press(a, deployment, b)).status).toBe(422);
    deps.head = async () => {
      throw new HostError("unavailable", 503);
    };
    expect((await press(a, deployment, b)).status).toBe(502);
    deps.head = async () => HEAD;
    expect((await press(a, deployment, b)).status).toBe(201);
    expect((await list(a, deployment)).body.items[0]).toMatchObject({ error: null });
  });

  it("is 404 alike without read on the parent, deploy on the dependent, a dependency, or a stack", async () => {
    const [a, b, other] = [await stack("up-a"), await stack("down-b"), await stack("down-other")];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await apply(a);
    const readA = ["stack", "read", { pattern: "up-%" }] as Grant;
    const deployB = ["stack", "deploy", { pattern: "down-%" }] as Grant;
    const both = await holding(readA, deployB);
    const refused = [
      await press(a, deployment, b, await holding(deployB)),
      await press(a, deployment, b, await holding(readA, ["stack", "read"])),
      await press(a, deployment, other, both),
      await press(a, deployment, { ...other, name: "not-there" }, both),
      await press(a, deployment, a, both),
      await press(a, randomUUID(), b, both),
    ];
    const texts = new Set(refused.map(({ status, text }) => `${status} ${text}`));
    expect([...texts]).toEqual([expect.stringContaining("404")]);
    const granted = await press(a, deployment, b, both);
    expect(granted.status).toBe(201);
    // Who may deploy it need not be allowed to read it; what it came from they may.
    expect(granted.body.origin_dependency_stack_id).toBe(a.name);
  });

  it("knows no row of a dependent that was deleted and made again", async () => {
    const [a, b] = [await stack(), await stack("again")];
    await dependsOn(api.database, b.key, a.key, { trigger: "manual" });
    const deployment = await apply(a);
    await api.call("DELETE", `/api/v1/orgs/${org.orgId}/stacks/${b.name}`, { token: admin });
    await stack("again");
    expect((await press(a, deployment, b)).status).toBe(404);
    expect((await list(a, deployment)).body.items[0]).toMatchObject({
      dependent_stack_id: "again",
      dependent_stack_deleted: true,
    });
  });

  it("may come before the cascade, which then leaves the dependent alone", async () => {
    const [a, b] = [await stack(), await stack()];
    await dependsOn(api.database, b.key, a.key);
    const deployment = await applied(api.service, api.database, org, a.key);
    expect((await press(a, deployment, b)).status).toBe(404);
    deps.head = async () => {
      throw new HostError("unavailable");
    };
    await resolveDependents(deps, deployment);
    deps.head = async () => HEAD;
    expect((await list(a, deployment)).body.dependents_resolved_at).toBeNull();
    const { body } = await press(a, deployment, b);
    await resolveAll(deps, deployment);
    expect((await children(api.database, b.key)).map(({ id }) => id)).toEqual([body.id]);
    expect((await list(a, deployment)).body.dependents_resolved_at).not.toBeNull();
  });
});

describe("a child", () => {
  it("names the stacks it came from to who may read them, on each route that shows it", async () => {
    const [a, b, c] = [await stack("open-a"), await stack("secret-b"), await stack("open-c")];
    await dependsOn(api.database, b.key, a.key);
    await dependsOn(api.database, c.key, b.key);
    await apply(a);
    const middle = (await children(api.database, b.key))[0]?.id as string;
    await finishApply(api.service, await applyPending(api.service, api.database, org, middle));
    await resolveAll(deps, middle);
    const child = (await children(api.database, c.key))[0]?.id as string;
    const base = `/api/v1/orgs/${org.orgId}/stacks/${c.name}`;
    const reader = await holding(["stack", "read", { pattern: "open-%" }]);
    const routes: [string, (body: never) => object][] = [
      [`${base}/deployments/${child}`, (body) => body],
      [`${base}/deployments`, ({ items }: { items: object[] }) => items[0] as object],
      [`${base}/queue`, ({ holder }: { holder: object }) => holder],
    ];
    for (const [path, of] of routes) {
      const whole = await api.call("GET", path, { token: admin });
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
