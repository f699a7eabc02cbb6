/** Promoting the reviewed head of a pull request (docs/source-control.md#promotion). */

import { describe, expect } from "vitest";
import { aside } from "../../src/platform/turns/turn.ts";
import type { PeopleApi } from "../support/peopleApi.ts";
import { test } from "../support/promotionTest.ts";
import { previewsOf, pullRequest, sha } from "../support/pullRequests.ts";

describe("promote", () => {
  test("deploys exactly the reviewed head, once", async ({ world }) => {
    const { api, host, token, sync, stackOf, finishPreview, promoted } = world;
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
        provenance: "pull_request",
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

  test("waits for the preview of a new head", async ({ world }) => {
    const { api, host, token, sync, stackOf, accepted, finishPreview } = world;
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

  test("is refused for unmet requirements, even when the host cannot say", async ({ world }) => {
    const { api, host, token, sync, stackOf, finishPreview } = world;
    const { key, path } = await stackOf("network", { pr_requirements: { promote: ["approved", "checks_passed"] } });
    host.set(pullRequest(3, { approved: true, checksPassed: null, checksReason: "not passed yet: ci/lint" }));
    await sync();
    await finishPreview(key);
    const refused = await api.call("POST", `${path}/3/promote`, { token });
    expect([refused.status, refused.body]).toMatchObject([409, { code: "requirements_not_met" }]);
    expect(refused.body.detail).toMatch(/: checks_passed \(not passed yet: ci\/lint\)\.$/);
    expect((await api.call("GET", path, { token })).body.items[0]).toMatchObject({
      unmet_requirements: ["checks_passed"],
      approved_reason: null,
      checks_reason: "not passed yet: ci/lint",
    });
    host.set(pullRequest(3, { approved: true, checksPassed: true }));
    await sync();
    expect((await api.call("POST", `${path}/3/promote`, { token })).status).toBe(201);
  });

  test("is refused when the stack is past that commit, and 404 when the request does not touch it", async ({
    world,
  }) => {
    const { api, codehost, host, token, account, sync, stackOf, finishPreview } = world;
    const { key, path } = await stackOf("network");
    const other = await stackOf("dns");
    host.set(pullRequest(4));
    await sync();
    await finishPreview(key);
    await api.database.sql`
      insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
      select org_id, stack_key, 'plan', 'queued', repository_url, branch, working_directory, tool, ${sha(99)} from stacks where stack_key = ${key}`;
    codehost.standing = async (_repository, commit, stackCommit) => ({
      relation: commit === sha(4) && stackCommit === sha(99) ? "contained" : "ahead",
    });
    expect((await api.call("POST", `${path}/4/promote`, { token })).status).toBe(409);
    codehost.standing = async () => ({ relation: "ahead" });
    expect((await api.call("POST", `${path}/4/promote`, { token })).status).toBe(201);
    for (const number of ["4", "0", "x", "99999999999"]) {
      expect((await api.call("POST", `${other.path}/${number}/promote`, { token })).status).toBe(404);
    }
    const { token: reader } = await account([["stack", "read"]]);
    expect((await api.call("POST", `${path}/4/promote`, { token: reader })).status).toBe(404);
  });

  test.for<[string, object, number]>([
    ["what promotion requires", { pr_requirements: { promote: ["approved"] } }, 409],
    ["its directory", { working_directory: "edge" }, 409],
    ["its branch", { branch: "next" }, 404],
    ["its repository", { repository_url: "https://git.example/acme/other.git" }, 404],
  ])("counts %s as it is once the host has answered", async ([_, change, expected], { world }) => {
    const { api, codehost, host, token, account, sync, stackOf, finishPreview, promoted } = world;
    const { key, path } = await stackOf("network");
    const { token: owner } = await account([["stack", "*"]]);
    host.set(pullRequest(8, { paths: ["network/main.tf", "edge/main.tf"] }));
    await sync();
    await finishPreview(key);
    await api.database.sql`
      insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
      select org_id, stack_key, 'plan', 'queued', repository_url, branch, working_directory, tool, ${sha(99)} from stacks where stack_key = ${key}`;
    const patch = () => api.call("PATCH", path.replace("/pull-requests", ""), { token: owner, body: change });
    // Who waits for a host gives away its turn, as the client of hosts does.
    codehost.standing = () =>
      aside(async () => {
        expect((await patch()).status).toBe(200);
        return { relation: "ahead" };
      });
    expect((await api.call("POST", `${path}/8/promote`, { token })).status).toBe(expected);
    expect(await promoted(key)).toEqual([]);
  });

  test("B's finished preview is not promotable once the new head leaves B alone", async ({ world }) => {
    const { api, host, token, sync, stackOf, finishPreview } = world;
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

  test("races the preview's end and a new head: a success is of a finished preview's head, a refusal made nothing", async ({
    world,
  }) => {
    const { api, host, token, sync, stackOf, accepted, promoted } = world;
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
