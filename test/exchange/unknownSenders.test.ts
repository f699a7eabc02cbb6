/**
 * Deliveries that come to nothing are looked up so often and no more
 * (docs/rules/limits.md#credentials-that-come-to-nothing).
 */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { countStatements } from "../../src/platform/db/statements.ts";
import { makeIntegration } from "../support/scm.ts";
import { type Delivered, ScriptedHost } from "../support/scriptedHost.ts";
import { peopleTest } from "../support/test.ts";

const LIMIT = 20;
const FLOOD = 300;
/** The organization's integrations and their version. */
const READ = 2;
/** Whether it is another organization's. */
const ELSEWHERE = 1;
/** Looks for all that came at once, a few a second. */
const TOGETHER = 10;
const [A, B] = ["a".repeat(40), "b".repeat(40)];

const test = peopleTest({
  env: { SVC_BAD_CREDENTIALS_PER_MINUTE: String(LIMIT), SVC_TRUSTED_PROXIES: "1" },
}).extend("world", { scope: "file" }, async ({ api }, { onCleanup }) => {
  const host = await ScriptedHost.start();
  onCleanup(() => host.stop());
  const orgId = await api.makeOrg();
  const integration = await makeIntegration(api.database, api.keyring, orgId, host);
  const path = (org: string, id: string) => `/api/v1/orgs/${org}/scm-integrations/${id}/webhook`;
  const send = async ({ body, headers }: Delivered, to: string, address: string) =>
    (await api.app.request(to, { method: "POST", body, headers: { ...headers, "x-forwarded-for": address } })).status;
  const flood = async (to: () => string, address: string, signature = `sha256=${"0".repeat(64)}`) => {
    const delivered = host.push("main", A, B, randomUUID());
    const forged = { ...delivered, headers: { ...delivered.headers, "x-hub-signature-256": signature } };
    const answers: number[] = [];
    const { statements } = await countStatements(async () => {
      for (let i = 0; i < LIMIT; i++) answers.push(await send(forged, to(), address));
      answers.push(...(await Promise.all(Array.from({ length: FLOOD }, () => send(forged, to(), address)))));
    });
    return { statements: statements.length, answers: [...new Set(answers)].sort() };
  };
  return { api, host, orgId, own: path(orgId, integration.id), path, send, flood };
});

test("to integrations that there are not: each is looked for once, and beyond a limit all of them together", async ({
  world,
}) => {
  const { flood, orgId, path } = world;
  const gone = path(orgId, randomUUID());
  expect(await flood(() => gone, "198.51.100.1")).toEqual({ statements: READ + ELSEWHERE, answers: [401] });
  const { statements, answers } = await flood(() => path(randomUUID(), randomUUID()), "198.51.100.2");
  expect(statements - LIMIT * (READ + ELSEWHERE)).toBeLessThanOrEqual(TOGETHER);
  expect(answers).toEqual([401, 429]);
});

test("with wrong signatures: so many looks a minute, and what is signed well goes on from the same address", async ({
  world,
}) => {
  const { host, own, send, flood } = world;
  expect(await send(host.push("main", A, B, "known"), own, "192.0.2.1")).toBe(202);
  const { statements, answers } = await flood(() => own, "198.51.100.3");
  expect(statements - LIMIT * READ).toBeLessThanOrEqual(TOGETHER);
  expect(answers).toEqual([401, 429]);
  expect(await send(host.push("main", A, B, "well-signed"), own, "198.51.100.3")).toBe(202);
});

test("what is signed well is taken from the same address also after a start of the process, and after a change", async ({
  world,
}) => {
  const { api, host, path, send, flood } = world;
  await flood(() => path(randomUUID(), randomUUID()), "198.51.100.4");
  const orgId = await api.makeOrg();
  const { id } = await makeIntegration(api.database, api.keyring, orgId, host);
  const push = (delivery: string) => send(host.push("main", A, B, delivery), path(orgId, id), "198.51.100.4");
  // As after a start of the process.
  expect(await push("cold")).toBe(202);
  await api.database.sql`update scm_integrations set priority = priority + 1, updated_at = now() where id = ${id}`;
  expect(await push("edited")).toBe(202);
  // The new secret is not the one that is remembered.
  const other = await makeIntegration(api.database, api.keyring, orgId, host, {
    auth: { kind: "token", token: "t", webhook_secret: "another secret altogether" },
  });
  const signed = host.delivery("push", { ref: "refs/heads/main" }, "new-secret", "another secret altogether");
  expect(await send(signed, path(orgId, other.id), "198.51.100.4")).toBe(202);
  await api.database.sql`update scm_integrations set auth_config = null, updated_at = now() where id = ${id}`;
  expect(await push("without-a-secret")).toBe(401);
});
