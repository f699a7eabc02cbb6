/**
 * Retries and refreshes of previews, and stacks whose code comes from elsewhere by now
 * (docs/rules/pull-requests.md).
 */
import { describe, expect } from "vitest";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { inbox, settings, test } from "../support/promotionTest.ts";
import { previewsOf, pullRequest, REPOSITORY, type StatedHost, sha } from "../support/pullRequests.ts";

describe("retry of a preview", () => {
  test("makes the pull request's latest again, and only from the latest", async ({ api, world }) => {
    const { key, path } = await world.stackOf("network");
    world.host.set(pullRequest(6));
    await world.sync();
    const first = await world.finishPreview(key);
    await world.later();
    api.service.sent.length = 0;
    const second = await world.retry(path, first);
    expect([second.status, second.body]).toMatchObject([
      201,
      { origin_pr_number: 6, origin_head_sha: sha(6), mode: "plan_unlocked" },
    ]);
    expect((await api.call("GET", path, { token: world.token })).body.items[0]).toMatchObject({
      latest_deployment_id: second.body.id,
    });
    expect(api.service.sent).toContainEqual(
      expect.objectContaining({ kind: "signalPreview", stackKey: key, number: 6, signal: "deploymentChanged" }),
    );
    await world.finishPreview(key);
    await world.later();
    expect((await world.retry(path, first)).status).toBe(409);
    world.host.set(pullRequest(6, { headSha: sha(66) }));
    await world.sync();
    await world.later();
    expect((await world.retry(path, second.body.id)).status).toBe(409);
  });

  test("is refused when the pull request is closed, and so is a promoted one's", async ({ api, world }) => {
    const { key, path } = await world.stackOf("network");
    world.host.set(pullRequest(7));
    await world.sync();
    const preview = await world.finishPreview(key);
    const { body } = await api.call("POST", `${path}/7/promote`, { token: world.token });
    await (await world.accepted(body.id))();
    world.host.close(7);
    await world.sync();
    await world.later();
    expect((await world.retry(path, preview)).status).toBe(409);
    expect((await world.retry(path, body.id)).status).toBe(409);
  });
});

describe("refresh", () => {
  test("is taken into the inbox and shown until it is done", async ({ api, world }) => {
    const { path } = await world.stackOf("network");
    expect((await api.call("POST", `${path}/refresh`, { token: world.token })).status).toBe(409);
    const [row] = await api.database.sql`
      insert into scm_integrations (org_id, name, url_pattern) values (${world.orgId}, 'host', '.*') returning id`;
    inbox.integration = row?.id;
    const idle = await api.call("GET", `${path}/refresh`, { token: world.token });
    expect([idle.status, idle.body]).toEqual([200, null]);
    const answer = await api.call("POST", `${path}/refresh`, { token: world.token });
    expect([answer.status, answer.body]).toEqual([202, { event_id: expect.any(String) }]);
    expect((await api.call("GET", `${path}/refresh`, { token: world.token })).body).toMatchObject({
      id: answer.body.event_id,
      status: "pending",
      attempts: 0,
      last_error: null,
    });
    await api.database.sql`update scm_events set status = 'processed', processed_at = svc_now()`;
    expect((await api.call("GET", `${path}/refresh`, { token: world.token })).body).toBeNull();
    const { token: reader } = await world.account([["stack", "read"]]);
    expect((await api.call("POST", `${path}/refresh`, { token: reader })).status).toBe(404);
  });
});

