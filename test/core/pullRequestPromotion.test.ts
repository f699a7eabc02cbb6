/**
 * The routes of a stack's pull requests: list, refresh, promote; and what retry says of previews
 * (docs/source-control.md#promotion).
 */
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { CommitHost } from "../../src/core/pullRequests/host.ts";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { claim, makeOrg } from "../support/fixtures.ts";
import { type Grant, type PeopleApi, startPeopleApi } from "../support/peopleApi.ts";
import {
  previewsOf,
  pullRequest,
  REPOSITORY,
  requestStack,
  type StatedHost,
  sha,
  statedHost,
} from "../support/pullRequests.ts";

let api: PeopleApi;
let host: StatedHost;
let orgId: string;
let groupId: string;
let token: string;
/** What the host says of two commits; ahead where a test says nothing. */
let standing: CommitHost["standing"];
const commits: CommitHost = { standing: (...asked) => standing(...asked) };
/** Inserts the row as a delivery's would be; the integration's own lookup is not this test's. */
let integration: string | null;

beforeAll(async () => {
  api = await startPeopleApi({
    pullRequests: {
      host: commits,
      inbox: async ({ tx }, stack) => {
        if (integration === null) return null;
        const [row] = await tx.execute<{ id: string }>(sql`
          insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch)
          values (${stack.orgId}, ${integration}, gen_random_uuid()::text, 'pr_refresh_requested', ${stack.repositoryKey}, ${stack.branch})
          returning id`);
        return row?.id ?? null;
      },
    },
  });
});
afterAll(() => api.close());
beforeEach(async () => {
  host = statedHost();
  standing = async () => ({ relation: "ahead" });
  integration = null;
  ({ orgId, groupId } = await makeOrg(api.database));
  ({ token } = await account([
    ["stack", "read"],
    ["stack", "deploy"],
    ["stack", "preview"],
  ]));
});

const account = (grants: Grant[]) => api.makeAccount(orgId, grants);
const sync = () => syncPullRequests(api.service, host, { orgId, repositoryKey: REPOSITORY, branch: "main" }, null);

async function stackOf(directory: string, settings: object = {}): Promise<{ key: string; path: string }> {
  const key = await requestStack(api.database, orgId, directory, { pr_plan_mode: "auto", ...settings });
  const [row] = await api.database.sql`select slug from stacks where stack_key = ${key}`;
  return { key, path: `/api/v1/orgs/${orgId}/stacks/${row?.slug}/pull-requests` };
}

async function accepted(deploymentId: string): Promise<() => Promise<unknown>> {
  const { runId, runnerId } = await claim(api.database, { orgId, groupId }, deploymentId);
  await acceptRun(api.service, runId, runnerId);
  const plan_summary = { has_changes: false, counts: null, gaps: [] };
  return () => reportDone(api.service, runId, runnerId, { status: "success", plan_summary });
}

/** Run the newest preview of the stack to its end. */
async function finishPreview(key: string): Promise<string> {
  const id = (await previewsOf(api.database, key)).at(-1)?.id ?? "";
  await (await accepted(id))();
  return id;
}

const promoted = (key: string) => api.database.sql`
  select id, commit_sha, origin_head_sha, origin_pr_number, created_by, mode from deployments
  where stack_key = ${key} and origin_type = 'promoted_pull_request' order by created_at`;

