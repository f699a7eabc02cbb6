/** The stack list: scope, filters, order, pages, and its cost (docs/rules/permissions.md#lists). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countStatements } from "../../src/platform/db/statements.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
let org: string;
let admin: string;

const SORTS = [
  "id",
  "name",
  "created_at",
  "updated_at",
  "latest_deployment_created_at",
  "latest_deployment_completed_at",
];

type Row = {
  name: string;
  created_at?: string;
  labels?: object;
  authz_groups?: string[];
  status?: string;
  mode?: string;
  commit?: string;
  deployed_at?: string;
  ended_at?: string;
};

beforeAll(async () => {
  api = await startPeopleApi();
  org = await api.makeOrg();
  admin = (await api.makeAccount(org, [["*", "*"]])).token;
});
afterAll(() => api.close());

async function fill(orgId: string, rows: Row[]): Promise<void> {
  for (const [i, row] of rows.entries()) {
    const created = row.created_at ?? `2026-01-01T00:00:00.${String(i).padStart(6, "0")}Z`;
    await api.database.sql`
      insert into stacks (org_id, slug, name, repository_url, branch, labels, authz_groups, created_at, updated_at,
        latest_deployment_status, latest_deployment_mode, latest_deployment_commit_sha, latest_deployment_created_at,
        latest_deployment_completed_at)
      values (${orgId}, ${row.name.toLowerCase().replace(/[^a-z0-9._-]/g, "-")}, ${row.name}, 'https://git.example/r', 'main',
        ${api.database.sql.json((row.labels ?? {}) as never)}, ${row.authz_groups ?? []}, ${created}, ${created},
        ${row.status ?? null}, ${row.mode ?? null}, ${row.commit ?? null}, ${row.deployed_at ?? null}, ${row.ended_at ?? null})`;
  }
}

const list = (query = "", token = admin, of = org) => api.call("GET", `/api/v1/orgs/${of}/stacks${query}`, { token });
const names = async (query: string, token = admin, of = org): Promise<string[]> => {
  const answer = await list(query, token, of);
  expect(answer.status).toBe(200);
  return answer.body.items.map((item: { name: string }) => item.name);
};

/** Every page, followed by cursor. */
async function pages(query: string, token = admin, of = org): Promise<string[][]> {
  const all: string[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const answer = await list(`${query}${cursor === "" ? "" : `&cursor=${cursor}`}`, token, of);
    expect(answer.status).toBe(200);
    all.push(answer.body.items.map((item: { name: string }) => item.name));
    cursor = answer.body.next_cursor;
  }
  return all;
}

describe("scope", () => {
  let scoped: string;
  const holding = async (grants: Grant[]) => (await api.makeAccount(scoped, grants)).token;
  beforeAll(async () => {
    scoped = await api.makeOrg();
    await fill(scoped, [
      { name: "net-eu", authz_groups: ["prod"] },
      { name: "net_us" },
      { name: "db" },
      { name: "100%" },
    ]);
  });

  test("an untargeted holder sees all, a patterned one what matches any pattern", async () => {
    expect(await names("", await holding([["stack", "read"]]), scoped)).toHaveLength(4);
    const two: Grant[] = [
      ["stack", "read", { pattern: "net-%" }],
      ["*", "*", { pattern: "d_" }],
    ];
    expect(await names("", await holding(two), scoped)).toEqual(["db", "net-eu"]);
    expect(await names("", await holding([["stack", "read", { pattern: "net\\_%" }]]), scoped)).toEqual(["net_us"]);
    expect(await names("", await holding([["stack", "read", { pattern: "100\\%" }]]), scoped)).toEqual(["100%"]);
  });

  test("a group-only holder lists nothing, though each check honours the group", async () => {
    const token = await holding([["stack", "read", { group: "prod" }]]);
    expect(await names("", token, scoped)).toEqual([]);
    expect((await api.call("GET", `/api/v1/orgs/${scoped}/stacks/net-eu`, { token })).status).toBe(200);
    expect((await api.call("GET", `/api/v1/orgs/${scoped}/stacks/net_us`, { token })).status).toBe(404);
  });

  test("a stranger gets 200 without items, as for an organization that is not there", async () => {
    for (const org of [scoped, "01a1f77a-0000-7000-8000-00000000dead", "nonsense"]) {
      expect((await list("", admin, org)).body).toEqual({ items: [], next_cursor: null });
    }
    expect(await names("", await holding([["stack", "deploy"]]), scoped)).toEqual([]);
  });

  test("a super-admin sees every organization's", async () => {
    const { user } = await api.makeUser({ superAdmin: true });
    const answer = await api.call("GET", `/api/v1/orgs/${scoped}/stacks`, { user });
    expect(answer.body.items).toHaveLength(4);
  });
});

