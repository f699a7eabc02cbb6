/** What deleting a service account leaves behind, beside what disabling it leaves: never more that could still act. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi();
});
afterAll(() => api.close());

/**
 * Tables that say what was; nothing follows from their rows any more. Who minted tokens of an account is kept, so that
 * nobody approves what an account of theirs made by deleting it.
 */
const HISTORY = [
  ...["audit_log", "deployments", "deployment_events", "domain_events", "decisions", "idempotency_keys"],
  "service_account_minters",
];

/** Tables whose rows name the account, found by looking through every column of ids and texts. */
async function tablesNaming(id: string): Promise<string[]> {
  const columns = await api.database.sql<{ table: string; column: string }[]>`
    select c.table_name as "table", c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type in ('uuid', 'text')`;
  const found = new Set<string>();
  for (const { table, column } of columns) {
    const rows = await api.database.sql`
      select 1 from ${api.database.sql(table)} where ${api.database.sql(column)}::text = ${id} limit 1`;
    if (rows.length > 0 && !HISTORY.includes(table)) found.add(table);
  }
  return [...found].sort();
}

/** An account that has done what accounts can do: invited, created, been given roles and tokens. */
async function busyAccount() {
  const org = await api.makeOrg();
  const admin = await api.makeUser({ orgs: [org], grants: [["*", "*"]] });
  const account = await api.makeAccount(org, [["*", "*"]]);
  const by = { token: account.token };
  const made = [
    ["invitations", { provider_key: "codehost", login: `l-${randomUUID()}` }],
    ["contexts", { name: "c", selector: {}, variables: [] }],
    ["service-accounts", { name: "other" }],
    ["stacks", { name: "s", repository_url: "https://git.example/r", branch: "main" }],
  ] as const;
  for (const [family, body] of made) {
    const answer = await api.call("POST", `/api/v1/orgs/${org}/${family}`, { ...by, body });
    expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  }
  const path = `/api/v1/orgs/${org}/service-accounts/${account.id}`;
  expect((await api.call("POST", `${path}/tokens`, { ...admin, body: { name: "t" } })).status).toBe(201);
  return { admin, account, path };
}

test("a deleted account is named by nothing that a disabled one is not named by", async () => {
  const disabled = await busyAccount();
  expect((await tablesNaming(disabled.account.id)).length).toBeGreaterThan(3);
  expect((await api.call("POST", `${disabled.path}/disable`, disabled.admin)).status).toBe(200);
  const afterDisabling = await tablesNaming(disabled.account.id);

  const deleted = await busyAccount();
  expect((await api.call("DELETE", deleted.path, deleted.admin)).status).toBe(204);
  const afterDeleting = await tablesNaming(deleted.account.id);
  expect(afterDeleting.filter((table) => !afterDisabling.includes(table))).toEqual([]);
  expect(afterDeleting).toEqual([]);
});
