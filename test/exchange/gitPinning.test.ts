/** git goes where the check looked: its own look-up of the name, a moment later, is never asked. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GitSettings, resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import { createEgress } from "../../src/platform/egress/egress.ts";
import { COMMIT } from "../support/fixtures.ts";

let server: Server;
let port: number;
let asked: string[];
beforeAll(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url?.split("?")[0]}`);
    if (!request.url?.includes("/info/refs")) response.end("ref: refs/heads/main\n");
    else response.setHeader("content-type", "text/plain").end(`${COMMIT}\trefs/heads/main\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const head = (host: string, checkHost: GitSettings["checkHost"]) =>
  resolveHead(
    { allowProtocol: ["http"], checkHost },
    { orgId: "-", repositoryUrl: `http://${host}:${port}/acme/infra.git`, branch: "main" },
  );

test("a host that may not be called is told like one that is not there, with the setting that opens it", async () => {
  const egress = createEgress({ allow: [], ports: [443] });
  const before = asked.length;
  await expect(head("127.0.0.1", (name, at) => egress.checkHost(name, at ?? 80))).rejects.toMatchObject({
    status: 502,
    code: "repository_unreachable",
    detail: expect.stringContaining("SVC_EGRESS_ALLOW"),
  });
  expect(asked).toHaveLength(before);
  const why = async (host: string) =>
    (await head(host, (name, at) => egress.checkHost(name, at ?? 80)).catch((error) => error)).detail;
  expect(await why("127.0.0.1")).toBe(await why("nowhere.invalid"));
  await egress.close();
});

test("it connects to the address that was checked, for a name that no resolver knows", async () => {
  const { sha } = await head("code.attacker.invalid", async () => ["127.0.0.1"]);
  expect(sha).toBe(COMMIT);
  expect(asked[0]).toBe(`code.attacker.invalid:${port} /acme/infra.git/info/refs`);
});

test("a name that resolves to this machine by then is not followed there", async () => {
  const before = asked.length;
  await expect(head("localhost", async () => ["127.0.0.9"])).rejects.toMatchObject({ code: "repository_unreachable" });
  expect(asked).toHaveLength(before);
});
