/**
 * Everybody changes an organization's settings at once: each call is carried out or refused, none ends in an error of
 * ours.
 */
import { randomInt } from "node:crypto";
import { test as base, expect } from "vitest";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { HEAD } from "../support/cascades.ts";
import { type Caller, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { type Act, idOf, one, storm } from "../support/storm.ts";

const named = () => `n${randomInt(5)}`;
const labels = () => Object.fromEntries(one([[], ["tier"], ["tier", "env"]]).map((key) => [key, named()]));

const test = base
  .extend("api", { scope: "file" }, async ({}, { onCleanup }) => {
    const api: PeopleApi = await startPeopleApi({
      git: { allowProtocol: ["https"], checkHost: async () => {}, headAtHost: async () => HEAD },
      sender: { decide: (_deployment, _kind, decisionId) => carryOutDecision(api.service, decisionId, "api") },
      env: { SVC_EGRESS_ALLOW: "127.0.0.1/32" },
    });
    onCleanup(() => api.close());
    return api;
  })
  .extend("actions", ({ api }) => (org: string): Record<string, Act> => {
    const { sql } = api.database;
    const path = (rest: string) => `/api/v1/orgs/${org}${rest}`;
    const send = (method: string, rest: string, by: Caller, body?: unknown) =>
      api.call(method, path(rest), { ...by, ...(body === undefined ? {} : { body }) });
    const stack = () => idOf(sql`select slug as id from stacks where org_id = ${org} and deleted_at is null`);
    const group = () => idOf(sql`select id from runner_groups where org_id = ${org}`);
    const context = () => idOf(sql`select id from contexts where org_id = ${org}`);
    const host = () => idOf(sql`select id from scm_integrations where org_id = ${org}`);
    const target = () => idOf(sql`select id from notification_integrations where org_id = ${org}`);
    const deployment = async () => {
      const rows = await sql`select d.id, s.slug from deployments d join stacks s on s.stack_key = d.stack_key
        where s.org_id = ${org} and s.deleted_at is null order by d.created_at desc limit 8`;
      const { id, slug } = one([...rows, { id: "none", slug: "none" }]);
      return `/stacks/${slug}/deployments/${id}`;
    };
    const contextBody = () => ({
      name: named(),
      selector: labels(),
      variables: [{ name: "A", value: named(), secret: one([true, false]) }],
    });
    const stackBody = () => ({
      name: named(),
      repository_url: "https://git.example/r",
      branch: "main",
      labels: labels(),
      authz_groups: one([[], ["prod"]]),
    });
    const hostBody = () => ({ name: named(), url_pattern: "^https://git\\.example/" });
    const targetBody = () => ({
      name: named(),
      events: ["stack_created"],
      auth_config: { url: "http://127.0.0.1:9/" },
    });
    return {
      protectLabels: (by) =>
        send("PUT", "/config/protected-labels", by, { keys: one([[], ["tier"], ["tier", "env"]]) }),
      createContext: (by) => send("POST", "/contexts", by, contextBody()),
      replaceContext: async (by) => send("PUT", `/contexts/${await context()}`, by, contextBody()),
      deleteContext: async (by) => send("DELETE", `/contexts/${await context()}`, by),
      createStack: (by) => send("POST", "/stacks", by, stackBody()),
      replaceStack: async (by) => send("PUT", `/stacks/${await stack()}`, by, stackBody()),
      renameStack: async (by) => send("PATCH", `/stacks/${await stack()}`, by, { name: named(), labels: labels() }),
      deleteStack: async (by) => send("DELETE", `/stacks/${await stack()}?force=true`, by),
      hold: async (by) => send("POST", `/stacks/${await stack()}/hold`, by, { reason: "freeze" }),
      release: async (by) => send("POST", `/stacks/${await stack()}/release`, by),
      plan: async (by) => send("POST", `/stacks/${await stack()}/deployments`, by, { mode: "plan" }),
      cancel: async (by) => send("POST", `${await deployment()}/cancel`, by, {}),
      skip: async (by) => send("POST", `${await deployment()}/skip`, by),
      retry: async (by) => send("POST", `${await deployment()}/retry`, by),
      prioritize: async (by) => send("POST", `${await deployment()}/${one(["prioritize", "deprioritize"])}`, by),
      createGroup: (by) => send("POST", "/runner-groups", by, { name: named(), labels: labels() }),
      replaceGroup: async (by) =>
        send("PUT", `/runner-groups/${await group()}`, by, { name: named(), labels: labels() }),
      deleteGroup: async (by) => send("DELETE", `/runner-groups/${await group()}`, by),
      rotateKey: async (by) => send("POST", `/runner-groups/${await group()}/rotate-key`, by),
      defaultGroup: async (by) => send("PATCH", "", by, { default_runner_group_id: one([null, await group()]) }),
      createHost: (by) => send("POST", "/scm-integrations", by, hostBody()),
      replaceHost: async (by) => send("PUT", `/scm-integrations/${await host()}`, by, hostBody()),
      deleteHost: async (by) => send("DELETE", `/scm-integrations/${await host()}`, by),
      createTarget: (by) => send("POST", "/notification-integrations", by, targetBody()),
      replaceTarget: async (by) => send("PUT", `/notification-integrations/${await target()}`, by, targetBody()),
      deleteTarget: async (by) => send("DELETE", `/notification-integrations/${await target()}`, by),
    };
  });

test("none of 3,000 calls that meet each other ends in an error", { timeout: 240_000 }, async ({ api, actions }) => {
  const org = await api.makeOrg();
  const people = await Promise.all([1, 2, 3].map(() => api.makeUser({ orgs: [org], grants: [["*", "*"]] })));
  await storm(api, people, actions(org), 3_000);
  const held = await api.database.sql`select from deployments d join stacks s on s.stack_key = d.stack_key
    where s.org_id = ${org} and s.deleted_at is not null and d.status in ('queued', 'pending', 'waiting')`;
  expect(held).toHaveLength(0);
});
