/**
 * Every writing route of the published document, called so that it succeeds: each leaves one entry of who called in
 * the audit trail, and the ones that are named below a line in the `deployment-audit` channel. A new route fails here
 * until it does.
 */
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { carryOutDecision } from "../../src/core/deployments/transitions/decide.ts";
import { carryOutBatch } from "../../src/core/deployments/transitions/decideMany.ts";
import { refreshInbox } from "../../src/exchange/scm/inbox.ts";
import { decideByOperator } from "../../src/main/operator/decide.ts";
import { ACCESS } from "../support/accessTable.ts";
import { everything, type Ids } from "../support/accessWorld.ts";
import { PREPARED } from "../support/auditedCalls.ts";
import { HEAD } from "../support/cascades.ts";
import { ACTOR, create, decide } from "../support/fixtures.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";

/** Routes that leave none, with the reason. */
const NO_ENTRY: Record<string, string> = {
  signOut: "ends the caller's own session only",
  startLinking: "begins at a provider and stores nothing of it; what is agreed to later has its entry",
  unlinkIdentity: "its entries are in several trails, which test/people/identities.test.ts reads",
  confirmSignIn: "its entries are in several trails, which test/people/signInConsent.test.ts reads",
  acceptMembershipOffer: "its entry is in the trail of the organization that is joined, see proofAndConsent.test.ts",
  declineMembershipOffer: "the organization learns nothing of whom its rule has met",
  beginDeviceLogin: "nobody is known yet; whoever answers leaves an entry",
  collectDeviceToken: "its entry is of the person who agreed, which test/people/deviceLogin.test.ts reads",
  declineSignIn: "throws away what the caller was asked, and changes nothing",
  testPolicy: "stores nothing",
  testIdentitySource: "asks the provider and changes nothing",
  deliverWebhook: "no person: a code host, authenticated by its signature, with the inbox as its trail",
  ...Object.fromEntries(
    [
      "heartbeat",
      "reportDispatchFailed",
      "runnerReady",
      "deregisterRunner",
      "acceptRun",
      "acknowledgeCancel",
      "reportRunDone",
      "pushLiveLog",
      "sealLogChunk",
      "uploadArtifact",
      "storeOutputs",
      "takeInputs",
      "renewIdentities",
      "writeRunState",
      "deleteRunState",
      "lockRunState",
      "unlockRunState",
    ].map((id) => [id, "a runner reports facts; the run's rows and events are their trail"]),
  ),
};

/** What the `deployment-audit` channel hears (docs/rules/transitions.md#the-audit-channel). */
const CHANNEL: Record<string, string> = {
  runCommand: "run_command",
  confirmDeployment: "confirm_apply",
  cancelDeployment: "cancel",
  cancelDeployments: "cancel",
  skipDeployment: "skip",
  skipDeployments: "skip",
};

type Operation = { id: string; method: string; path: string };

async function writingOperations(): Promise<Operation[]> {
  const document = JSON.parse(await readFile(new URL("../../docs/openapi.json", import.meta.url), "utf8"));
  return Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => ["post", "put", "patch", "delete"].includes(method))
        .map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
  );
}

const operations = await writingOperations();
const audited = operations.filter(({ id }) => !Object.hasOwn(NO_ENTRY, id));

let api: PeopleApi;
beforeAll(async () => {
  api = await startPeopleApi({
    git: { allowProtocol: ["https"], checkHost: async () => {}, headAtHost: async () => HEAD },
    pullRequests: { host: { standing: async () => ({ relation: "ahead" }) }, inbox: refreshInbox },
    sender: {
      decide: (_deployment, _kind, decisionId) => carryOutDecision(api.service, decisionId, "api"),
      decideMany: (batchId) => carryOutBatch(api.service, batchId),
    },
    env: { SVC_EGRESS_ALLOW: "127.0.0.1/32" },
    txt: async () => ["organization-proof=known"],
  });
});
afterAll(() => api.close());

async function entries(orgId: string, caller: string) {
  return api.database.sql`
    select id, action, actor_id, resource_id, resource_type, details from audit_log
    where actor_id = ${caller} and (org_id = ${orgId} or org_id is null) order by id`;
}

const linesOf = (lines: readonly object[]) => lines.map((line) => (line as { action: string }).action);

test("the reasons are for routes that exist", () => {
  const known = operations.map(({ id }) => id);
  expect(
    [...Object.keys(NO_ENTRY), ...Object.keys(PREPARED), ...Object.keys(CHANNEL)].filter((id) => !known.includes(id)),
  ).toEqual([]);
});

