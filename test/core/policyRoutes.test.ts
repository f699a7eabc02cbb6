/** What people read and write about policies, and what each needs (docs/policies.md). */
import { describe, expect } from "vitest";
import { makeOrg } from "../support/fixtures.ts";
import { BUNDLE, networked, REGO } from "../support/policyFixtures.ts";
import { change, policyWorld } from "../support/policyTest.ts";
import { peopleTest } from "../support/test.ts";

const test = peopleTest().extend("world", async ({ api }) => {
  const org = await makeOrg(api.database);
  const { token } = await api.makeAccount(org.orgId, [["*", "*"]]);
  const call = (method: string, path: string, body?: unknown, more: { token?: string; type?: string } = {}) =>
    api.call(method, `/api/v1/orgs/${org.orgId}${path}`, {
      token: more.token ?? token,
      ...(body !== undefined && { body }),
      ...(more.type !== undefined && { headers: { "content-type": more.type } }),
    });
  const policies = policyWorld(api.database, api.service, org);
  return {
    ...policies,
    orgId: org.orgId,
    call,
    account: (...pairs: [string, string][]) => api.makeAccount(org.orgId, pairs),
    async slugOf(stackKey: string): Promise<string> {
      return (await api.database.sql`select slug from stacks where stack_key = ${stackKey}`)[0]?.slug;
    },
    async stored(runId: string, changes: readonly object[]) {
      const bytes = Buffer.from(changes.map((one) => `${JSON.stringify(one)}\n`).join(""));
      const place = { table: "artifacts", column: "object_key", rowId: `${runId}/changes` };
      await api.objects.putSealed(runId, place, bytes);
    },
  };
});

const MANDATORY = { name: "databases", enforcement: "mandatory", rules: { protected_types: ["aws_db_*"] } };

