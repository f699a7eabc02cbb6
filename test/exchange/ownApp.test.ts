/** An organization of the code host is proven by its own installed app (docs/rules/sign-in.md#rules-need-proof). */
import { expect } from "vitest";
import { ownsThroughApp } from "../../src/exchange/scm/host/ownApp.ts";
import { makeIntegration } from "../support/scm.ts";
import { test } from "../support/scmHostTest.ts";
import type { HostReply } from "../support/scriptedHost.ts";

const ACME = { login: "acme", type: "Organization" };
const app = (owner: object): HostReply => ({ status: 200, body: { id: 1, slug: "deploy", owner } });
const installed = (account: object, more: object = {}): HostReply => ({
  status: 200,
  body: { id: 7, account, ...more },
});
const nowhere: HostReply = { status: 404, body: { message: "Not Found" } };

const CASES: [what: string, owner: HostReply, installation: HostReply, proven: boolean][] = [
  ["its own app, installed", app(ACME), installed(ACME), true],
  ["its own app, installed nowhere", app(ACME), nowhere, false],
  ["its own app, suspended", app(ACME), installed(ACME, { suspended_at: "2026-01-01T00:00:00Z" }), false],
  ["an app of others that it has installed", app({ login: "vendor", type: "Organization" }), installed(ACME), false],
  ["an app of a person of that name", app({ login: "acme", type: "User" }), installed(ACME), false],
  ["an answer about somebody else", app(ACME), installed({ login: "ACME", type: "Organization" }), false],
  ["an answer that makes no sense", app(ACME), { status: 200, body: [] }, false],
  ["a key that the host does not know", { status: 401, body: { message: "bad JWT" } }, installed(ACME), false],
];

test.for(CASES)("%s", async ([, owner, installation, proven], { world, database, hosts }) => {
  const { host, orgId, appAuth } = world;
  await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
  const signed: string[] = [];
  host.script = ({ path, authorization }) => {
    signed.push(authorization);
    if (path === "/app") return owner;
    return path === "/orgs/acme/installation" ? installation : undefined;
  };
  const deps = { db: database.db, keyring: hosts.keyring, egress: hosts.egress };
  expect(await ownsThroughApp(deps, host.apiUrl, orgId, "acme")).toBe(proven);
  for (const one of signed) expect(one).toMatch(/^bearer ey/);
});

test("an app at another host, and a token, are not asked at all", async ({ world, database, hosts }) => {
  const { host, orgId, appAuth } = world;
  const deps = { db: database.db, keyring: hosts.keyring, egress: hosts.egress };
  host.script = ({ path }) => (path === "/app" ? app(ACME) : installed(ACME));
  await makeIntegration(database, hosts.keyring, orgId, host);
  expect(await ownsThroughApp(deps, host.apiUrl, orgId, "acme")).toBe(false);
  await makeIntegration(database, hosts.keyring, orgId, host, { auth: appAuth() });
  host.requests.length = 0;
  expect(await ownsThroughApp(deps, "https://api.github.com", orgId, "acme")).toBe(false);
  expect(host.requests).toHaveLength(0);
  expect(await ownsThroughApp(deps, host.apiUrl, orgId, "acme")).toBe(true);
});