describe("filters", () => {
  let of: string;
  let token: string;
  const found = (query: string) => names(query, token, of);
  beforeAll(async () => {
    of = await api.makeOrg();
    token = (await api.makeAccount(of, [["*", "*"]])).token;
    await fill(of, [
      { name: "Alpha Net", labels: { env: "prod", team: "a" }, status: "finished", mode: "plan", commit: "abcd01" },
      { name: "beta_net", labels: { env: "prod" }, status: "failed", mode: "destroy", commit: "abce02" },
      { name: "gamma%", labels: { env: "dev", note: "a=b" } },
      { name: "delta\\x" },
    ]);
  });

  test("search is in any case and takes no character for a wildcard", async () => {
    expect(await found("?search=NET")).toEqual(["Alpha Net", "beta_net"]);
    expect(await found("?search=%25")).toEqual(["gamma%"]);
    expect(await found("?search=_")).toEqual(["beta_net"]);
    expect(await found("?search=%5C")).toEqual(["delta\\x"]);
    expect(await found("?search=_____")).toEqual([]);
  });

  test("labels must all be there", async () => {
    expect(await found("?labels=env=prod")).toEqual(["Alpha Net", "beta_net"]);
    expect(await found("?labels=env=prod,team=a")).toEqual(["Alpha Net"]);
    expect(await found("?labels=note=a=b")).toEqual(["gamma%"]);
    expect(await found("?labels=env=")).toEqual([]);
  });

  test("latest deployment statuses, none for never deployed", async () => {
    expect(await found("?latest_deployment_status=finished,failed")).toEqual(["Alpha Net", "beta_net"]);
    expect(await found("?latest_deployment_status=none&search=gamma")).toEqual(["gamma%"]);
  });

  test("the latest deployment's mode, and its commit by its first digits", async () => {
    expect(await found("?latest_deployment_mode=plan")).toEqual(["Alpha Net"]);
    expect(await found("?latest_deployment_mode=plan,destroy,none")).toEqual([
      "Alpha Net",
      "beta_net",
      "delta\\x",
      "gamma%",
    ]);
    expect(await found("?latest_deployment_commit_sha=abce")).toEqual(["beta_net"]);
    expect(await found("?latest_deployment_commit_sha=ab0d")).toEqual([]);
  });

  test("422 names what is wrong, 400 for a field given twice", async () => {
    for (const [query, field] of [
      ["?limit=0", "limit"],
      ["?limit=201", "limit"],
      ["?limit=x", "limit"],
      ["?sort=branch", "sort"],
      ["?order=up", "order"],
      ["?cursor=x", "cursor"],
      ["?labels=env", "labels"],
      ["?labels=env=prod,env=dev", "labels"],
      ["?latest_deployment_mode=apply", "latest_deployment_mode"],
      ["?latest_deployment_commit_sha=abc", "latest_deployment_commit_sha"],
      ["?latest_deployment_status=done", "latest_deployment_status"],
      ["?serach=x", "serach"],
    ]) {
      const answer = await list(query, token, of);
      expect([query, answer.status, answer.body.errors?.[0].field]).toEqual([query, 422, field]);
    }
    expect((await list("?limit=1&limit=2", token, of)).status).toBe(400);
  });
});

