/**
 * Where code hosts deliver: answers, signatures, duplicates, other people's repositories, bodies without end
 * (docs/rules/source-control.md).
 */
import { createHmac, randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AuthConfig, sealAuth } from "../../src/exchange/scm/authConfig.ts";
import type { IntegrationRow } from "../../src/exchange/scm/schema.ts";
import { webhookBodies } from "../../src/exchange/scm/webhookBody.ts";
import { countStatements } from "../../src/platform/db/statements.ts";
import { type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import { hostStack, makeIntegration } from "../support/scm.ts";
import { type Delivered, ScriptedHost } from "../support/scriptedHost.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);
const CAP = 100_000;

let api: PeopleApi;
let host: ScriptedHost;
let orgId: string;
let integration: IntegrationRow;

beforeAll(async () => {
  [api, host] = await Promise.all([
    startPeopleApi({ scm: { bodies: webhookBodies(CAP, 400_000, 1_500) } }),
    ScriptedHost.start(),
  ]);
});
afterAll(() => Promise.all([api.close(), host.stop()]));
beforeEach(async () => {
  orgId = await api.makeOrg();
  integration = await makeIntegration(api.database, api.keyring, orgId, host);
  await hostStack(api.database, orgId, host);
});

const path = (org = orgId, id = integration.id) => `/api/v1/orgs/${org}/scm-integrations/${id}/webhook`;
const deliver = ({ body, headers }: Delivered, to = path()) => api.call("POST", to, { body, headers });
const inbox = () => api.database.sql`
  select external_event_id, kind, branch, pr_number, before_sha, after_sha, status from scm_events
  where integration_id = ${integration.id} order by id`;
const resigned = (delivered: Delivered, body: string): Delivered => {
  const signature = createHmac("sha256", host.webhookSecret).update(body).digest("hex");
  return { body, headers: { ...delivered.headers, "x-hub-signature-256": `sha256=${signature}` } };
};

describe("202", () => {
  it("for a push, which is stored with a message to its branch's workflow in one transaction", async () => {
    const answer = await deliver(host.push("main", A, B, "d-1"));
    expect(answer.status).toBe(202);
    expect(await inbox()).toEqual([
      {
        external_event_id: "d-1",
        kind: "push_branch_changed",
        branch: "main",
        pr_number: null,
        before_sha: A,
        after_sha: B,
        status: "pending",
      },
    ]);
    expect(answer.body.event_ids).toHaveLength(1);
    const message = api.service.sent.at(-1);
    expect(message).toMatchObject({ kind: "scmEventArrived", orgId });
    expect(JSON.stringify(message)).not.toMatch(/acme|infra|main/);
  });

  it("again for the same delivery, which is stored once, also when both arrive together", async () => {
    const delivered = host.push("main", A, B, "d-2");
    const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(delivered)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202));
    expect(answers.flatMap(({ body }) => body.event_ids)).toHaveLength(1);
    expect(await inbox()).toHaveLength(1);
  });

  it("for the same delivery id at another integration, which has an inbox of its own", async () => {
    const other = await api.makeOrg();
    const second = await makeIntegration(api.database, api.keyring, other, host);
    await hostStack(api.database, other, host);
    await deliver(host.push("main", A, B, "d-3"));
    expect((await deliver(host.push("main", A, B, "d-3"), path(other, second.id))).body.event_ids).toHaveLength(1);
  });

  it("for what is sent as a form, the default of hosts", async () => {
    const json = host.push("main", A, B).body;
    const delivered = resigned(host.push("main", A, B), new URLSearchParams({ payload: json }).toString());
    delivered.headers["content-type"] = "application/x-www-form-urlencoded";
    expect((await deliver(delivered)).body.event_ids).toHaveLength(1);
  });

  it.each([
    ["ping", "ping", { zen: "x" }],
    ["an event nobody knows", "constructor", {}],
    ["an unknown action", "pull_request", { action: "enqueued", pull_request: { number: 1, base: { ref: "main" } } }],
    ["a merge group", "merge_group", { action: "checks_requested" }],
    ["a tag named like the branch", "push", { ref: "refs/tags/main", before: A, after: B }],
    ["a deleted branch", "push", { ref: "refs/heads/main", before: A, after: "0".repeat(40), deleted: true }],
    ["a branch of no stack", "push", { ref: "refs/heads/feature", before: A, after: B }],
    ["no event type", "", {}],
  ])("for %s, which means nothing and leaves nothing", async (_, event, payload) => {
    const before = api.logged.length;
    expect((await deliver(host.delivery(event, payload))).body).toEqual({ event_ids: [] });
    expect(await inbox()).toEqual([]);
    expect(api.logged.slice(before).filter((line) => Number(line.level) >= 40)).toEqual([]);
  });

  it("for one about a repository that is another integration's or nobody's, without an effect", async () => {
    const foreign = { clone_url: "https://other.example/x/y.git", html_url: "https://other.example/x/y" };
    const payload = { ref: "refs/heads/main", before: A, after: B, repository: foreign };
    expect((await deliver(host.delivery("push", payload))).body.event_ids).toEqual([]);
    await makeIntegration(api.database, api.keyring, orgId, host, { priority: 1 });
    expect((await deliver(host.push("main", A, B))).body.event_ids).toEqual([]);
    expect(await inbox()).toEqual([]);
  });

  it("costs at most 3 statements", async () => {
    await deliver(host.push("main", A, B));
    const { body, headers } = host.push("main", A, B);
    const call = async () => api.app.request(path(), { method: "POST", body, headers });
    const { result, statements } = await countStatements(call);
    expect(result.status).toBe(202);
    expect(statements.length).toBeLessThanOrEqual(3);
  });
});

