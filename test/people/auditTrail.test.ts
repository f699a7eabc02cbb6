/** The audit trail: every write of people leaves its entry in its own transaction, and nobody's secret. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordAudit, recordAudits } from "../../src/people/audit/record.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { ACTOR, create, decide } from "../support/fixtures.ts";
import { type Answer, type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: { id: string; token: string };
beforeAll(async () => {
  api = await startPeopleApi();
  org = await api.makeOrg();
  admin = await api.makeAccount(org, [["*", "*"]]);
  await api.database.sql`update organizations set max_users = 50 where id = ${org}`;
});
afterAll(() => api.close());

const base = (of = org) => `/api/v1/orgs/${of}`;
const holding = async (grants: Grant[], of = org) => (await api.makeAccount(of, grants)).token;
const fields = (answer: Answer) => [...new Set(answer.body.errors?.map((error: { field: string }) => error.field))];
type Entry = {
  id: string;
  actor_id: string;
  actor_kind: string;
  action: string;
  resource_type: string;
  resource_id: string;
  occurred_at: string;
  details: Record<string, unknown>;
};
const read = async (query = "", of = org, token = admin.token): Promise<Entry[]> => {
  const answer = await api.call("GET", `${base(of)}/audit-log?limit=200${query}`, { token });
  expect(answer.status).toBe(200);
  return answer.body.items;
};
/** Call and give the answer back with the entries it left. */
async function tracked(method: string, path: string, body?: object): Promise<{ answer: Answer; left: Entry[] }> {
  const before = new Set((await read()).map(({ id }) => id));
  const answer = await api.call(method, `${base()}${path}`, { token: admin.token, ...(body ? { body } : {}) });
  return { answer, left: (await read()).filter(({ id }) => !before.has(id)) };
}

