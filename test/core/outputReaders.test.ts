/** Who reads a stack's outputs, who lets another stack have them, and what of it is in the audit trail. */
import { randomBytes } from "node:crypto";
import { describe, expect } from "vitest";
import { outputsTest as test, text } from "../support/outputsTest.ts";

const SECRET = `pass-${randomBytes(9).toString("hex")}`;

test.afterEach(({ runners }) => expect(runners.unexpected).toEqual([]));

describe("who may", () => {
  test("let a stack have outputs, and sensitive ones; each change is one entry of the trail", async ({
    people,
    world,
  }) => {
    const { network, app, org } = world;
    const at = `${network.path}/output-readers/${app.slug}`;
    const only = (action: string, on: { slug: string }) =>
      ["stack", action, { pattern: on.slug }] as [string, string, { pattern: string }];
    const taker = await people.makeAccount(org, [only("read_outputs", network), only("update", app)]);
    const half = await people.makeAccount(org, [only("read_outputs", network)]);
    const put = async (token: string, sensitive: boolean) => (await world.call("PUT", at, { sensitive }, token)).status;
    expect([await put(half.token, false), await put(taker.token, true)]).toEqual([404, 404]);
    expect([await put(taker.token, false), await put(taker.token, false)]).toEqual([200, 200]);
    expect(await put(world.owner.token, true)).toBe(200);
    const listed = await world.call("GET", `${network.path}/output-readers`);
    expect(listed.body.items).toMatchObject([{ stack_id: app.slug, sensitive: true }]);
    expect((await world.call("DELETE", at, undefined, taker.token)).status).toBe(404);
    expect((await world.call("DELETE", at)).status).toBe(204);
    expect((await world.call("DELETE", at)).status).toBe(404);
    const itself = await world.call("PUT", `${network.path}/output-readers/${network.slug}`, {});
    expect(itself.status).toBe(422);
    const entries = await people.database.sql`
      select action, details from audit_log where org_id = ${org} and action like 'output_reader.%' order by id`;
    expect(entries.map(({ action, details }) => [action, details.reader_id, details.sensitive])).toEqual([
      ["output_reader.set", app.slug, false],
      ["output_reader.set", app.slug, true],
      ["output_reader.remove", app.slug, undefined],
    ]);
  });

  test("a stack that was made again has to be let anew", async ({ people, world }) => {
    const { network, app, vpc } = world;
    await world.allow(app, network);
    await world.applied(network.key, [text("vpc_id", "vpc-1")]);
    await people.database.sql`update stacks set deleted_at = svc_now() where stack_key = ${network.key}`;
    const { plan } = await world.planning(app.key);
    expect((await plan.ask(vpc(network))).missing).toHaveLength(1);
    expect(await people.database.sql`select from stack_outputs where stack_key = ${network.key}`).toHaveLength(0);
    expect(await people.database.sql`select from output_readers where stack_key = ${network.key}`).toHaveLength(0);
  });
});

describe("reading", () => {
  test("shows what is sensitive one by one, to who may read the state, as an entry of the trail", async ({
    people,
    world,
  }) => {
    const { network, org } = world;
    await world.applied(network.key, [text("password", SECRET, true), text("name", "clear")]);
    const named = (name: string, token?: string) =>
      world.call("GET", `${network.path}/outputs/${name}`, undefined, token);
    expect((await named("password")).body).toMatchObject({ sensitive: true, value: null });
    expect((await named("name")).body).toMatchObject({ sensitive: false, value: '"clear"' });
    expect((await named("nothing")).status).toBe(404);
    const { token } = await people.makeAccount(org, [["stack", "read_outputs"]]);
    expect((await named("name", token)).status).toBe(200);
    expect((await named("password?reveal=true", token)).status).toBe(404);
    expect((await named("name?reveal=true")).body.value).toBe('"clear"');
    expect((await named("password?reveal=true")).body.value).toBe(JSON.stringify(SECRET));
    const entries = await people.database.sql`
      select resource_type, details from audit_log where org_id = ${org} and action = 'output.read'`;
    expect(entries).toMatchObject([
      { resource_type: "output", details: { stack_id: network.slug, output: "password" } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(SECRET);
  });

  test("says which stacks are waited for, and names those that the caller may read", async ({ people, world }) => {
    const { network, app, org, vpc } = world;
    await world.allow(app, network);
    const { plan } = await world.planning(app.key);
    expect(await plan.ask(vpc(network))).toMatchObject({ waits: true });
    const waits = async (token?: string) =>
      (await world.call("GET", `${app.path}/outputs`, undefined, token)).body.waits_for;
    expect(await waits()).toEqual([{ stack_id: network.slug, since: expect.any(String) }]);
    const { token } = await people.makeAccount(org, [["stack", "read_outputs", { pattern: app.slug }]]);
    expect(await waits(token)).toEqual([{ stack_id: null, since: expect.any(String) }]);
  });
});