describe("a change of the integration holds at once, though it was remembered", () => {
  const update = (changes: object) => api.database.sql`
    update scm_integrations set ${api.database.sql({ ...changes, updated_at: new Date() } as never)} where id = ${integration.id}`;
  beforeEach(async () => {
    expect((await deliver(host.push("main", A, B))).body.event_ids).toHaveLength(1);
  });

  it("of its secret", async () => {
    const secret = "the next secret, long enough";
    const auth = { kind: "token", token: "t", webhook_secret: secret } as const;
    await update({ auth_config: await sealAuth(api.keyring, integration.id, auth) });
    expect((await deliver(host.push("main", A, B))).status).toBe(401);
    const payload = { ref: "refs/heads/main", before: A, after: B };
    expect((await deliver(host.delivery("push", payload, "next", secret))).body.event_ids).toHaveLength(1);
  });

  it("of its pattern, and another integration before it", async () => {
    await update({ url_pattern: "nothing" });
    expect((await deliver(host.push("main", A, B))).body.event_ids).toEqual([]);
    await update({ url_pattern: "/acme/" });
    expect((await deliver(host.push("main", A, B))).body.event_ids).toHaveLength(1);
    await makeIntegration(api.database, api.keyring, orgId, host, { priority: 1 });
    expect((await deliver(host.push("main", A, B))).body.event_ids).toEqual([]);
  });

  it("and its end", async () => {
    await api.database.sql`delete from scm_integrations where id = ${integration.id}`;
    expect((await deliver(host.push("main", A, B))).status).toBe(401);
  });
});

describe("401", () => {
  it.each([
    ["no signature", (d: Delivered) => ({ ...d, headers: { ...d.headers, "x-hub-signature-256": "" } })],
    ["another secret", () => host.delivery("push", {}, randomUUID(), "another secret, long enough")],
    ["a changed body", (d: Delivered) => ({ ...d, body: `${d.body} ` })],
    [
      "a SHA-1 signature",
      (d: Delivered) => ({ ...d, headers: { ...d.headers, "x-hub-signature-256": `sha1=${"0".repeat(40)}` } }),
    ],
    [
      "two signatures",
      (d: Delivered) => ({
        ...d,
        headers: {
          ...d.headers,
          "x-hub-signature-256": `${d.headers["x-hub-signature-256"]}, sha256=${"0".repeat(64)}`,
        },
      }),
    ],
  ])("for %s", async (_, change) => {
    const answer = await deliver(change(host.push("main", A, B)));
    expect(answer.status).toBe(401);
    expect(answer.body.code).toBe("not_authenticated");
    expect(await inbox()).toEqual([]);
  });

  it.each<[string, AuthConfig]>([
    ["none", { kind: "token", token: "t" }],
    ["an empty one", { kind: "token", token: "t", webhook_secret: "" }],
  ])("for an integration whose secret is %s, whatever is signed", async (_, auth) => {
    const open = await makeIntegration(api.database, api.keyring, orgId, host, { auth });
    for (const secret of ["", "undefined", "null"]) {
      expect((await deliver(host.delivery("push", {}, "x", secret), path(orgId, open.id))).status).toBe(401);
    }
  });
});

it("404 for what an integration of another organization has signed, and for what is no id", async () => {
  const other = await api.makeOrg();
  for (const to of [path(other), path(randomUUID()), path("x"), path(orgId, "x")]) {
    expect((await deliver(host.push("main", A, B), to)).status).toBe(404);
  }
});