describe("every write", () => {
  /** In order: later paths use the ids of earlier answers. `$name` is replaced. */
  const WRITES: [method: string, path: string, body: object | undefined, action: string, as?: string][] = [
    ["PATCH", "", { name: "renamed", login_handle: "acme" }, "organization.update"],
    ["POST", "/roles", { name: "r", permissions: [{ resource_type: "org", action: "read" }] }, "role.create", "role"],
    ["PUT", "/roles/$role", { name: "r2", permissions: [] }, "role.update"],
    ["POST", "/members", { user_id: "$user" }, "member.add"],
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

  test("leaves exactly one entry that names who, what and which; a secret is in none", async () => {
    const { user } = await api.makeUser();
    const ids: Record<string, string> = { user };
    const secrets: string[] = [];
    const fill = (text: string, encode: (id: string) => string) =>
      text.replace(/\$(\w+)/g, (_, name: string) => encode(ids[name] ?? `missing ${name}`));
    for (const [method, path, body, action, as] of WRITES) {
      const sent = body && (JSON.parse(fill(JSON.stringify(body), (id) => id)) as object);
      const { answer, left } = await tracked(method, fill(path, encodeURIComponent), sent);
      expect([method, path, answer.status < 300, answer.text.slice(0, 300)]).toEqual([
        method,
        path,
        true,
        answer.text.slice(0, 300),
      ]);
      expect([path, left.map((entry) => entry.action)]).toEqual([path, [action]]);
      expect(left[0]).toMatchObject({
        actor_id: admin.id,
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
    const everything = JSON.stringify(await read());
    for (const secret of secrets) {
      for (const line of secret.split("\n").filter((each) => each.length > 20)) expect(everything).not.toContain(line);
    }
  });

  test("what changed is told by its fields: settings before and after, a role's permissions as globs", async () => {
    const { left } = await tracked("PATCH", "", { name: "again" });
    expect(left[0]?.details).toEqual({ before: { name: "renamed" }, after: { name: "again" } });
    const permissions = [{ resource_type: "stack", action: "read", resource_pattern: "net-*", authz_group: null }];
    const { left: made } = await tracked("POST", "/roles", { name: "globs", permissions });
    expect(made[0]?.details).toEqual({ name: "globs", permissions });
    const body = { name: "one", repository_url: "https://git.example/r", branch: "main" };
    await tracked("POST", "/stacks", body);
    const { left: renamed } = await tracked("PATCH", "/stacks/one", { name: "two", branch: "next" });
    expect(renamed[0]?.details).toEqual({
      changed: ["id", "name", "branch"],
      previous_name: "one",
      name: "two",
      before: { id: "one", name: "one", branch: "main" },
      after: { id: "two", name: "two", branch: "next" },
    });
    const { body: source } = await api.call("POST", `${base()}/identity-sources`, {
      token: admin.token,
      body: { provider_key: "codehost", source_slug: "told", display_name: "Told" },
    });
    const { left: other } = await tracked("PUT", `/identity-sources/${source.id}`, {
      display_name: "T",
      enabled: false,
    });
    expect(other[0]?.details).toMatchObject({
      before: { display_name: "Told", enabled: true },
      after: { display_name: "T", enabled: false },
    });
    expect(other[0]?.details).not.toHaveProperty("client_secret_changed");
  });

  test("no statement changes an entry or takes one away, but the deletion of its organization", async () => {
    const { sql } = api.database;
    const gone = await api.makeOrg();
    await sql`insert into audit_log (org_id, action, resource_type) values (${gone}, 'stack.create', 'stack')`;
    const before = await read();
    for (const attempt of [
      sql`update audit_log set details = '{}'`,
      sql`update audit_log set actor_id = null where org_id = ${gone}`,
      sql`delete from audit_log where org_id = ${gone}`,
      sql`truncate audit_log`,
    ]) {
      await expect(attempt).rejects.toThrow("cannot be changed or removed");
    }
    expect(await read()).toEqual(before);
    await sql`delete from organizations where id = ${gone}`;
    expect(await sql`select 1 from audit_log where org_id = ${gone}`).toEqual([]);
  });

  test("one that changes nothing, is refused or fails leaves none", async () => {
    const { body: stack } = await api.call("POST", `${base()}/stacks`, {
      token: admin.token,
      body: { name: "still", repository_url: "https://git.example/r", branch: "main" },
    });
    const before = (await read()).length;
    const nothing: [string, string, object | undefined][] = [
      ["PATCH", "", { name: "again" }],
      ["PATCH", `/stacks/${stack.id}`, { branch: "main" }],
      ["POST", `/stacks/${stack.id}/release`, undefined],
      ["POST", "/roles", { name: "viewer", permissions: [] }],
      ["POST", "/members", { user_id: "nobody" }],
      ["DELETE", "/members/nobody", undefined],
      ["POST", "/stacks", { name: "still", repository_url: "https://git.example/r", branch: "main" }],
    ];
    for (const [method, path, body] of nothing) await tracked(method, path, body);
    expect(await read()).toHaveLength(before);
    const failing = api.database.db.transaction(async (tx) => {
      await recordAudit(tx, { orgId: org, actor: null, action: "role.create" });
      throw new Error("after the entry");
    });
    await expect(failing).rejects.toThrow("after the entry");
    expect(await read()).toHaveLength(before);
  });

  test("decisions on deployments are there, with who made them; what the service does by itself is not", async () => {
    const [stack] = await api.database.sql`insert into stacks (org_id, slug, name, repository_url, branch)
      values (${org}, 'decided', 'decided', 'https://git.example/r', 'main') returning stack_key`;
    const actor = { id: admin.id, kind: "service_account" } as const;
    const first = await create(api.service, stack?.stack_key, { actor });
    const second = await create(api.service, stack?.stack_key, { actor: ACTOR });
    await decide(api.service, api.database, second, "prioritize");
    await decide(api.service, api.database, first, "cancel");
    const seen = (await read("&resource_type=deployment")).map((entry) => [
      entry.action,
      entry.resource_id,
      entry.actor_id,
      entry.details.stack_id,
    ]);
    expect(seen.reverse()).toEqual([
      ["deployment.create", first, admin.id, "decided"],
      ["deployment.create", second, ACTOR.id, "decided"],
      ["deployment.prioritize", second, ACTOR.id, "decided"],
      ["deployment.cancel", first, ACTOR.id, "decided"],
    ]);
    // The cancel passed the lane on to the second deployment: the service's own doing.
    const events = await api.database.sql`select name from domain_events where deployment_id = ${second}`;
    expect(events.map((row) => row.name)).toContain("deployment_promoted");
  });
});

describe("reading", () => {
  let of: string;
  let token: string;
  beforeAll(async () => {
    of = await api.makeOrg();
    token = await holding([["org", "update"]], of);
    const actor = (id: string) => ({ id, kind: "user" }) as const;
    for (let i = 0; i < 250; i++) {
      await recordAudits(api.database.db, [
        {
          orgId: of,
          actor: actor(i % 2 === 0 ? "a" : "b"),
          action: i % 5 === 0 ? "role.delete" : "member.add",
          resourceId: `r${i}`,
          details: { i },
        },
      ]);
    }
  });
  const numbers = (entries: Entry[]) => entries.map(({ details }) => details.i as number);
  const newestFirst = Array.from({ length: 250 }, (_, i) => 249 - i);

  test("newest first, page by page, each entry once", async () => {
    const seen: number[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await api.call("GET", `${base(of)}/audit-log?limit=60${cursor}`, { token });
      seen.push(...numbers(body.items));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(newestFirst);
    expect(numbers(await read("&order=asc", of, token)).slice(0, 3)).toEqual([0, 1, 2]);
  });

  test("filters by actor, actions, resource and time; text is compared, not matched", async () => {
    const ask = async (query: string) => numbers(await read(query, of, token));
    expect(await ask("&actor_id=a&action=role.delete")).toEqual(newestFirst.filter((i) => i % 10 === 0));
    expect(await ask("&action=role.delete,member.add&actor_id=b")).toEqual(newestFirst.filter((i) => i % 2 === 1));
    expect(await ask("&resource_type=role")).toEqual(newestFirst.filter((i) => i % 5 === 0));
    expect(await ask("&resource_id=r17")).toEqual([17]);
    for (const none of ["&resource_id=r%25", "&actor_id=_", "&action=role", "&actor_id=%5C"]) {
      expect([none, await ask(none)]).toEqual([none, []]);
    }
    const [at] = await read("&resource_id=r100", of, token);
    const when = encodeURIComponent(at!.occurred_at);
    expect((await ask(`&since=${when}`)).at(-1)).toBe(100);
    expect((await ask(`&until=${when}`))[0]).toBe(99);
  });

  test("as JSON lines it is all there is, in the order of the list, filtered alike", async () => {
    const exported = async (query: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${api.baseUrl}${base(of)}/audit-log?format=jsonl${query}`, { headers });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
      const lines = (await answer.text()).split("\n");
      expect(lines.pop()).toBe("");
      return lines.map((line) => JSON.parse(line) as Entry);
    };
    const all = await exported("");
    expect(numbers(all)).toEqual(newestFirst);
    expect(all.slice(0, 200)).toEqual(await read("", of, token));
    expect(numbers(await exported("&action=role.delete&order=asc"))).toEqual(
      [...newestFirst].reverse().filter((i) => i % 5 === 0),
    );
    expect(await exported("&actor_id=nobody")).toEqual([]);
  });

  test("needs (org, update); what is no filter is refused, in both forms", async () => {
    const stranger = await holding([["*", "*"]]);
    const reader = await holding(
      [
        ["org", "read"],
        ["*", "read"],
      ],
      of,
    );
    for (const who of [stranger, reader]) {
      for (const query of ["", "?format=jsonl"]) {
        expect((await api.call("GET", `${base(of)}/audit-log${query}`, { token: who })).status).toBe(403);
      }
    }
    const refused = [
      ["since=yesterday", "since"],
      ["until=2026-02-31T00:00:00Z", "until"],
      ["since=2026-01-01T25:00:00Z", "since"],
      ["limit=201", "limit"],
      ["cursor=x", "cursor"],
      ["format=xml", "format"],
      ["format=jsonl&limit=5", "limit"],
      ["format=jsonl&cursor=WyJ4Il0", "cursor"],
      ["who=me", "who"],
    ];
    for (const [query, field] of refused) {
      expect([query, fields(await api.call("GET", `${base(of)}/audit-log?${query}`, { token }))]).toEqual([
        query,
        [field],
      ]);
    }
    const late = await api.call("GET", `${base(of)}/audit-log?format=jsonl&since=x`, { token });
    expect(late.status).toBe(422);
  });
});

describe("a long trail", () => {
  test.each([
    ["", "audit_log_by_org"],
    ["&resource_id=r7&since=2020-01-01T00:00:00Z", "audit_log_by_resource"],
    ["&actor_id=p7&action=role.update", "audit_log_by_actor"],
  ])("a page of '%s' is read off %s, newest first, and the next one too", async (query, index) => {
    const of = await api.makeOrg();
    const token = await holding([["org", "update"]], of);
    await api.database
      .sql`insert into audit_log (org_id, actor_id, actor_kind, action, resource_type, resource_id, occurred_at)
      select ${of}, 'p' || i % 500, 'user', 'role.update', 'role', 'r' || i % 500, svc_now() - i * interval '1 second'
      from generate_series(1, 20000) i`;
    await api.database.sql`analyze audit_log`;
    const ask = (cursor: string) =>
      countStatements(async () => {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await api.app.request(`${base(of)}/audit-log?limit=10${query}${cursor}`, { headers });
        return (await answer.json()) as { items: Entry[]; next_cursor: string };
      });
    const first = await ask("");
    expect(first.result.items).toHaveLength(10);
    for (const { statements } of [first, await ask(`&cursor=${first.result.next_cursor}`)]) {
      const rows = await api.database.sql.unsafe(`explain (generic_plan) ${statements.at(-1)!}`);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toMatch(new RegExp(`Index Scan using ${index} `));
      expect(plan).not.toMatch(/Sort {2}|Seq Scan/);
    }
  });
});
