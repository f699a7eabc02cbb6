/** What retry says of previews, and asking the host for its pull requests anew (docs/source-control.md#promotion). */
import { describe, expect } from "vitest";
import { test, type World } from "../support/promotionTest.ts";
import { pullRequest, sha } from "../support/pullRequests.ts";

describe("retry of a preview", () => {
  const retry = ({ api, token }: World, path: string, id: string) =>
    api.call("POST", `${path.replace("pull-requests", "deployments")}/${id}/retry`, { token });
  /** Retries of a commit deployed a moment ago are refused for that alone. */
  const later = ({ api }: World) => api.database.advanceClock(6_000);

  test("makes the pull request's latest again, and only from the latest", async ({ world }) => {
    const { api, host, token, sync, stackOf, finishPreview } = world;
    const { key, path } = await stackOf("network");
    host.set(pullRequest(6));
    await sync();
    const first = await finishPreview(key);
    await later(world);
    api.service.sent.length = 0;
    const second = await retry(world, path, first);
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
    await later(world);
    expect((await retry(world, path, first)).status).toBe(409);
    host.set(pullRequest(6, { headSha: sha(66) }));
    await sync();
    await later(world);
    expect((await retry(world, path, second.body.id)).status).toBe(409);
  });

  test("is refused when the pull request is closed, and so is a promoted one's", async ({ world }) => {
    const { api, host, token, sync, stackOf, accepted, finishPreview } = world;
    const { key, path } = await stackOf("network");
    host.set(pullRequest(7));
    await sync();
    const preview = await finishPreview(key);
    const { body } = await api.call("POST", `${path}/7/promote`, { token });
    await (await accepted(body.id))();
    host.close(7);
    await sync();
    await later(world);
    expect((await retry(world, path, preview)).status).toBe(409);
    expect((await retry(world, path, body.id)).status).toBe(409);
  });
});

describe("refresh", () => {
  test("is taken into the inbox and shown until it is done", async ({ world }) => {
    const { api, codehost, orgId, token, account, stackOf } = world;
    const { path } = await stackOf("network");
    expect((await api.call("POST", `${path}/refresh`, { token })).status).toBe(409);
    const [row] = await api.database.sql`
      insert into scm_integrations (org_id, name, url_pattern) values (${orgId}, 'host', '.*') returning id`;
    codehost.integration = row?.id;
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
