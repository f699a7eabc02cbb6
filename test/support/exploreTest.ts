/** Explore over HTTP: what those tests begin with. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { makeStack } from "./fixtures.ts";
import type { Caller } from "./peopleApi.ts";
import { peopleTest } from "./test.ts";

export const test = peopleTest().extend("world", { scope: "file" }, async ({ api }) => {
  const orgId = await api.makeOrg();
  const everybody = await api.makeAccount(orgId, [["stack", "read"]]);
  const keys: Record<string, string> = {};
  for (const name of ["net", "app", "db"]) keys[name] = await makeStack(api.database, orgId, { slug: name, name });

  async function resources(
    stack: string,
    addresses: string[],
    change: Record<string, string> = {},
    org = orgId,
  ): Promise<void> {
    const row = { mode: "managed", type: "aws_vpc", provider: "aws", realm: "r", identity: "i", ...change };
    for (const address of addresses) {
      await api.database.sql`insert into explore.resources ${api.database.sql({
        stack_key: keys[stack] ?? stack,
        org_id: org,
        address,
        identity_hash: Buffer.from("aa", "hex"),
        ...row,
      })}`;
    }
  }

  async function finding(kind: string, stacks: string[], details: object = {}, org = orgId): Promise<void> {
    await api.database.sql`
      insert into explore.findings (org_id, kind, key, stack_keys, stack_count, details, round)
    values (${org}, ${kind}, ${randomUUID()}, ${stacks.map((name) => keys[name]!)}::uuid[], ${stacks.length}, ${api.database.sql.json(details as never)}, ${randomUUID()})`;
  }
  const read = (what: string, by: Caller, org = orgId) => api.call("GET", `/api/v1/orgs/${org}/explore/${what}`, by);
  const found = async (query: string, by: Caller = everybody) => {
    const { status, body } = await read(`resources?${query}`, by);
    expect(status).toBe(200);
    return body.items.map((row: { stack: { id: string }; address: string }) => `${row.stack.id} ${row.address}`);
  };
  const only = (pattern: string) => api.makeAccount(orgId, [["stack", "read", { pattern }]]);

  await resources("net", ["aws_vpc.main", "aws_subnet.a", "aws_subnet.b"], { type: "aws_subnet" });
  await resources("app", ["aws_instance.web", "aws_vpc.main"]);
  await resources("db", ["aws_db.50%_off"], { provider: "google", mode: "data", identity: "DB-Identity\\x" });

  return { orgId, everybody, keys, resources, finding, read, found, only };
});
