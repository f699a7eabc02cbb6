/** From where a runner group's token is used (docs/rules/runner-protocol.md#addresses-of-a-group). */
import { expect } from "vitest";
import { GroupAddresses } from "../../src/core/runners/groupAddresses.ts";
import { makeOrg, testService } from "../support/fixtures.ts";
import { groupToken } from "../support/runnerApi.ts";
import { runnerTest } from "../support/test.ts";

const test = runnerTest({ env: { SVC_TRUSTED_PROXIES: "1" } })
  .extend("org", ({ database }) => makeOrg(database))
  .extend("found", ({ database, org }) => async () => {
    const { sql } = database;
    const entries = await sql`
      select details, actor_id from audit_log where org_id = ${org.orgId} and action = 'runner_group.new_address'
        and resource_type = 'runner_group' and resource_id = ${org.groupId} order by occurred_at`;
    const events = await sql`
      select data from domain_events where org_id = ${org.orgId} and name = 'runner_group_new_address' order by occurred_at`;
    expect(events.map(({ data }) => data.address)).toEqual(entries.map(({ details }) => details.address));
    return entries.map(({ details }) => details.address);
  });

test("an address is told of once: by its first poll, whatever polls at the same time or later", async ({
  api,
  org,
  found,
}) => {
  const token = await groupToken(org);
  const poll = async (address: string) => {
    const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": address };
    return (await fetch(`${api.base}/runner-groups/poll`, { headers })).status;
  };
  const polls = Array.from({ length: 8 }, () => poll("192.0.2.7"));
  expect(new Set(await Promise.all(polls))).toEqual(new Set([204]));
  expect(await found()).toEqual(["192.0.2.7"]);
  await poll("192.0.2.7");
  await poll("2001:db8:1:2:3::4");
  await poll("2001:db8:1:2::ffff");
  expect(await found()).toEqual(["192.0.2.7", "2001:db8:1:2::/64"]);
});

test("a token that is refused tells of no address", async ({ api, org, found }) => {
  const stranger = await groupToken({ ...org, id: "01a1f77a-0000-7000-8000-00000000dead" });
  const headers = { authorization: `Bearer ${stranger}`, "x-forwarded-for": "192.0.2.9" };
  expect((await fetch(`${api.base}/runner-groups/poll`, { headers })).status).toBe(401);
  expect(await found()).toEqual([]);
});

test("processes tell of one address once together, and remember it for each other", async ({
  database,
  org,
  found,
}) => {
  const group = { groupId: org.groupId, orgId: org.orgId };
  const processes = Array.from({ length: 4 }, () => new GroupAddresses(testService(database)));
  await Promise.all(processes.map((each) => each.saw(group, "192.0.2.7")));
  await new GroupAddresses(testService(database)).saw(group, "192.0.2.7");
  expect(await found()).toEqual(["192.0.2.7"]);
  await processes[0]!.saw(group, null);
  expect(await found()).toEqual(["192.0.2.7"]);
});

test("of a group the 200 that were seen last are kept", async ({ database, org }) => {
  const group = { groupId: org.groupId, orgId: org.orgId };
  const addresses = new GroupAddresses(testService(database));
  for (let i = 0; i < 205; i++) await addresses.saw(group, `192.0.2.${i}`);
  const rows = await database.sql`select address from runner_group_addresses where group_id = ${org.groupId}`;
  expect(rows).toHaveLength(200);
  expect(rows.map(({ address }) => address)).not.toContain("192.0.2.0");
  expect(rows.map(({ address }) => address)).toContain("192.0.2.204");
});