describe("promote", () => {
  it("deploys exactly the reviewed head, once", async () => {
    const { key, path } = await stackOf("network");
    host.set(pullRequest(1));
    await sync();
    expect((await api.call("POST", `${path}/1/promote`, { token })).body).toMatchObject({
      status: 409,
      code: "preview_not_finished",
    });
    await finishPreview(key);
    const answer = await api.call("POST", `${path}/1/promote`, { token, headers: { "idempotency-key": "k" } });
    expect([answer.status, answer.body]).toMatchObject([
      201,
      {
        commit_sha: sha(1),
        origin_head_sha: sha(1),
        origin_type: "promoted_pull_request",
        origin_pr_number: 1,
        mode: "plan",
        status: "pending",
      },
    ]);
    const again = await api.call("POST", `${path}/1/promote`, { token, headers: { "idempotency-key": "k" } });
    expect(again.body).toEqual(answer.body);
    // At that commit already.
    expect((await api.call("POST", `${path}/1/promote`, { token })).status).toBe(409);
    expect(await promoted(key)).toHaveLength(1);
  });

  it("waits for the preview of a new head", async () => {
    const { key, path } = await stackOf("network");
    host.set(pullRequest(2));
    await sync();
    const ends = await accepted((await previewsOf(api.database, key))[0]?.id ?? "");
    host.set(pullRequest(2, { headSha: sha(22) }));
    await sync();
    expect((await api.call("POST", `${path}/2/promote`, { token })).status).toBe(409);
    await ends();
    expect((await api.call("POST", `${path}/2/promote`, { token })).status).toBe(409);
    await finishPreview(key);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["cancelled", "finished"]);
    expect((await api.call("POST", `${path}/2/promote`, { token })).body).toMatchObject({ origin_head_sha: sha(22) });
  });

  it("is refused for unmet requirements, even when the host cannot say", async () => {
    const { key, path } = await stackOf("network", { pr_requirements: { promote: ["approved", "checks_passed"] } });
    host.set(pullRequest(3, { approved: true, checksPassed: null }));
    await sync();
    await finishPreview(key);
    const refused = await api.call("POST", `${path}/3/promote`, { token });
    expect([refused.status, refused.body]).toMatchObject([409, { code: "requirements_not_met" }]);
    expect(refused.body.detail).toMatch(/: checks_passed\.$/);
    expect((await api.call("GET", path, { token })).body.items[0]).toMatchObject({
      unmet_requirements: ["checks_passed"],
    });
    host.set(pullRequest(3, { approved: true, checksPassed: true }));
    await sync();
    expect((await api.call("POST", `${path}/3/promote`, { token })).status).toBe(201);
  });

  it("is refused when the stack is past that commit, and 404 when the request does not touch it", async () => {
    const { key, path } = await stackOf("network");
    const other = await stackOf("dns");
    host.set(pullRequest(4));
    await sync();
    await finishPreview(key);
    await api.database.sql`
      insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
      select org_id, stack_key, 'plan', 'queued', repository_url, branch, working_directory, tool, ${sha(99)} from stacks where stack_key = ${key}`;
    standing = async (_repository, commit, stackCommit) => ({
      relation: commit === sha(4) && stackCommit === sha(99) ? "contained" : "ahead",
    });
    expect((await api.call("POST", `${path}/4/promote`, { token })).status).toBe(409);
    standing = async () => ({ relation: "ahead" });
    expect((await api.call("POST", `${path}/4/promote`, { token })).status).toBe(201);
    for (const number of ["4", "0", "x", "99999999999"]) {
      expect((await api.call("POST", `${other.path}/${number}/promote`, { token })).status).toBe(404);
    }
    const { token: reader } = await account([["stack", "read"]]);
    expect((await api.call("POST", `${path}/4/promote`, { token: reader })).status).toBe(404);
  });

  it.each<[string, object, number]>([
    ["what promotion requires", { pr_requirements: { promote: ["approved"] } }, 409],
    ["its directory", { working_directory: "edge" }, 409],
    ["its branch", { branch: "next" }, 404],
    ["its repository", { repository_url: "https://git.example/acme/other.git" }, 404],
  ])("counts %s as it is once the host has answered", async (_, change, expected) => {
    const { key, path } = await stackOf("network");
    const { token: owner } = await account([["stack", "*"]]);
    host.set(pullRequest(8, { paths: ["network/main.tf", "edge/main.tf"] }));
    await sync();
    await finishPreview(key);
    await api.database.sql`
      insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
      select org_id, stack_key, 'plan', 'queued', repository_url, branch, working_directory, tool, ${sha(99)} from stacks where stack_key = ${key}`;
    standing = async () => {
      const body = change;
      expect((await api.call("PATCH", path.replace("/pull-requests", ""), { token: owner, body })).status).toBe(200);
      return { relation: "ahead" };
    };
    expect((await api.call("POST", `${path}/8/promote`, { token })).status).toBe(expected);
    expect(await promoted(key)).toEqual([]);
  });

  it("B's finished preview is not promotable once the new head leaves B alone", async () => {
    const { key, path } = await stackOf("b");
    host.set(pullRequest(5, { paths: ["a/x", "b/x"] }));
    await sync();
    await finishPreview(key);
    host.set(pullRequest(5, { paths: ["a/x"], headSha: sha(55) }));
    await sync();
    expect((await api.call("POST", `${path}/5/promote`, { token })).status).toBe(404);
    expect((await api.call("GET", path, { token })).body.items).toEqual([]);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished"]);
  });

  it("races the preview's end and a new head: a success is of a finished preview's head, a refusal made nothing", async () => {
    const counts: Record<number, number> = {};
    for (let round = 0; round < 200; round++) {
      const { key, path } = await stackOf(`r${round}`);
      const number = 1_000 + round;
      const paths = [`r${round}/x`];
      host.set(pullRequest(number, { paths }));
      await sync();
      const ends = await accepted((await previewsOf(api.database, key))[0]?.id ?? "");
      const move = () => {
        host.set(pullRequest(number, { paths, headSha: sha(number * 2) }));
        return sync();
      };
      const racers = [
        ends,
        () => api.call("POST", `${path}/${number}/promote`, { token }),
        ...(round % 2 ? [move] : []),
      ];
      if (round % 3 === 0) racers.reverse();
      if (round % 4 === 0) await racers.shift()?.();
      const answers = await Promise.all(racers.map((racer) => racer()));
      const answer = answers.find(
        (a): a is Awaited<ReturnType<PeopleApi["call"]>> => typeof a === "object" && a !== null && "headers" in a,
      );
      const made = await promoted(key);
      const previews = await previewsOf(api.database, key);
      host.close(number);
      if (answer === undefined) continue;
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
      if (answer.status === 201) {
        expect(made).toHaveLength(1);
        expect(previews.find(({ head }) => head === made[0]?.commit_sha)?.status).toBe("finished");
      } else {
        expect([answer.status, made]).toEqual([409, []]);
      }
    }
    expect(counts[201]).toBeGreaterThan(0);
    expect(counts[409]).toBeGreaterThan(0);
  });
});