describe("a policy", () => {
  test("is created with rules that count, replaced, and deleted", async ({ world }) => {
    const made = await world.call("POST", "/policies", MANDATORY);
    expect([made.status, made.body]).toMatchObject([
      201,
      {
        name: "databases",
        version: 1,
        last_version: 1,
        kind: "rules",
        modes: ["plan", "destroy", "refresh"],
        selector: {},
      },
    ]);
    const one = `/policies/${made.body.id}`;
    const settings = { name: "all databases", enforcement: "shadow", selector: { env: "prod" }, version: null };
    const replaced = await world.call("PUT", one, settings);
    expect(replaced.body).toMatchObject({ name: "all databases", enforcement: "shadow", version: null, kind: null });
    expect((await world.call("PUT", one, { ...settings, version: 2 })).status).toBe(422);
    expect((await world.call("GET", "/policies")).body.items).toMatchObject([{ name: "all databases" }]);
    const taken = await world.call("POST", "/policies", { ...MANDATORY, name: "all databases" });
    expect([taken.status, taken.body.code]).toEqual([409, "conflict"]);
    expect((await world.call("DELETE", one)).status).toBe(204);
    expect((await world.call("GET", one)).status).toBe(404);
  });

  test("has versions that never change and count once they are named", async ({ world }) => {
    const { id } = (await world.call("POST", "/policies", { name: "p", enforcement: "mandatory" })).body;
    const versions = `/policies/${id}/versions`;
    const rules = await world.call("POST", versions, { rules: { max_destroys: 0 } });
    expect([rules.status, rules.body]).toMatchObject([
      201,
      { version: 1, kind: "rules", digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const rego = await world.call("POST", `${versions}/rego`, REGO, { type: "text/plain" });
    expect([rego.status, rego.body]).toMatchObject([201, { version: 2, kind: "rego" }]);
    const bundle = await world.call("POST", `${versions}/bundle`, BUNDLE, { type: "application/gzip" });
    expect([bundle.status, bundle.body]).toMatchObject([201, { version: 3, kind: "bundle" }]);
    expect((await world.call("GET", `${versions}/2`)).body).toMatchObject({ source: REGO, rules: null });
    expect((await world.call("GET", `${versions}/1`)).body).toMatchObject({ source: null, rules: { max_destroys: 0 } });
    expect((await world.call("GET", `${versions}/4`)).status).toBe(404);
    const listed = await world.call("GET", versions);
    expect(listed.body.items.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect((await world.call("GET", `/policies/${id}`)).body).toMatchObject({ version: null, last_version: 3 });
  });

  test("is refused with what is wrong with it", async ({ world }) => {
    const { id } = (await world.call("POST", "/policies", { name: "p", enforcement: "shadow" })).body;
    const versions = `/policies/${id}/versions`;
    const network = await world.call("POST", `${versions}/bundle`, networked(), { type: "application/gzip" });
    expect([network.status, network.body.errors[0].message]).toEqual([
      422,
      "uses what a policy cannot have here: http.send",
    ]);
    const syntax = await world.call("POST", `${versions}/rego`, "package deploy\nrefuse-me", { type: "text/plain" });
    expect([syntax.status, syntax.body.errors[0].message]).toEqual([422, expect.stringContaining("rego_parse_error")]);
    const away = `# METADATA\n# schemas:\n# - input: {"$ref": "http://10.0.0.1/"}\n${REGO}`;
    const fetched = await world.call("POST", `${versions}/rego`, away, { type: "text/plain" });
    expect([fetched.status, fetched.body.errors[0].message]).toEqual([422, expect.stringContaining("elsewhere")]);
    const nul = await world.call("POST", `${versions}/rego`, `${REGO}# \0`, { type: "text/plain" });
    expect(nul.status).toBe(400);
    const big = await world.call("POST", `${versions}/rego`, "#".repeat(1_048_577), { type: "text/plain" });
    expect(big.status).toBe(413);
    expect((await world.call("POST", `${versions}/bundle`, BUNDLE, { type: "application/json" })).status).toBe(415);
    expect((await world.call("POST", versions, { rules: {} })).status).toBe(422);
  });
});

test("versions and exemptions have room, and not without end", async ({ world, api }) => {
  const { sql } = api.database;
  const { id } = (await world.call("POST", "/policies", MANDATORY)).body;
  const { stackKey } = await world.planned();
  const exempt = { stack_id: await world.slugOf(stackKey), reason: "r", ends_at: new Date(Date.now() + 3_600_000) };
  expect((await world.call("POST", `/policies/${id}/exemptions`, exempt)).status).toBe(201);
  await sql`insert into policy_exemptions (policy_id, stack_key, reason, ends_at, created_by, created_by_kind)
    select ${id}, ${stackKey}, 'r', svc_now(), 'a', 'user' from generate_series(1, 99)`;
  expect((await world.call("POST", `/policies/${id}/exemptions`, exempt)).status).toBe(409);
  const versions = `/policies/${id}/versions`;
  await sql`insert into policy_versions (policy_id, version, kind, digest, wasm, entrypoint, created_by, created_by_kind)
    values (${id}, 10, 'bundle', repeat('e', 64), decode(repeat('00', 33554432), 'hex'), 'deploy', 'a', 'user')`;
  expect((await world.call("POST", versions, { rules: { max_destroys: 0 } })).status).toBe(201);
  await sql`insert into policy_versions (policy_id, version, kind, digest, wasm, entrypoint, created_by, created_by_kind)
    select ${id}, n, 'bundle', digest, wasm, entrypoint, 'a', 'user' from policy_versions, generate_series(11, 41) n
    where policy_id = ${id} and version = 10`;
  const more = await world.call("POST", versions, { rules: { max_destroys: 0 } });
  expect([more.status, more.body.detail]).toEqual([409, expect.stringContaining("at most 1024 MiB of versions")]);
});

test("a version is tested on a plan of the past, and nothing is stored", async ({ world, api }) => {
  const { id, stackKey, runId } = await world.planned([change("aws_db_instance", "destroy")]);
  await world.stored(runId, [change("aws_db_instance", "destroy")]);
  const policy = (await world.call("POST", "/policies", { ...MANDATORY, enforcement: "shadow" })).body;
  const on = { stack_id: await world.slugOf(stackKey), deployment_id: id };
  const [{ n: size }] = (await api.database
    .sql`select length(object_key) as n from artifacts where run_id = ${runId} and kind = 'changes'`) as unknown as [
    { n: number },
  ];
  expect(size).toBeGreaterThan(0);
  const tested = await world.call("POST", `/policies/${policy.id}/test`, on);
  expect([tested.status, tested.body]).toMatchObject([
    200,
    {
      outcome: "denied",
      result: { version: 1, enforcement: "shadow", deny: [expect.stringContaining("aws_db_instance.x")] },
    },
  ]);
  expect(await world.evaluations(id)).toEqual([]);
  expect((await world.call("POST", `/policies/${policy.id}/test`, { ...on, version: 2 })).status).toBe(422);
  const reader = await world.account(["policy", "read"]);
  expect((await world.call("POST", `/policies/${policy.id}/test`, on, { token: reader.token })).status).toBe(404);
});

test("a deployment says who denies it; whoever may, overrides it", async ({ world }) => {
  await world.policy();
  const { id, stackKey, runId } = await world.planned();
  const path = `/stacks/${await world.slugOf(stackKey)}/deployments/${id}`;
  expect((await world.call("GET", path)).body).toMatchObject({
    waiting_for: expect.stringContaining("policies are looking at the plan"),
    gates: [{ gate: "policy", code: "policy_pending" }],
  });
  await world.evaluate(id);
  const denied = (await world.call("GET", path)).body;
  expect(denied).toMatchObject({
    waiting_for: expect.stringMatching(/^Denied by policy policy 1: /),
    gates: [{ gate: "policy", code: "policy_denied", detail: denied.waiting_for }],
  });
  const body = { plan_run_id: runId, reason: "the move" };
  const confirmer = await world.account(["stack", "read"], ["stack", "confirm"]);
  expect((await world.call("POST", `${path}/policy-override`, body, { token: confirmer.token })).status).toBe(404);
  const again = await world.call("POST", `${path}/policy-evaluations`, undefined, { token: confirmer.token });
  expect([again.status, again.body.gates]).toMatchObject([202, [{ code: "policy_pending" }]]);
  await world.evaluate(id);
  const overrider = await world.account(["stack", "read"], ["policy", "override"]);
  expect(
    (await world.call("POST", `${path}/policy-override`, { ...body, reason: "" }, { token: overrider.token })).status,
  ).toBe(422);
  const done = await world.call("POST", `${path}/policy-override`, body, { token: overrider.token });
  expect([done.status, done.body]).toMatchObject([
    200,
    { gates: [], waiting_for: expect.stringContaining("A person has to") },
  ]);
  const { items } = (await world.call("GET", `${path}/policy-evaluations`)).body;
  expect(items).toMatchObject([
    { outcome: "denied", overridden_by: overrider.id, override_reason: "the move", results: [{ name: "policy 1" }] },
    { outcome: "denied", overridden_by: null },
  ]);
});

test("an exemption has a reason and an end", async ({ world }) => {
  const policy = await world.policy();
  const { stackKey } = await world.planned();
  const path = `/policies/${policy}/exemptions`;
  const body = {
    stack_id: await world.slugOf(stackKey),
    reason: "the move",
    ends_at: new Date(Date.now() + 60_000).toISOString(),
  };
  const made = await world.call("POST", path, body);
  expect([made.status, made.body]).toMatchObject([201, { stack_id: body.stack_id, reason: "the move" }]);
  expect((await world.call("POST", path, { ...body, ends_at: "2020-01-01T00:00:00Z" })).status).toBe(422);
  expect((await world.call("POST", path, { ...body, ends_at: "2999-01-01T00:00:00Z" })).status).toBe(422);
  expect((await world.call("GET", path)).body.items).toMatchObject([{ id: made.body.id }]);
  expect((await world.call("DELETE", `${path}/${made.body.id}`)).status).toBe(204);
  expect((await world.call("GET", path)).body.items).toEqual([]);
});
