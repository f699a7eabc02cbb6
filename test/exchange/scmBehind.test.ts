/**
 * A host whose answers are older than its deliveries: nothing that it has told is lost
 * (docs/rules/source-control.md#answers-that-are-older).
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { addEvents, branchKey } from "../../src/exchange/scm/inbox.ts";
import { normalize } from "../../src/exchange/scm/normalize.ts";
import { processBranch } from "../../src/exchange/scm/processBranch.ts";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { unitOfWork } from "../../src/work/unitOfWork.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { makeOrg, type TestService, testService } from "../support/fixtures.ts";
import { previewsOf, requestsOf } from "../support/pullRequests.ts";
import { hostStack, makeIntegration, POLICY, type TestHosts, testHosts } from "../support/scm.ts";
import { type Delivered, ScriptedHost } from "../support/scriptedHost.ts";

let database: TestDatabase;
let host: ScriptedHost;
let hosts: TestHosts;
let service: TestService;
let integration: IntegrationRow;
let stack: string;
let [older, newer, elsewhere] = ["", "", ""];

beforeAll(async () => {
  [database, host] = await Promise.all([freshDatabase(), ScriptedHost.start()]);
  hosts = testHosts(5_000);
  service = testService(database);
  await host.commit({ "network/main.tf": "1" });
  older = await host.commit({ "network/main.tf": "2" }, { branch: "feature" });
  newer = await host.commit({ "network/main.tf": "3" }, { branch: "feature" });
  elsewhere = await host.commit({ "network/main.tf": "4" }, { branch: "forced" });
});
afterAll(async () => {
  await hosts.egress.close();
  await Promise.all([host.stop(), database.close()]);
});
beforeEach(async () => {
  const { orgId } = await makeOrg(database);
  integration = await makeIntegration(database, hosts.keyring, orgId, host);
  stack = await hostStack(database, orgId, host, { working_directory: "network" });
  host.pulls.clear();
});

const show = (sha: string) =>
  host.setPull({ number: 1, base: "main", head: "feature", sha, files: [{ filename: "network/main.tf" }] });

/** A delivery as the host sends it while the request has this head. */
async function deliver(action: string, sha: string): Promise<void> {
  const pull_request = { number: 1, base: { ref: "main" }, head: { sha } };
  await arrive(host.delivery("pull_request", { action, pull_request }));
}
async function arrive({ body, headers }: Delivered): Promise<void> {
  const { events } = normalize(headers["x-github-event"] ?? "", randomUUID(), JSON.parse(body));
  const at = { orgId: integration.orgId, integrationId: integration.id, repositoryKey: host.repositoryKey };
  await unitOfWork(service, (work) => addEvents(work, at, events));
}
async function look(): Promise<string[]> {
  await database.sql`update scm_events set due_at = svc_now() where integration_id = ${integration.id}`;
  const key = branchKey(integration.id, host.repositoryKey, "main");
  await processBranch({ service, hosts: hosts.hosts, policy: POLICY }, key);
  const rows = await database.sql`select status from scm_events where integration_id = ${integration.id} order by id`;
  return rows.map(({ status }) => status);
}
const heads = async () => (await previewsOf(database, stack)).map(({ head }) => head);

it("a new head has its preview, though the host told the old one at first", async () => {
  show(older);
  await deliver("synchronize", newer);
  expect([await look(), await heads()]).toEqual([["failed"], []]);
  const [event] = await database.sql`select last_error from scm_events where integration_id = ${integration.id}`;
  expect(event?.last_error).toContain("older than what it has delivered");
  show(newer);
  expect([await look(), await heads()]).toEqual([["processed"], [newer]]);
});

it("a request that was opened has its preview, though the host did not list it at first", async () => {
  await deliver("opened", newer);
  expect([await look(), await requestsOf(database, stack)]).toEqual([["failed"], []]);
  show(newer);
  expect([await look(), await heads()]).toEqual([["processed"], [newer]]);
});

it("a request that was closed is left, though the host still listed it at first", async () => {
  show(newer);
  await deliver("opened", newer);
  await look();
  await deliver("closed", newer);
  expect([await look(), await requestsOf(database, stack)]).toEqual([["processed", "failed"], [1]]);
  host.pulls.clear();
  expect([await look(), await requestsOf(database, stack)]).toEqual([["processed", "processed"], []]);
});

it("a request that is known is not closed by an answer that is too old to have it", async () => {
  show(older);
  await deliver("opened", older);
  await look();
  host.pulls.clear();
  await deliver("synchronize", newer);
  expect([await look(), await requestsOf(database, stack)]).toEqual([["processed", "failed"], [1]]);
});

it("an answer that is newer is taken at once", async () => {
  show(newer);
  await deliver("synchronize", older);
  expect([await look(), await heads()]).toEqual([["processed"], [newer]]);
});

it("deliveries that keep coming ahead of the host wait once each, and never use up the tries of others", async () => {
  show(older);
  for (let i = 0; i < POLICY.maxAttempts + 2; i++) {
    await deliver("synchronize", newer);
    expect(await look()).toEqual([...Array(i).fill("processed"), "failed"]);
  }
  show(newer);
  expect(new Set(await look())).toEqual(new Set(["processed"]));
  expect(await heads()).toContain(newer);
});

it("a recorded delivery that comes again and again under new ids keeps nobody waiting", async () => {
  show(newer);
  const replay = () => deliver("synchronize", elsewhere);
  await replay();
  expect(await look()).toEqual(["failed"]);
  await deliver("synchronize", newer);
  await replay();
  // The new one is put off with what came beside it, once.
  expect((await look()).slice(1)).toEqual(["failed", "failed"]);
  for (let i = 0; i < 3; i++) {
    await replay();
    expect((await look()).slice(0, 3)).toEqual(["processed", "processed", "processed"]);
    expect(await heads()).toEqual([newer]);
  }
});

it("so does a recorded push", async () => {
  const head = await host.head("main");
  const push = (after: string) => arrive(host.push("main", "0".repeat(40), after, randomUUID()));
  const compared = async () => {
    const [row] = await database.sql`select last_compared_commit from stacks where stack_key = ${stack}`;
    return row?.last_compared_commit;
  };
  await database.sql`update stacks set last_compared_commit = null where stack_key = ${stack}`;
  await push(elsewhere);
  expect([await look(), await compared()]).toEqual([["failed"], null]);
  await push(elsewhere);
  expect([await look(), await compared()]).toEqual([["processed", "failed"], head]);
});

it("a host that stays with its word is believed at the second look", async () => {
  show(newer);
  await deliver("synchronize", elsewhere);
  expect([await look(), await heads()]).toEqual([["failed"], []]);
  expect([await look(), await heads()]).toEqual([["processed"], [newer]]);
});
