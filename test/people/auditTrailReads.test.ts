/** The audit trail as it is read: who may, which page, and how it holds up when it is long. */
import { describe, expect } from "vitest";
import { recordAudits } from "../../src/people/audit/record.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { type Entry, test } from "../support/auditTest.ts";
import type { Answer } from "../support/peopleApi.ts";

const fields = (answer: Answer) => [...new Set(answer.body.errors?.map((error: { field: string }) => error.field))];

test.beforeAll(async ({ api, org }) => {
  await api.database.sql`update organizations set max_users = 50 where id = ${org}`;
});

describe("reading", () => {
  let of: string;
  let token: string;
  test.beforeAll(async ({ api, holding }) => {
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

  test("newest first, page by page, each entry once", async ({ api, world }) => {
    const seen: number[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await api.call("GET", `${world.base(of)}/audit-log?limit=60${cursor}`, { token });
      seen.push(...numbers(body.items));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(newestFirst);
    expect(numbers(await world.read("&order=asc", of, token)).slice(0, 3)).toEqual([0, 1, 2]);
  });

  test("who did it is named beside the id", async ({ api, world, holding }) => {
    const org = await api.makeOrg();
    const reader = await holding([["org", "update"]], org);
    const { id } = await api.makeAccount(org, []);
    const [account] = await api.database.sql`select name from service_accounts where id = ${id}`;
    const line = { orgId: org, action: "role.delete", resourceId: "r", details: {} } as const;
    await recordAudits(api.database.db, [
      { ...line, actor: { id: "codehost:ada:1", kind: "user" } },
      { ...line, actor: { id, kind: "service_account" } },
    ]);
    expect(await world.read("&resource_id=r", org, reader)).toMatchObject([
      { actor: { id, kind: "service_account", name: account?.name } },
      { actor: { id: "codehost:ada:1", kind: "user", name: null } },
    ]);
  });

  test("filters by actor, actions, resource and time; text is compared, not matched", async ({ world }) => {
    const ask = async (query: string) => numbers(await world.read(query, of, token));
    expect(await ask("&actor_id=a&action=role.delete")).toEqual(newestFirst.filter((i) => i % 10 === 0));
    expect(await ask("&action=role.delete,member.add&actor_id=b")).toEqual(newestFirst.filter((i) => i % 2 === 1));
    expect(await ask("&resource_type=role")).toEqual(newestFirst.filter((i) => i % 5 === 0));
    expect(await ask("&resource_id=r17")).toEqual([17]);
    for (const none of ["&resource_id=r%25", "&actor_id=_", "&action=role", "&actor_id=%5C"]) {
      expect([none, await ask(none)]).toEqual([none, []]);
    }
    const [at] = await world.read("&resource_id=r100", of, token);
    const when = encodeURIComponent(at!.occurred_at);
    expect((await ask(`&since=${when}`)).at(-1)).toBe(100);
    expect((await ask(`&until=${when}`))[0]).toBe(99);
  });

  test("as JSON lines it is all there is, in the order of the list, filtered alike", async ({ api, world }) => {
    const exported = async (query: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${api.baseUrl}${world.base(of)}/audit-log?format=jsonl${query}`, { headers });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
      const lines = (await answer.text()).split("\n");
      expect(lines.pop()).toBe("");
      return lines.map((line) => JSON.parse(line) as Entry);
    };
    const all = await exported("");
    expect(numbers(all)).toEqual(newestFirst);
    expect(all.slice(0, 200)).toEqual(await world.read("", of, token));
    expect(numbers(await exported("&action=role.delete&order=asc"))).toEqual(
      [...newestFirst].reverse().filter((i) => i % 5 === 0),
    );
    expect(await exported("&actor_id=nobody")).toEqual([]);
  });

  test("needs (org, update); what is no filter is refused, in both forms", async ({ api, holding, world }) => {
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
        expect((await api.call("GET", `${world.base(of)}/audit-log${query}`, { token: who })).status).toBe(403);
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
      expect([query, fields(await api.call("GET", `${world.base(of)}/audit-log?${query}`, { token }))]).toEqual([
        query,
        [field],
      ]);
    }
    const late = await api.call("GET", `${world.base(of)}/audit-log?format=jsonl&since=x`, { token });
    expect(late.status).toBe(422);
  });
});

describe("a long trail", () => {
  test.for([
    ["", "audit_log_by_org"],
    ["&resource_id=r7&since=2020-01-01T00:00:00Z", "audit_log_by_resource"],
    ["&actor_id=p7&action=role.update", "audit_log_by_actor"],
  ] as const)(
    "a page of '%s' is read off %s, newest first, and the next one too",
    async ([query, index], { api, holding, world }) => {
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
          const answer = await api.app.request(`${world.base(of)}/audit-log?limit=10${query}${cursor}`, { headers });
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
    },
  );
});
