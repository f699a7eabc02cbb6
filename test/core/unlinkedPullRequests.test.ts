/** A stack that is moved, deleted or served no more leaves its pull requests (docs/source-control.md#promotion). */
import { describe, expect } from "vitest";
import { syncPullRequests } from "../../src/core/pullRequests/sync.ts";
import { test, type World } from "../support/promotionTest.ts";
import { previewsOf, pullRequest, REPOSITORY, type StatedHost } from "../support/pullRequests.ts";

describe("a stack whose code comes from elsewhere", () => {
  const change = async ({ api, account }: World, path: string, body: object) => {
    const { token: owner } = await account([["stack", "*"]]);
    const answer = await api.call("PATCH", path.replace("/pull-requests", ""), { token: owner, body });
    expect(answer.status).toBe(200);
  };

  test.for<[string, object]>([
    ["of another branch", { branch: "next" }],
    ["of another repository", { repository_url: "https://git.example/acme/other.git" }],
  ])(
    "%s, leaves the pull requests it had: their previews are taken back, and promote is 404",
    async ([_, changes], { world }) => {
      const { api, host, token, sync, stackOf, accepted } = world;
      const { key, path } = await stackOf("network");
      host.set(pullRequest(1));
      host.set(pullRequest(2));
      await sync();
      const [done, live] = (await previewsOf(api.database, key)).map(({ id }) => id);
      await (await accepted(done as string))();
      api.service.sent.length = 0;
      await change(world, path, changes);
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
    },
  );

  test("a preview of another directory than the stack has now is not promoted", async ({ world }) => {
    const { api, host, token, sync, stackOf, finishPreview } = world;
    const { key, path } = await stackOf("network");
    host.set(pullRequest(1, { paths: ["network/main.tf", "edge/main.tf"] }));
    await sync();
    await finishPreview(key);
    await change(world, path, { working_directory: "edge" });
    expect((await api.call("POST", `${path}/1/promote`, { token })).body).toMatchObject({
      status: 409,
      code: "preview_not_finished",
    });
    await change(world, path, { working_directory: "network" });
    expect((await api.call("POST", `${path}/1/promote`, { token })).status).toBe(201);
  });
});

describe("a stack that no integration serves any more", () => {
  const integrations = (orgId: string) => `/api/v1/orgs/${orgId}/scm-integrations`;
  const settings = { name: "host", url_pattern: "^https://git\\.example/acme/" };
  const served = async ({ api, orgId, host, account, sync, stackOf, accepted }: World) => {
    const { token: owner } = await account([["scm_integration", "*"]]);
    const call = (method: string, id = "", body?: object) =>
      api.call(method, `${integrations(orgId)}${id && `/${id}`}`, { token: owner, ...(body && { body }) });
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

  test.for(["deleted", "changed to match others"])(
    "because it was %s, leaves its pull requests",
    async (how, { world }) => {
      const { api, token } = world;
      const { key, path, call, id } = await served(world);
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
    },
  );

  test("does not get them back by an answer that was asked for before", async ({ world }) => {
    const { api, host, orgId, token } = world;
    const { key, path, call, id } = await served(world);
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

  test("keeps them while another one serves it, or the change is of something else", async ({ world }) => {
    const { api, token } = world;
    const { key, path, call, id } = await served(world);
    expect((await call("PUT", id, { ...settings, priority: 5 })).status).toBe(200);
    expect((await call("POST", "", { ...settings, name: "second", priority: 900 })).status).toBe(201);
    expect((await call("DELETE", id)).status).toBe(204);
    expect((await api.call("GET", path, { token })).body.items).toHaveLength(2);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished", "pending"]);
    expect(api.service.sent).toEqual([]);
  });
});

test("a deleted stack leaves its pull requests, whose workflows end", async ({ world }) => {
  const { api, host, account, sync, stackOf } = world;
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
