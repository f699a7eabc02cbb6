/** What changes in an organization, as hints: to whom, how soon, at what cost, and for how long. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { insertStacks } from "../../bench/harness/rows.ts";
import { type EventStream, openEventStream } from "../support/eventStream.ts";
import { ACTOR, create, decide } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

let api: PeopleApi;
const opened: EventStream[] = [];
beforeAll(async () => {
  api = await startPeopleApi({ hints: true });
});
afterAll(async () => {
  for (const stream of opened) stream.close();
  await api.close();
});

async function world() {
  const org = await api.makeOrg();
  const make = async (name: string) => {
    const [stack] = await insertStacks(api.database.sql, org, 1, {
      name,
      slug: name,
      authz_groups: name === "db" ? ["web"] : [],
    });
    return { ...stack!, id: await create(api.service, stack!.stack_key, { actor: ACTOR }) };
  };
  const follow = async (grants: Grant[], query = "") => {
    const account = await api.makeAccount(org, grants);
    const headers = { authorization: `Bearer ${account.token}` };
    const stream = await openEventStream(`${api.baseUrl}/api/v1/orgs/${org}/live${query}`, headers);
    opened.push(stream);
    if (stream.status === 200) expect(await stream.next()).toMatchObject({ event: "open" });
    return { ...account, ...stream };
  };
  return { org, net: await make("net"), db: await make("db"), follow };
}

/** One change after the stream has opened: not one may be missed. */
async function hintOf(stream: Pick<EventStream, "next">, change: () => Promise<unknown>) {
  await change();
  return stream.next();
}
const touch = async (...ids: string[]) => {
  await api.database.sql`update deployments set branch = branch where id = any(${ids})`;
};

test("a change is told with its stack, status and another version each time", async () => {
  const { net, follow } = await world();
  const stream = await follow([["stack", "read"]]);
  expect(stream.headers.get("content-type")).toContain("text/event-stream");
  const first = await hintOf(stream, () => touch(net.id));
  expect(first).toMatchObject({ event: "hint", data: { deployment: net.id, stack: net.slug, status: "pending" } });
  const second = await hintOf(stream, () => touch(net.id));
  expect(second?.data.version).not.toBe(first?.data.version);
  await decide(api.service, api.database, net.id, "cancel");
  for (let hint = second; hint?.data.status !== "cancelled"; hint = await stream.next()) expect(hint).not.toBeNull();
});

test("nothing is told of stacks that the reader may not read, and what is asked for alone", async () => {
  const { net, db, follow } = await world();
  const streams = [
    await follow([["stack", "read", { pattern: "net" }]]),
    await follow([["stack", "read"]], `?stack=${net.slug}`),
    await follow([["stack", "read"]], `?deployment=${net.id}`),
    await follow([
      ["stack", "read", { group: "other" }],
      ["stack", "read", { pattern: "n%" }],
    ]),
  ];
  for (const stream of streams) {
    for (let i = 0; i < 3; i++)
      expect((await hintOf(stream, () => touch(db.id, net.id)))?.data.deployment).toBe(net.id);
  }
  const grouped = await follow([["stack", "read", { group: "web" }]]);
  expect((await hintOf(grouped, () => touch(net.id, db.id)))?.data.deployment).toBe(db.id);
});

test("who may read nothing, or not the stack that is named, gets no stream", async () => {
  const { org, db, follow } = await world();
  expect((await follow([["stack", "deploy"]])).status).toBe(403);
  expect((await follow([["stack", "read", { pattern: "net" }]], `?stack=${db.slug}`)).status).toBe(404);
  const { token } = await api.makeAccount(await api.makeOrg(), [["*", "*"]]);
  expect(
    (await openEventStream(`${api.baseUrl}/api/v1/orgs/${org}/live`, { authorization: `Bearer ${token}` })).status,
  ).toBe(403);
});

test("a stream ends within 2 s of the revocation", async () => {
  const { follow } = await world();
  const streams = [await follow([["stack", "read"]]), await follow([["stack", "read", { pattern: "net" }]])];
  await api.database.sql`delete from role_assignments where service_account_id = ${streams[0]!.id}`;
  await api.database.sql`delete from service_account_tokens where service_account_id = ${streams[1]!.id}`;
  const started = performance.now();
  expect(await Promise.all(streams.map((stream) => stream.next()))).toEqual([null, null]);
  expect(performance.now() - started).toBeLessThan(6_000);
});

test("the same as a list for who does not follow", async () => {
  const { org, net, db } = await world();
  const list = async (grants: Grant[], query = "") => {
    const { token } = await api.makeAccount(org, grants);
    return (await api.call("GET", `/api/v1/orgs/${org}/live${query}`, { token })).body.items;
  };
  expect(await list([["stack", "read"]])).toHaveLength(2);
  expect(await list([["stack", "read"]], `?stack=${db.slug}`)).toMatchObject([
    { deployment: db.id, status: "pending" },
  ]);
  expect(await list([["stack", "read", { pattern: "net" }]])).toMatchObject([{ deployment: net.id, stack: net.slug }]);
  expect(await list([["stack", "deploy"]])).toEqual([]);
});