it("whoever has signed for none learns not whether there is one, here or elsewhere", async () => {
  const other = await api.makeOrg();
  const forged = host.delivery("push", {}, "x", "another secret altogether");
  const answers = [];
  // The second time it is answered from memory.
  for (const to of [path(), path(other), path(randomUUID()), path(orgId, randomUUID())]) {
    answers.push(await deliver(forged, to), await deliver(forged, to));
  }
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(401));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

it("400 for what is signed but has no id or is no JSON", async () => {
  const { body, headers } = host.push("main", A, B);
  const { "x-github-delivery": _, ...nameless } = headers;
  expect((await deliver({ body, headers: nameless })).status).toBe(400);
  expect((await deliver({ body, headers: { ...headers, "x-github-delivery": "x".repeat(201) } })).status).toBe(400);
  expect((await deliver(resigned({ body, headers }, "{not json"))).status).toBe(400);
});

describe("413", () => {
  it("at once for a declared length over the cap", async () => {
    expect((await deliver({ ...host.push("main", A, B), body: "x".repeat(CAP + 1) })).status).toBe(413);
  });

  /** Sends chunks without a length until it is answered; how much was taken until then. */
  function endless(): Promise<{ status: number; sent: number }> {
    return new Promise((resolve, reject) => {
      const url = new URL(path(), api.baseUrl);
      const call = httpRequest(url, { method: "POST", headers: { "transfer-encoding": "chunked" } });
      let [sent, answered] = [0, false];
      call.on("response", (answer) => {
        answered = true;
        resolve({ status: answer.statusCode ?? 0, sent });
        call.destroy();
      });
      call.on("error", (error) => answered || reject(error));
      const more = () => {
        if (answered || sent > 100 * 1_048_576) return;
        sent += 10_000;
        call.write("x".repeat(10_000), more);
      };
      more();
    });
  }

  it("as soon as a body without a length passes the cap, before the signature is looked at", async () => {
    const { status, sent } = await endless();
    expect(status).toBe(413);
    // What the sockets of both sides take in on their own is some megabytes.
    expect(sent).toBeLessThan(32 * 1_048_576);
  });

  it("for 100 of them at once, which never hold more than their share of memory; the service goes on", async () => {
    const before = process.memoryUsage().arrayBuffers;
    let highest = 0;
    const watch = setInterval(() => {
      highest = Math.max(highest, process.memoryUsage().arrayBuffers);
    }, 5);
    const answers = await Promise.all(Array.from({ length: 100 }, endless));
    clearInterval(watch);
    for (const { status } of answers) expect([413, 503]).toContain(status);
    expect(highest - before).toBeLessThan(200 * 1_048_576);
    expect((await deliver(host.push("main", A, B))).status).toBe(202);
  });
});

describe("strangers who announce large bodies and send them slowly", () => {
  /** A connection that has sent `sent` of `length` bytes and no more; resolves with the status it is answered. */
  function dawdler(length: number, sent: number): { status: Promise<number>; written: Promise<void>; end(): void } {
    const call = httpRequest(new URL(path(), api.baseUrl), { method: "POST", headers: { "content-length": length } });
    const status = new Promise<number>((resolve) => {
      call.on("response", (answer) => resolve(answer.statusCode ?? 0));
      call.on("error", () => resolve(0));
    });
    const written = new Promise<void>((resolve) => call.write("x".repeat(Math.max(sent, 1)), () => resolve()));
    return { status, written, end: () => call.destroy() };
  }

  const large = () => {
    const delivered = host.push("main", A, B);
    return resigned(delivered, JSON.stringify({ ...JSON.parse(delivered.body), pad: "x".repeat(80_000) }));
  };

  it("keep nobody out by what they announce, nor ordinary deliveries by what they have sent", async () => {
    const announced = Array.from({ length: 30 }, () => dawdler(CAP, 1));
    await Promise.all(announced.map(({ written }) => written));
    expect((await deliver(large())).status).toBe(202);
    const sent = Array.from({ length: 30 }, () => dawdler(CAP, CAP - 1));
    await Promise.all(sent.map(({ written }) => written));
    expect((await deliver(host.push("main", A, B))).status).toBe(202);
    for (const { end } of [...announced, ...sent]) end();
  });

  it("are sent away after a while, and then large deliveries are taken again", async () => {
    const sent = Array.from({ length: 30 }, () => dawdler(CAP, CAP - 1));
    const answers = await Promise.all(sent.map(({ status }) => status));
    expect(new Set(answers)).toEqual(new Set([400, 503]));
    expect((await deliver(large())).status).toBe(202);
    for (const { end } of sent) end();
  });
});
