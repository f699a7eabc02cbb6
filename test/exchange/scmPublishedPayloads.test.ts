/**
 * Every payload that the code host publishes as an example, whole, signed and delivered over HTTP
 * (docs/rules/source-control.md#what-a-delivery-means).
 */
import { createHmac, randomUUID } from "node:crypto";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { afterAll, beforeAll, expect, it } from "vitest";
import { branchKey } from "../../src/exchange/scm/inbox.ts";
import { normalize } from "../../src/exchange/scm/normalize.ts";
import { processBranch } from "../../src/exchange/scm/processBranch.ts";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { hostStack, makeIntegration, POLICY, type TestHosts, testHosts } from "../support/scm.ts";
import { ScriptedHost } from "../support/scriptedHost.ts";

const published = (examples as unknown as { default?: unknown }).default ?? examples;
const REPOSITORY = "Codertocat/Hello-World";

let api: PeopleApi;
let host: ScriptedHost;
let hosts: TestHosts;
let orgId: string;
let integration: IntegrationRow;
/** As they are published, but for the host's own address. */
let deliveries: { event: string; id: string; body: string }[];

beforeAll(async () => {
  [api, host] = await Promise.all([startPeopleApi(), ScriptedHost.start()]);
  hosts = testHosts(2_000, api.keyring);
  // The examples' repository exists there, without branches or pull requests.
  host.script = ({ path }) => {
    const part = path.toLowerCase().replace(`/repos/${REPOSITORY}`.toLowerCase(), "");
    if (part === "/pulls") return { status: 200, body: [] };
    return part.startsWith("/branches/") ? { status: 404, body: { message: "Branch not found" } } : undefined;
  };
  orgId = await api.makeOrg();
  integration = await makeIntegration(api.database, api.keyring, orgId, host, { urlPattern: `/${REPOSITORY}` });
  deliveries = (published as { name: string; examples: object[] }[]).flatMap(({ name, examples: payloads }) =>
    payloads.map((payload) => ({
      event: name,
      id: randomUUID(),
      body: JSON.stringify(payload).replaceAll("https://github.com/", `${host.url}/`),
    })),
  );
});
afterAll(async () => {
  await hosts.egress.close();
  await Promise.all([host.stop(), api.close()]);
});

it("are all 202, each that concerns a stack is in the inbox once, and all of it is worked through", async () => {
  const meant = deliveries.flatMap(({ event, id, body }) => {
    const { repositoryUrls, events } = normalize(event, id, JSON.parse(body));
    return repositoryUrls.some((url) => url.includes(`/${REPOSITORY}`)) ? events : [];
  });
  const branches = [...new Set(meant.map(({ branch }) => branch))];
  for (const branch of branches) {
    await hostStack(api.database, orgId, host, {
      branch,
      repository_url: `${host.url}/${REPOSITORY}.git`,
      working_directory: "network",
    });
  }
  const logged = api.logged.length;
  for (const { event, id, body } of [...deliveries, ...deliveries]) {
    const answer = await api.call("POST", `/api/v1/orgs/${orgId}/scm-integrations/${integration.id}/webhook`, {
      body,
      headers: {
        "content-type": "application/json",
        "x-github-event": event,
        "x-github-delivery": id,
        "x-hub-signature-256": `sha256=${createHmac("sha256", host.webhookSecret).update(body).digest("hex")}`,
      },
    });
    expect([event, answer.status]).toEqual([event, 202]);
  }
  const stored = await api.database.sql`select external_event_id as id from scm_events where org_id = ${orgId}`;
  expect(meant.length).toBeGreaterThan(10);
  expect(stored.map(({ id }) => id).sort()).toEqual(meant.map(({ externalId }) => externalId).sort());
  const key = `${new URL(host.url).hostname}/${REPOSITORY.toLowerCase()}`;
  for (const branch of branches) {
    const deps = { service: api.service, hosts: hosts.hosts, policy: POLICY };
    // What the host lacks of its own deliveries is looked for once more.
    await processBranch(deps, branchKey(integration.id, key, branch));
    await api.database.sql`update scm_events set due_at = svc_now() where org_id = ${orgId}`;
    expect(await processBranch(deps, branchKey(integration.id, key, branch))).toEqual({ open: 0, nextMs: null });
  }
  expect(await api.database.sql`select distinct status from scm_events where org_id = ${orgId}`).toEqual([
    { status: "processed" },
  ]);
  expect(api.logged.slice(logged).filter(({ level }) => Number(level) >= 40)).toEqual([]);
});