describe("retry of a preview", () => {
  const retry = (path: string, id: string) =>
    api.call("POST", `${path.replace("pull-requests", "deployments")}/${id}/retry`, { token });
  /** Retries of a commit deployed a moment ago are refused for that alone. */
  const later = () => api.database.advanceClock(6_000);

  it("makes the pull request's latest again, and only from the latest", async () => {
    const { key, path } = await stackOf("network");
    host.set(pullRequest(6));
    await sync();
    const first = await finishPreview(key);
    await later();
    api.service.sent.length = 0;
    const second = await retry(path, first);
    expect([second.status, second.body]).toMatchObject([
      201,
      { origin_pr_number: 6, origin_head_sha: sha(6), mode: "plan_unlocked" },
    ]);
    expect((await api.call("GET", path, { token })).body.items[0]).toMatchObject({
      latest_deployment_id: second.body.id,
    });
    expect(api.service.sent).toContainEqual(
      expect.objectContaining({ kind: "signalPreview", stackKey: key, number: 6, signal: "deploymentChanged" }),
    );
    await finishPreview(key);
    await later();
    expect((await retry(path, first)).status).toBe(409);
    host.set(pullRequest(6, { headSha: sha(66) }));
    await sync();
    await later();
    expect((await retry(path, second.body.id)).status).toBe(409);
  });

  it("is refused when the pull request is closed, and so is a promoted one's", async () => {
    const { key, path } = await stackOf("network");
    host.set(pullRequest(7));
    await sync();
    const preview = await finishPreview(key);
    const { body } = await api.call("POST", `${path}/7/promote`, { token });
    await (await accepted(body.id))();
    host.close(7);
    await sync();
    await later();
    expect((await retry(path, preview)).status).toBe(409);
    expect((await retry(path, body.id)).status).toBe(409);
  });
});

describe("refresh", () => {
  it("is taken into the inbox and shown until it is done", async () => {
    const { path } = await stackOf("network");
    expect((await api.call("POST", `${path}/refresh`, { token })).status).toBe(409);
    const [row] = await api.database.sql`
      insert into scm_integrations (org_id, name, url_pattern) values (${orgId}, 'host', '.*') returning id`;
    integration = row?.id;
    const idle = await api.call("GET", `${path}/refresh`, { token });
    expect([idle.status, idle.body]).toEqual([200, null]);
    const answer = await api.call("POST", `${path}/refresh`, { token });
    expect([answer.status, answer.body]).toEqual([202, { event_id: expect.any(String) }]);
    expect((await api.call("GET", `${path}/refresh`, { token })).body).toMatchObject({
      id: answer.body.event_id,
      status: "pending",
      attempts: 0,
      last_error: null,
    });
    await api.database.sql`update scm_events set status = 'processed', processed_at = svc_now()`;
    expect((await api.call("GET", `${path}/refresh`, { token })).body).toBeNull();
    const { token: reader } = await account([["stack", "read"]]);
    expect((await api.call("POST", `${path}/refresh`, { token: reader })).status).toBe(404);
  });
});