describe("pages", () => {
  let of: string;
  let token: string;
  const rows = Array.from({ length: 15 }, (_, i): Row => {
    // All within one millisecond, and two pairs in the very same microsecond.
    const micros = String(Math.max(0, i - 1)).padStart(3, "0");
    const moment = `2026-02-02T00:00:00.000${micros}Z`;
    const deployed = i % 3 === 0 ? {} : { deployed_at: moment, ended_at: moment, status: "finished" };
    return { name: `s-${String(i).padStart(2, "0")}`, created_at: `2026-01-01T00:00:00.000${micros}Z`, ...deployed };
  });
  const all = rows.map((row) => row.name);
  beforeAll(async () => {
    of = await api.makeOrg();
    token = (await api.makeAccount(of, [["*", "*"]])).token;
    await fill(of, rows);
  });

  test("by default ordered by id, 50 at most", async () => {
    expect(await names("", token, of)).toEqual(all);
  });

  test.each([1, 4, 10])("limit %i over every sort and order gives each row once", async (limit) => {
    for (const sort of SORTS) {
      const seen: Record<string, string[]> = {};
      for (const order of ["asc", "desc"]) {
        const got = await pages(`?limit=${limit}&sort=${sort}&order=${order}`, token, of);
        expect(got).toHaveLength(Math.ceil(15 / limit));
        seen[order] = got.flat();
        expect([...seen[order]].sort()).toEqual(all);
      }
      expect(seen.desc).toEqual(seen.asc?.toReversed());
    }
  });

  test("rows never deployed come as the oldest", async () => {
    const newest = (await pages("?limit=4&sort=latest_deployment_created_at", token, of)).flat();
    expect(newest.slice(10).sort()).toEqual(all.filter((_, i) => i % 3 === 0));
  });

  test("a cursor serves its own sort only, and a forged one is refused or harmless", async () => {
    const { next_cursor } = (await list("?limit=1&sort=created_at", token, of)).body;
    expect((await list(`?sort=name&cursor=${next_cursor}`, token, of)).status).toBe(422);
    expect((await list(`?sort=created_at&order=asc&cursor=${next_cursor}`, token, of)).status).toBe(422);
    const forge = (parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString("base64url");
    const id = "01a1f77a-0000-7000-8000-00000000dead";
    for (const parts of [
      ["created_at:desc", "yesterday", id],
      ["created_at:desc", "2026-13-45 00:00:00+00", id],
      ["created_at:desc", "2026-02-30 00:00:00+00", id],
      ["created_at:desc", "0000-12-31 00:00:00+00", id],
      ["created_at:desc", null, id],
      ["created_at:desc", 7, id],
      ["created_at:desc", "2026-01-01 00:00:00+00", "' or true --"],
    ]) {
      expect([parts, (await list(`?sort=created_at&cursor=${forge(parts)}`, token, of)).status]).toEqual([parts, 422]);
    }
    expect(await names(`?cursor=${forge(["id:asc", "'); drop table stacks; --", id])}`, token, of)).toEqual(all);
  });

  test("another organization's cursor shows nothing of that organization", async () => {
    const { next_cursor } = (await list("?limit=1", token, of)).body;
    expect(await names(`?cursor=${next_cursor}`)).toEqual([]);
  });
});

describe("cost", () => {
  let of: string;
  let token: string;
  const ask = (query: string) =>
    countStatements(async () => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await api.app.request(`/api/v1/orgs/${of}/stacks?limit=100${query}`, { headers });
      return (await answer.json()) as { items: object[]; next_cursor: string };
    });
  beforeAll(async () => {
    of = await api.makeOrg();
    token = (await api.makeAccount(of, [["stack", "read", { pattern: "many-%" }]])).token;
    await api.database.sql`insert into stacks (org_id, slug, name, repository_url, branch)
      select ${of}, 'many-' || i, 'many-' || i, 'https://git.example/r', 'main' from generate_series(1, 3000) i`;
    await api.database.sql`analyze stacks`;
  });

  test("three statements for a page of 100, also for the next one and with filters", async () => {
    const first = await ask("");
    expect(first.result.items).toHaveLength(100);
    expect(first.statements).toHaveLength(3);
    for (const query of [`&cursor=${first.result.next_cursor}`, "&sort=created_at&search=9", "&labels=a=b"]) {
      expect([query, (await ask(query)).statements.length]).toEqual([query, 3]);
    }
  });

  test("every order is read off an index, never sorted whole", async () => {
    for (const sort of SORTS) {
      for (const order of ["asc", "desc"]) {
        const { result, statements } = await ask(`&sort=${sort}&order=${order}`);
        const next = await ask(`&sort=${sort}&order=${order}&cursor=${result.next_cursor}`);
        for (const statement of [statements.at(-1)!, next.statements.at(-1)!]) {
          const rows = await api.database.sql.unsafe(`explain (generic_plan) ${statement}`);
          const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
          expect(plan).toMatch(/Index Scan (Backward )?using stacks_/);
          expect(plan).not.toMatch(/(?<!Incremental )Sort {2}|Seq Scan/);
        }
      }
    }
  });
});