describe.each(audited)("$method $path", ({ id, method, path }) => {
  test(`${id} leaves one entry of its caller`, async () => {
    const own = await everything(api);
    const caller = await api.makeUser({ superAdmin: true, orgs: [own.org_id!], grants: [["*", "*"]] });
    const prepared = await PREPARED[id]?.(api, own, caller);
    const ids: Ids = { ...own, ...prepared?.ids };
    const entry = ACCESS[`${method} ${path.replace(/\{(\w+)\}/g, ":$1")}`];
    const body = prepared?.body ?? entry?.body?.({ own, other: own, missing: own }, 1);
    const before = (await entries(own.org_id!, caller.user)).length;
    const lines = api.service.audited.length;
    const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(ids[key] ?? ""));
    const answer = await api.call(method, filled + (prepared?.query ?? ""), {
      ...caller,
      ...(body === undefined ? {} : { body }),
      ...(prepared?.headers && { headers: prepared.headers }),
    });
    expect([answer.status < 300, answer.text.slice(0, 400)]).toEqual([true, expect.anything()]);
    // A new organization's entry is its own.
    const orgId = id === "createOrganization" ? answer.body.id : own.org_id;
    const left = (await entries(orgId, caller.user)).slice(id === "createOrganization" ? 0 : before);
    expect(left).toEqual([
      expect.objectContaining({ actor_id: caller.user, action: expect.stringMatching(/^[a-z_]+\.[a-z_]+$/) }),
    ]);
    // A decision about a deployment is a row of its activity log too, whichever route it came by.
    const activity = await api.database.sql`select e.kind from deployment_events e where e.actor_id = ${caller.user}`;
    expect(activity.length).toBe(left[0]?.action.startsWith("deployment.") ? 1 : 0);
    // The protected labels are one set, the organization's.
    if (id !== "replaceProtectedLabels") expect(left[0]?.resource_id).toMatch(/./);
    expect(linesOf(api.service.audited.slice(lines))).toEqual(CHANNEL[id] ? [CHANNEL[id]] : []);
  });
});

describe("the deployment-audit channel", () => {
  const made = async () => {
    const ids = await everything(api);
    return { ids, deployment: ids.id! };
  };
  const since = async (act: () => Promise<unknown>) => {
    const before = api.service.audited.length;
    await act();
    return api.service.audited.slice(before);
  };

  test("hears of a request to cancel once, and again when it is forced, with who asked", async () => {
    const { ids, deployment } = await made();
    const cancel = () => decide(api.service, api.database, deployment, "cancel");
    const line = { action: "cancel", deploymentId: deployment, orgId: ids.org_id, actorId: ACTOR.id };
    expect(await since(cancel)).toEqual([{ ...line, actorKind: ACTOR.kind, force: false }]);
    expect(await since(cancel)).toEqual([]);
  });

  test("hears of what a stack's forced deletion cancels", async () => {
    const { ids, deployment } = await made();
    const caller = await api.makeUser({ orgs: [ids.org_id!], grants: [["*", "*"]] });
    const path = `/api/v1/orgs/${ids.org_id}/stacks/${ids.stack_id}`;
    const lines = await since(async () => {
      expect((await api.call("DELETE", `${path}?force=true`, caller)).status).toBe(204);
    });
    expect(lines).toEqual([
      expect.objectContaining({ action: "cancel", deploymentId: deployment, actorId: caller.user }),
    ]);
  });

  test("hears of a skip that is a person's, not of prioritizing nor of what nobody asked for", async () => {
    const { ids, deployment } = await made();
    const [stack] = await api.database.sql`select stack_key from deployments where id = ${deployment}`;
    const queued = await create(api.service, stack?.stack_key, { actor: null });
    expect(await since(() => decide(api.service, api.database, queued, "prioritize"))).toEqual([]);
    const [line] = await since(() => decide(api.service, api.database, queued, "skip"));
    expect(line).toMatchObject({ action: "skip", deploymentId: queued, orgId: ids.org_id });
  });
});

test("what an operator decides at the command line is in the channel, the activity log and the audit trail", async () => {
  const { id, org_id } = await everything(api);
  const lines: string[] = [];
  const write = console.error;
  console.error = (line: string) => void lines.push(line);
  try {
    await decideByOperator(api.database.db, api.service.timeouts, id!, "cancel", false);
  } finally {
    console.error = write;
  }
  const actorId = expect.stringMatching(/^operator:/);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      channel: "deployment-audit",
      action: "cancel",
      deploymentId: id,
      orgId: org_id,
      actorId,
      actorKind: "operator",
      force: false,
    },
  ]);
  const of = await api.database
    .sql`select action, actor_id from audit_log where resource_id = ${id!} and actor_kind = 'operator'`;
  expect(of).toEqual([{ action: "deployment.cancel", actor_id: actorId }]);
});

test("what belongs to no organization is read by super-admins, and by nobody else", async () => {
  const operator = await api.makeUser({ superAdmin: true });
  const { user } = await api.makeUser();
  await api.call("POST", `/api/v1/users/${user}/disable`, operator);
  await api.call("POST", `/api/v1/users/${user}/enable`, operator);
  const read = (query: string, by: object) => api.call("GET", `/api/operator/v1/audit-log${query}`, by);
  const all = await read(`?resource_id=${encodeURIComponent(user)}`, operator);
  expect(all.body.items.map((entry: { action: string }) => entry.action)).toEqual(["user.enable", "user.disable"]);
  const first = await read("?limit=1&action=user.disable,user.enable", operator);
  expect(first.body.items[0].action).toBe("user.enable");
  const next = await read(`?limit=1&action=user.disable,user.enable&cursor=${first.body.next_cursor}`, operator);
  expect(next.body.items[0].action).toBe("user.disable");
  const [org] = await api.database.sql`select org_id from audit_log where org_id is not null limit 1`;
  expect(org).toBeDefined();
  expect((await read("?limit=200", operator)).text).not.toContain("deployment.");
  const admin = await api.makeUser({ orgs: [await api.makeOrg()], grants: [["*", "*"]] });
  expect((await read("", admin)).status).toBe(403);
  expect((await read("?format=jsonl", operator)).status).toBe(422);
});