describe("a stack whose code comes from elsewhere", () => {
  const change = async (path: string, body: object) => {
    const { token: owner } = await account([["stack", "*"]]);
    const answer = await api.call("PATCH", path.replace("/pull-requests", ""), { token: owner, body });
    expect(answer.status).toBe(200);
  };

  it.each<[string, object]>([
    ["of another branch", { branch: "next" }],
    ["of another repository", { repository_url: "https://git.example/acme/other.git" }],
  ])("%s, leaves the pull requests it had: their previews are taken back, and promote is 404", async (_, changes) => {
    const { key, path } = await stackOf("network");
    host.set(pullRequest(1));
    host.set(pullRequest(2));
    await sync();
    const [done, live] = (await previewsOf(api.database, key)).map(({ id }) => id);
    await (await accepted(done as string))();
    api.service.sent.length = 0;
    await change(path, changes);
    expect((await api.call("GET", path, { token })).body.items).toEqual([]);
    const ended = await api.database.sql`select status from deployments where id = ${live as string}`;
    expect(ended).toEqual([{ status: "cancelled" }]);
    expect(api.service.sent).toContainEqual(
      expect.objectContaining({ kind: "signalPreview", stackKey: key, number: 1, signal: "closed" }),
    );
    expect((await api.call("POST", `${path}/1/promote`, { token })).status).toBe(404);
    // Asking the host again about the old branch does not bring them back.
    await sync();
    expect((await api.call("GET", path, { token })).body.items).toEqual([]);
  });

  it("a preview of another directory than the stack has now is not promoted", async () => {
    const { key, path } = await stackOf("network");
    host.set(pullRequest(1, { paths: ["network/main.tf", "edge/main.tf"] }));
    await sync();
    await finishPreview(key);
    await change(path, { working_directory: "edge" });
    expect((await api.call("POST", `${path}/1/promote`, { token })).body).toMatchObject({
      status: 409,
      code: "preview_not_finished",
    });
    await change(path, { working_directory: "network" });
    expect((await api.call("POST", `${path}/1/promote`, { token })).status).toBe(201);
  });
});

describe("a stack that no integration serves any more", () => {
  const INTEGRATIONS = () => `/api/v1/orgs/${orgId}/scm-integrations`;
  const settings = { name: "host", url_pattern: "^https://git\\.example/acme/" };
  const served = async () => {
    const { token: owner } = await account([["scm_integration", "*"]]);
    const call = (method: string, id = "", body?: object) =>
      api.call(method, `${INTEGRATIONS()}${id && `/${id}`}`, { token: owner, ...(body && { body }) });
    const made = await call("POST", "", settings);
    expect(made.status).toBe(201);
    const stack = await stackOf("network");
    host.set(pullRequest(1));
    host.set(pullRequest(2));
    await sync();
    await (await accepted((await previewsOf(api.database, stack.key))[0]?.id ?? ""))();
    api.service.sent.length = 0;
    return { ...stack, call, id: made.body.id as string };
  };

  it.each(["deleted", "changed to match others"])("because it was %s, leaves its pull requests", async (how) => {
    const { key, path, call, id } = await served();
    const elsewhere = { ...settings, url_pattern: "^https://git\\.example/other/" };
    const answer = await (how === "deleted" ? call("DELETE", id) : call("PUT", id, elsewhere));
    expect(answer.status).toBe(how === "deleted" ? 204 : 200);
    expect((await api.call("GET", path, { token })).body.items).toEqual([]);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished", "cancelled"]);
    for (const number of [1, 2]) {
      expect(api.service.sent).toContainEqual(
        expect.objectContaining({ kind: "signalPreview", stackKey: key, number, signal: "closed" }),
      );
    }
    expect((await api.call("POST", `${path}/1/promote`, { token })).status).toBe(404);
  });

  it("does not get them back by an answer that was asked for before", async () => {
    const { key, path, call, id } = await served();
    const [event] = await api.database.sql`
      insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch)
      values (${orgId}, ${id}, 'e', 'pr_refresh_requested', ${REPOSITORY}, 'main') returning id`;
    const on = { orgId, repositoryKey: REPOSITORY, branch: "main" };
    const slow: StatedHost = {
      ...host,
      async openPullRequests(...asked) {
        const open = await host.openPullRequests(...asked);
        expect((await call("DELETE", id)).status).toBe(204);
        return open;
      },
    };
    expect(await syncPullRequests(api.service, slow, on, event?.id)).toBe("outdated");
    expect((await api.call("GET", path, { token })).body.items).toEqual([]);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished", "cancelled"]);
  });

  it("keeps them while another one serves it, or the change is of something else", async () => {
    const { key, path, call, id } = await served();
    expect((await call("PUT", id, { ...settings, priority: 5 })).status).toBe(200);
    expect((await call("POST", "", { ...settings, name: "second", priority: 900 })).status).toBe(201);
    expect((await call("DELETE", id)).status).toBe(204);
    expect((await api.call("GET", path, { token })).body.items).toHaveLength(2);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished", "pending"]);
    expect(api.service.sent).toEqual([]);
  });
});

it("a deleted stack leaves its pull requests, whose workflows end", async () => {
  const { key, path } = await stackOf("network");
  host.set(pullRequest(8));
  await sync();
  const { token: owner } = await account([
    ["stack", "delete"],
    ["stack", "read"],
  ]);
  api.service.sent.length = 0;
  expect((await api.call("DELETE", path.replace("/pull-requests", ""), { token: owner })).status).toBe(204);
  expect(api.service.sent).toContainEqual(
    expect.objectContaining({ kind: "signalPreview", stackKey: key, number: 8, signal: "closed" }),
  );
  expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["cancelled"]);
});
