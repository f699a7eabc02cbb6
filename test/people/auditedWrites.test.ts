/** Every write of people leaves its entry in its own transaction, and nobody's secret. */
import { describe, expect } from "vitest";
import { recordAudit } from "../../src/people/audit/record.ts";
import { test } from "../support/auditTest.ts";
import { ACTOR, create, decide } from "../support/fixtures.ts";

test.beforeAll(async ({ api, org }) => {
  await api.database.sql`update organizations set max_users = 50 where id = ${org}`;
});

describe("every write", () => {
  /** In order: later paths use the ids of earlier answers. `$name` is replaced. */
  const WRITES: [method: string, path: string, body: object | undefined, action: string, as?: string][] = [
    ["PATCH", "", { name: "renamed", login_handle: "acme" }, "organization.update"],
    ["POST", "/roles", { name: "r", permissions: [{ resource_type: "org", action: "read" }] }, "role.create", "role"],
    ["PUT", "/roles/$role", { name: "r2", permissions: [] }, "role.update"],
    ["POST", "/members", { user_id: "$stranger" }, "member.offer"],
    ["POST", "/role-assignments", { role_id: "$role", user_id: "$user" }, "role_assignment.create", "assignment"],
    ["DELETE", "/role-assignments/$assignment", undefined, "role_assignment.delete"],
    ["DELETE", "/members/$user", undefined, "member.revoke"],
    [
      "POST",
      "/invitations",
      { provider_key: "codehost", login: "x", role_ids: ["$role"] },
      "invitation.create",
      "invitation",
    ],
    ["PUT", "/invitations/$invitation", {}, "invitation.update"],
    ["DELETE", "/invitations/$invitation", undefined, "invitation.delete"],
    ["POST", "/service-accounts", { name: "ci", role_ids: ["$role"] }, "service_account.create", "account"],
    ["POST", "/service-accounts/$account/tokens", { name: "t" }, "service_account_token.create", "token"],
    ["DELETE", "/service-accounts/$account/tokens/$token", undefined, "service_account_token.delete"],
    ["DELETE", "/service-accounts/$account", undefined, "service_account.delete"],
    [
      "POST",
      "/identity-sources",
      { provider_key: "codehost", source_slug: "h", display_name: "H" },
      "identity_source.create",
      "source",
    ],
    ["PUT", "/identity-sources/$source", { display_name: "H2" }, "identity_source.update"],
    [
      "POST",
      "/identity-sources/$source/bindings",
      { group_key: "g", role_ids: ["$role"] },
      "group_binding.create",
      "binding",
    ],
    [
      "PUT",
      "/identity-sources/$source/bindings/$binding",
      { group_key: "h", role_ids: ["$role"] },
      "group_binding.update",
    ],
    ["DELETE", "/identity-sources/$source/bindings/$binding", undefined, "group_binding.delete"],
    [
      "POST",
      "/identity-sources/$source/access-rules",
      { rule_type: "codehost_org", org: "o" },
      "access_rule.create",
      "rule",
    ],
    ["DELETE", "/identity-sources/$source/access-rules/$rule", undefined, "access_rule.delete"],
    ["DELETE", "/identity-sources/$source", undefined, "identity_source.delete"],
    ["DELETE", "/roles/$role", undefined, "role.delete"],
    [
      "POST",
      "/stacks",
      { name: "net", repository_url: "https://git.example/r", branch: "main" },
      "stack.create",
      "stack",
    ],
    ["PATCH", "/stacks/$stack", { branch: "next", labels: { a: "b" } }, "stack.update"],
    ["POST", "/stacks/$stack/hold", { reason: "freeze" }, "stack.hold"],
    ["POST", "/stacks/$stack/release", undefined, "stack.release"],
    ["DELETE", "/stacks/$stack", undefined, "stack.delete"],
    ["POST", "/runner-groups", { name: "g" }, "runner_group.create", "group"],
    ["PATCH", "/runner-groups/$group", { max_concurrent_runs: 3 }, "runner_group.update"],
    ["POST", "/runner-groups/$group/rotate-key", undefined, "runner_group.rotate_key"],
    ["DELETE", "/runner-groups/$group", undefined, "runner_group.delete"],
  ];

  test("leaves exactly one entry that names who, what and which; a secret is in none", async ({ api, org, world }) => {
    const { user } = await api.makeUser();
    const { user: stranger } = await api.makeUser();
    await api.database.sql`insert into memberships (org_id, user_id) values (${org}, ${user})`;
    const ids: Record<string, string> = { user, stranger };
    const secrets: string[] = [];
    const fill = (text: string, encode: (id: string) => string) =>
      text.replace(/\$(\w+)/g, (_, name: string) => encode(ids[name] ?? `missing ${name}`));
    for (const [method, path, body, action, as] of WRITES) {
      const sent = body && (JSON.parse(fill(JSON.stringify(body), (id) => id)) as object);
      const { answer, left } = await world.tracked(method, fill(path, encodeURIComponent), sent);
      expect([method, path, answer.status < 300, answer.text.slice(0, 300)]).toEqual([
        method,
        path,
        true,
        answer.text.slice(0, 300),
      ]);
      expect([path, left.map((entry) => entry.action)]).toEqual([path, [action]]);
      expect(left[0]).toMatchObject({
        actor_id: world.admin.id,
        actor_kind: "service_account",
        resource_type: action.split(".")[0],
        resource_id: expect.stringMatching(/./),
      });
      if (as !== undefined) {
        ids[as] = answer.body.id ?? answer.body.group?.id;
        expect(left[0]?.resource_id).toBe(ids[as]);
      }
      secrets.push(...[answer.body?.token, answer.body?.private_key].filter((secret) => typeof secret === "string"));
    }
    expect(secrets).toHaveLength(3);
    const everything = JSON.stringify(await world.read());
    for (const secret of secrets) {
      for (const line of secret.split("\n").filter((each) => each.length > 20)) expect(everything).not.toContain(line);
    }
  });

  test("what changed is told by its fields: settings before and after, a role's permissions as globs", async ({
    api,
    world,
  }) => {
    const { left } = await world.tracked("PATCH", "", { name: "again" });
    expect(left[0]?.details).toEqual({ before: { name: "renamed" }, after: { name: "again" } });
    const permissions = [{ resource_type: "stack", action: "read", resource_pattern: "net-*", authz_group: null }];
    const { left: made } = await world.tracked("POST", "/roles", { name: "globs", permissions });
    expect(made[0]?.details).toEqual({ name: "globs", permissions });
    const body = { name: "one", repository_url: "https://git.example/r", branch: "main" };
    await world.tracked("POST", "/stacks", body);
    const { left: renamed } = await world.tracked("PATCH", "/stacks/one", { name: "two", branch: "next" });
    expect(renamed[0]?.details).toEqual({
      changed: ["id", "name", "branch"],
      previous_name: "one",
      name: "two",
      before: { id: "one", name: "one", branch: "main" },
      after: { id: "two", name: "two", branch: "next" },
    });
    const { body: source } = await api.call("POST", `${world.base()}/identity-sources`, {
      token: world.admin.token,
      body: { provider_key: "codehost", source_slug: "told", display_name: "Told" },
    });
    const { left: other } = await world.tracked("PUT", `/identity-sources/${source.id}`, {
      display_name: "T",
      enabled: false,
    });
    expect(other[0]?.details).toMatchObject({
      before: { display_name: "Told", enabled: true },
      after: { display_name: "T", enabled: false },
    });
    expect(other[0]?.details).not.toHaveProperty("client_secret_changed");
  });

  test("no statement changes an entry or takes one away, but the deletion of its organization", async ({
    api,
    world,
  }) => {
    const { sql } = api.database;
    const gone = await api.makeOrg();
    await sql`insert into audit_log (org_id, action, resource_type) values (${gone}, 'stack.create', 'stack')`;
    const before = await world.read();
    for (const attempt of [
      sql`update audit_log set details = '{}'`,
      sql`update audit_log set actor_id = null where org_id = ${gone}`,
      sql`delete from audit_log where org_id = ${gone}`,
      sql`truncate audit_log`,
    ]) {
      await expect(attempt).rejects.toThrow("cannot be changed or removed");
    }
    expect(await world.read()).toEqual(before);
    await sql`delete from organizations where id = ${gone}`;
    expect(await sql`select 1 from audit_log where org_id = ${gone}`).toEqual([]);
  });

  test("one that changes nothing, is refused or fails leaves none", async ({ api, org, world }) => {
    const { body: stack } = await api.call("POST", `${world.base()}/stacks`, {
      token: world.admin.token,
      body: { name: "still", repository_url: "https://git.example/r", branch: "main" },
    });
    const before = (await world.read()).length;
    const nothing: [string, string, object | undefined][] = [
      ["PATCH", "", { name: "again" }],
      ["PATCH", `/stacks/${stack.id}`, { branch: "main" }],
      ["POST", `/stacks/${stack.id}/release`, undefined],
      ["POST", "/roles", { name: "viewer", permissions: [] }],
      ["POST", "/members", { user_id: "nobody" }],
      ["DELETE", "/members/nobody", undefined],
      ["POST", "/stacks", { name: "still", repository_url: "https://git.example/r", branch: "main" }],
    ];
    for (const [method, path, body] of nothing) await world.tracked(method, path, body);
    expect(await world.read()).toHaveLength(before);
    const failing = api.database.db.transaction(async (tx) => {
      await recordAudit(tx, { orgId: org, actor: null, action: "role.create" });
      throw new Error("after the entry");
    });
    await expect(failing).rejects.toThrow("after the entry");
    expect(await world.read()).toHaveLength(before);
  });

  test("decisions on deployments are there, with who made them; what the service does by itself is not", async ({
    api,
    org,
    world,
  }) => {
    const [stack] = await api.database.sql`insert into stacks (org_id, slug, name, repository_url, branch)
      values (${org}, 'decided', 'decided', 'https://git.example/r', 'main') returning stack_key`;
    const actor = { id: world.admin.id, kind: "service_account" } as const;
    const first = await create(api.service, stack?.stack_key, { actor });
    const second = await create(api.service, stack?.stack_key, { actor: ACTOR });
    await decide(api.service, api.database, second, "prioritize");
    await decide(api.service, api.database, first, "cancel");
    const seen = (await world.read("&resource_type=deployment")).map((entry) => [
      entry.action,
      entry.resource_id,
      entry.actor_id,
      entry.details.stack_id,
    ]);
    expect(seen.reverse()).toEqual([
      ["deployment.create", first, world.admin.id, "decided"],
      ["deployment.create", second, ACTOR.id, "decided"],
      ["deployment.prioritize", second, ACTOR.id, "decided"],
      ["deployment.cancel", first, ACTOR.id, "decided"],
    ]);
    // The cancel passed the lane on to the second deployment: the service's own doing.
    const events = await api.database.sql`select name from domain_events where deployment_id = ${second}`;
    expect(events.map((row) => row.name)).toContain("deployment_promoted");
  });
});
