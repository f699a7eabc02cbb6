/** Promotion: exactly the reviewed head, once (docs/source-control.md#promotion). */
import { describe, expect } from "vitest";
import type { PeopleApi } from "../support/peopleApi.ts";
import { held, test } from "../support/promotionTest.ts";
import { previewsOf, pullRequest, sha } from "../support/pullRequests.ts";

describe("promote", () => {
  test("deploys exactly the reviewed head, once", async ({ api, world }) => {
    const { key, path } = await world.stackOf("network");
    world.host.set(pullRequest(1));
    await world.sync();
    expect((await api.call("POST", `${path}/1/promote`, { token: world.token })).body).toMatchObject({
      status: 409,
      code: "preview_not_finished",
    });
    await world.finishPreview(key);
    const answer = await api.call("POST", `${path}/1/promote`, {
      token: world.token,
      headers: { "idempotency-key": "k" },
    });
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
    const again = await api.call("POST", `${path}/1/promote`, {
      token: world.token,
      headers: { "idempotency-key": "k" },
    });
    expect(again.body).toEqual(answer.body);
    // At that commit already.
    expect((await api.call("POST", `${path}/1/promote`, { token: world.token })).status).toBe(409);
    expect(await world.promoted(key)).toHaveLength(1);
  });

  test("waits for the preview of a new head", async ({ api, world }) => {
    const { key, path } = await world.stackOf("network");
    world.host.set(pullRequest(2));
    await world.sync();
    const ends = await world.accepted((await previewsOf(api.database, key))[0]?.id ?? "");
    world.host.set(pullRequest(2, { headSha: sha(22) }));
    await world.sync();
    expect((await api.call("POST", `${path}/2/promote`, { token: world.token })).status).toBe(409);
    await ends();
    expect((await api.call("POST", `${path}/2/promote`, { token: world.token })).status).toBe(409);
    await world.finishPreview(key);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["cancelled", "finished"]);
    expect((await api.call("POST", `${path}/2/promote`, { token: world.token })).body).toMatchObject({
      origin_head_sha: sha(22),
    });
  });

  test("is refused for unmet requirements, even when the host cannot say", async ({ api, world }) => {
    const { key, path } = await world.stackOf("network", {
      pr_requirements: { promote: ["approved", "checks_passed"] },
    });
    world.host.set(pullRequest(3, { approved: true, checksPassed: null }));
    await world.sync();
    await world.finishPreview(key);
    const refused = await api.call("POST", `${path}/3/promote`, { token: world.token });
    expect([refused.status, refused.body]).toMatchObject([409, { code: "requirements_not_met" }]);
    expect(refused.body.detail).toMatch(/: checks_passed\.$/);
    expect((await api.call("GET", path, { token: world.token })).body.items[0]).toMatchObject({
      unmet_requirements: ["checks_passed"],
    });
    world.host.set(pullRequest(3, { approved: true, checksPassed: true }));
    await world.sync();
    expect((await api.call("POST", `${path}/3/promote`, { token: world.token })).status).toBe(201);
  });

  test("is refused when the stack is past that commit, and 404 when the request does not touch it", async ({
    api,
    world,
  }) => {
    const { key, path } = await world.stackOf("network");
    const other = await world.stackOf("dns");
    world.host.set(pullRequest(4));
    await world.sync();
    await world.finishPreview(key);
    await api.database.sql`
      insert into deployments (org_id, stack_key, mode, status, repository_url, branch, working_directory, tool, commit_sha)
      select org_id, stack_key, 'plan', 'queued', repository_url, branch, working_directory, tool, ${sha(99)} from stacks where stack_key = ${key}`;
    held.add(`${sha(99)} ${sha(4)}`);
    expect((await api.call("POST", `${path}/4/promote`, { token: world.token })).status).toBe(409);
    held.clear();
    expect((await api.call("POST", `${path}/4/promote`, { token: world.token })).status).toBe(201);
    for (const number of ["4", "0", "x", "99999999999"]) {
      expect((await api.call("POST", `${other.path}/${number}/promote`, { token: world.token })).status).toBe(404);
    }
    const { token: reader } = await world.account([["stack", "read"]]);
    expect((await api.call("POST", `${path}/4/promote`, { token: reader })).status).toBe(404);
  });

  test("B's finished preview is not promotable once the new head leaves B alone", async ({ api, world }) => {
    const { key, path } = await world.stackOf("b");
    world.host.set(pullRequest(5, { paths: ["a/x", "b/x"] }));
    await world.sync();
    await world.finishPreview(key);
    world.host.set(pullRequest(5, { paths: ["a/x"], headSha: sha(55) }));
    await world.sync();
    expect((await api.call("POST", `${path}/5/promote`, { token: world.token })).status).toBe(404);
    expect((await api.call("GET", path, { token: world.token })).body.items).toEqual([]);
    expect((await previewsOf(api.database, key)).map(({ status }) => status)).toEqual(["finished"]);
  });

  test("races the preview's end and a new head: a success is of a finished preview's head, a refusal made nothing", async ({
    api,
    world,
  }) => {
    const counts: Record<number, number> = {};
    for (let round = 0; round < 200; round++) {
      const { key, path } = await world.stackOf(`r${round}`);
      const number = 1_000 + round;
      const paths = [`r${round}/x`];
      world.host.set(pullRequest(number, { paths }));
      await world.sync();
      const ends = await world.accepted((await previewsOf(api.database, key))[0]?.id ?? "");
      const move = () => {
        world.host.set(pullRequest(number, { paths, headSha: sha(number * 2) }));
        return world.sync();
      };
      const racers = [
        ends,
        () => api.call("POST", `${path}/${number}/promote`, { token: world.token }),
        ...(round % 2 ? [move] : []),
      ];
      if (round % 3 === 0) racers.reverse();
      if (round % 4 === 0) await racers.shift()?.();
      const answers = await Promise.all(racers.map((racer) => racer()));
      const answer = answers.find(
        (a): a is Awaited<ReturnType<PeopleApi["call"]>> => typeof a === "object" && a !== null && "headers" in a,
      );
      const made = await world.promoted(key);
      const previews = await previewsOf(api.database, key);
      world.host.close(number);
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