describe("a stack whose code comes from elsewhere", () => {
  test.for<[string, object]>([
    ["of another branch", { branch: "next" }],
    ["of another repository", { repository_url: "https://git.example/acme/other.git" }],
  ])(
    "%s, leaves the pull requests it had: their previews are taken back, and promote is 404",
    async ([_, changes], { api, world }) => {
      const { key, path } = await world.stackOf("network");
      world.host.set(pullRequest(1));
      world.host.set(pullRequest(2));
      await world.sync();
      const [done, live] = (await previewsOf(api.database, key)).map(({ id }) => id);
      await (await world.accepted(done as string))();
      api.service.sent.length = 0;
      await world.change(path, changes);
      expect((await api.call("GET", path, { token: world.token })).body.items).toEqual([]);
      const ended = await api.database.sql`select status from deployments where id = ${live as string}`;
      expect(ended).toEqual([{ status: "cancelled" }]);
      expect(api.service.sent).toContainEqual(
        expect.objectContaining({ kind: "signalPreview", stackKey: key, number: 1, signal: "closed" }),
      );
      expect((await api.call("POST", `${path}/1/promote`, { token: world.token })).status).toBe(404);
      // Asking the host again about the old branch does not bring them back.
      await world.sync();
      expect((await api.call("GET", path, { token: world.token })).body.items).toEqual([]);
    },
  );

  test("a preview of another directory than the stack has now is not promoted", async ({ api, world }) => {
    const { key, path } = await world.stackOf("network");
    world.host.set(pullRequest(1, { paths: ["network/main.tf", "edge/main.tf"] }));
    await world.sync();
    await world.finishPreview(key);
    await world.change(path, { working_directory: "edge" });
    expect((await api.call("POST", `${path}/1/promote`, { token: world.token })).body).toMatchObject({
      status: 409,
      code: "preview_not_finished",
    });
    await world.change(path, { working_directory: "network" });
    expect((await api.call("POST", `${path}/1/promote`, { token: world.token })).status).toBe(201);
  });
});

describe("a stack that no integration serves any more", () => {
  test.for(["deleted", "changed to match others"])(
    "because it was %s, leaves its pull requests",
    async (how, { api, world }) => {
      const { key, path, call, id } = await world.served();
      const elsewhere = { ...settings, url_pattern: "^https://git\\.example/other/" };
      const answer = await (how === "deleted" ? call("DELETE", id) : call("PUT", id, elsewhere));
      expect(answer.status).toBe(how === "deleted" ? 204 : 200);
      expect((await api.call("GET", path, { token: world.token })).body.items).toEqual([]);
      expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished", "cancelled"]);
      for (const number of [1, 2]) {
        expect(api.service.sent).toContainEqual(
          expect.objectContaining({ kind: "signalPreview", stackKey: key, number, signal: "closed" }),
        );
      }
      expect((await api.call("POST", `${path}/1/promote`, { token: world.token })).status).toBe(404);
    },
  );

  test("does not get them back by an answer that was asked for before", async ({ api, world }) => {
    const { key, path, call, id } = await world.served();
    const [event] = await api.database.sql`
      insert into scm_events (org_id, integration_id, external_event_id, kind, repository_key, branch)
      values (${world.orgId}, ${id}, 'e', 'pr_refresh_requested', ${REPOSITORY}, 'main') returning id`;
    const on = { orgId: world.orgId, repositoryKey: REPOSITORY, branch: "main" };
    const slow: StatedHost = {
      ...world.host,
      async openPullRequests(...asked) {
        const open = await world.host.openPullRequests(...asked);
        expect((await call("DELETE", id)).status).toBe(204);
        return open;
      },
    };
    expect(await syncPullRequests(api.service, slow, on, event?.id)).toBe("outdated");
    expect((await api.call("GET", path, { token: world.token })).body.items).toEqual([]);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished", "cancelled"]);
  });

  test("keeps them while another one serves it, or the change is of something else", async ({ api, world }) => {
    const { key, path, call, id } = await world.served();
    expect((await call("PUT", id, { ...settings, priority: 5 })).status).toBe(200);
    expect((await call("POST", "", { ...settings, name: "second", priority: 900 })).status).toBe(201);
    expect((await call("DELETE", id)).status).toBe(204);
    expect((await api.call("GET", path, { token: world.token })).body.items).toHaveLength(2);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished", "pending"]);
    expect(api.service.sent).toEqual([]);
  });
});

test("a deleted stack leaves its pull requests, whose workflows end", async ({ api, world }) => {
  const { key, path } = await world.stackOf("network");
  world.host.set(pullRequest(8));
  await world.sync();
  const { token: owner } = await world.account([
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
