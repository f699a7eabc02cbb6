/** Requests whose length is said twice or wrongly: where the body ends must never be a matter of opinion. */
import { connect } from "node:net";
import { expect } from "vitest";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";
import { peopleTest } from "../support/test.ts";

const statuses = (text: string) => [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((found) => Number(found[1]));

const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const test = peopleTest()
  .extend("host", { scope: "file" }, async ({}, { onCleanup }) => {
    const host = await ScriptedHost.start();
    onCleanup(() => host.stop());
    return host;
  })
  .extend("world", async ({ api, host }) => {
    const orgId = await api.makeOrg();
    const { token } = await api.makeAccount(orgId, [["*", "*"]]);
    const { id } = await makeIntegration(api.database, api.keyring, orgId, host);
    const webhook = `/api/v1/orgs/${orgId}/scm-integrations/${id}/webhook`;

    /** Everything that is answered on one connection to these bytes, until it is closed or silent. */
    function answered(bytes: string): Promise<string> {
      return new Promise((resolve, reject) => {
        const { hostname, port } = new URL(api.baseUrl);
        const socket = connect(Number(port), hostname, () => socket.write(bytes));
        let text = "";
        socket.setTimeout(2_000, () => socket.destroy());
        socket.on("data", (chunk) => {
          text += chunk;
        });
        socket.on("close", () => resolve(text));
        socket.on("error", reject);
      });
    }
    const request = (path: string, headers: Record<string, string>, body: string) =>
      [
        `POST ${path} HTTP/1.1`,
        `host: ${new URL(api.baseUrl).host}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        "",
        body,
      ].join("\r\n");

    /** Two routes with a body, each with one that would be taken if its length were plain. */
    const routes = () => {
      const push = host.push("main", null, "b".repeat(40));
      const stack = { name: "Smuggled", repository_url: "https://git.example/acme/infra.git", branch: "main" };
      const json = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      return [
        { path: webhook, headers: push.headers, body: push.body },
        { path: `/api/v1/orgs/${orgId}/stacks`, headers: json, body: JSON.stringify(stack) },
      ];
    };
    const effects = async () => {
      const [row] = await api.database.sql`
        select (select count(*) from scm_events where org_id = ${orgId})::int as events,
          (select count(*) from stacks where org_id = ${orgId} and name = 'Smuggled')::int as stacks`;
      return row;
    };

    return { answered, request, routes, effects, orgId };
  });

test.beforeEach(async ({ api, host, world }) => {
  await hostStack(api.database, world.orgId, host);
});

test("with a length and chunks is 400 before the handler runs", async ({ world }) => {
  for (const { path, headers, body } of world.routes()) {
    const length = String(Buffer.byteLength(body));
    const both = { ...headers, "content-length": length, "transfer-encoding": "chunked" };
    expect(statuses(await world.answered(world.request(path, both, chunked(body))))).toEqual([400]);
  }
  expect(await world.effects()).toEqual({ events: 0, stacks: 0 });
});

test("with two lengths, or one that is no number, is 400", async ({ world }) => {
  for (const { path, headers, body } of world.routes()) {
    const twice = `${Buffer.byteLength(body)}\r\ncontent-length: ${Buffer.byteLength(body) - 1}`;
    for (const length of [twice, "-1", "0x10", "1e3"]) {
      expect(
        statuses(await world.answered(world.request(path, { ...headers, "content-length": length }, body))),
      ).toEqual([400]);
    }
  }
  expect(await world.effects()).toEqual({ events: 0, stacks: 0 });
});

test("longer than its length has no effect: what is cut off is no second request, and the rest no first", async ({
  world,
}) => {
  for (const { path, headers, body } of world.routes()) {
    const short = { ...headers, "content-length": String(Buffer.byteLength(body) - 5) };
    const text = await world.answered(world.request(path, short, body));
    for (const status of statuses(text)) expect([400, 401, 413]).toContain(status);
    expect(statuses(text).length).toBeGreaterThan(0);
  }
  expect(await world.effects()).toEqual({ events: 0, stacks: 0 });
});

test("plainly is taken, so that the refusals above are about the length alone", async ({ world }) => {
  for (const { path, headers, body } of world.routes()) {
    const plain = { ...headers, "content-length": String(Buffer.byteLength(body)), connection: "close" };
    const [status] = statuses(await world.answered(world.request(path, plain, body)));
    expect([201, 202]).toContain(status);
  }
  expect(await world.effects()).toEqual({ events: 1, stacks: 1 });
});
