/**
 * Where a deployment's code stands to the branch, for every way to make one: who decides it, what its runs get, and
 * whether it is ever applied without a person (docs/rules/deployments.md#where-the-code-stands).
 */
import { describe, expect } from "vitest";
import { archiveOfFiles, sha256Of } from "../support/archive.ts";
import { applied, dependsOn, resolveAll, testCascade } from "../support/cascades.ts";
import { DAILY, driftWorld, refreshed, SETTLED } from "../support/driftTest.ts";
import { create, decide } from "../support/fixtures.ts";
import { test, type World } from "../support/provenanceTest.ts";

const ALL = { secrets: ["TF_VAR_password"], owner: true, mustBeOnBranch: false };
const NONE = { secrets: [], owner: false, mustBeOnBranch: false };

/** Runs the plan, and says what it was given and what became of it. An apply that follows is called off. */
async function planned({ api, accepted, after }: World, id: string, looks = true, more = {}) {
  const { done, runId: _, ...given } = await accepted(looks);
  await done(more);
  const { deployment, eventRows, row } = await after(id);
  const held = eventRows.find(({ kind }) => kind === "auto_approve_suppressed")?.details.reason;
  if (deployment === "applying") await decide(api.service, api.database, id, "cancel");
  return { given, status: held ? `${deployment}: ${held}` : deployment, provenance: row.provenance };
}

describe("a commit by its id", () => {
  test("that the branch has is the branch's, its head and older ones", async ({ world, shared: { commits } }) => {
    for (const commit_sha of [undefined, commits.head, commits.older]) {
      const stack = await world.stack();
      const { status, body } = await stack.create({ commit_sha });
      expect([status, body.provenance]).toEqual([201, "branch"]);
      const branch = { given: ALL, status: "applying", provenance: "branch" };
      expect(await planned(world, body.id)).toEqual(branch);
    }
  });

  test("that the branch has not is refused, and makes nothing", async ({ world, shared: { commits } }) => {
    for (const commit_sha of [commits.fork, commits.ahead]) {
      const stack = await world.stack();
      const { status, body } = await stack.create({ commit_sha });
      expect([status, body.code, body.errors]).toEqual([
        422,
        "commit_not_on_branch",
        [{ field: "commit_sha", message: "is not on branch main" }],
      ]);
      expect(await world.api.database.sql`select 1 from deployments where stack_key = ${stack.key}`).toHaveLength(0);
    }
  });

  test("unless that is allowed: then it gets nothing, and no policy applies it; a replan and a retry neither", async ({
    world,
    shared: { commits },
  }) => {
    const stack = await world.stack();
    const { body } = await stack.create({ commit_sha: commits.fork, allow_foreign: true });
    const foreign = { given: NONE, status: "waiting: not_on_branch", provenance: "foreign" };
    expect([body.provenance, await planned(world, body.id)]).toEqual(["foreign", foreign]);
    const { service, database } = world.api;
    await decide(service, database, body.id, "confirm", { action: "replan", targets: ["a.b"] });
    expect(await planned(world, body.id)).toEqual(foreign);
    await decide(service, database, body.id, "confirm", { action: "apply" });
    const { done: _, runId: __, ...given } = await world.accepted();
    expect(given).toEqual(NONE);
    await decide(service, database, body.id, "cancel");
    await decide(service, database, body.id, "cancel", { force: true });
    await database.sql`update deployments set created_at = created_at - interval '1 minute' where id = ${body.id}`;
    const retried = await stack.post(`deployments/${body.id}/retry`);
    expect([retried.status, retried.body.provenance]).toEqual([201, "foreign"]);
    expect(await planned(world, retried.body.id)).toEqual(foreign);
  });

  test("what may be on the branch all the same is the branch's", async ({ world, shared: { commits } }) => {
    const { body } = await (await world.stack()).create({ commit_sha: commits.older, allow_foreign: true });
    expect(body.provenance).toBe("branch");
    expect(await planned(world, body.id)).toMatchObject({ given: ALL, status: "applying" });
  });

  test("that heads a pull request of the repository is under its rules, one of a fork's under that one's", async ({
    world,
    shared: { commits },
  }) => {
    await world.request(commits.ahead, false);
    await world.request(commits.fork, true);
    const own = (await (await world.stack()).create({ commit_sha: commits.ahead })).body;
    expect(await planned(world, own.id)).toEqual({
      given: ALL,
      status: "waiting: not_on_branch",
      provenance: "pull_request",
    });
    const stack = await world.stack();
    expect((await stack.create({ commit_sha: commits.fork })).body).toMatchObject({
      code: "commit_not_on_branch",
      detail: expect.stringContaining("head of a fork's pull request"),
    });
    const forked = (await stack.create({ commit_sha: commits.fork, allow_foreign: true })).body;
    expect(await planned(world, forked.id)).toEqual({
      given: NONE,
      status: "waiting: not_on_branch",
      provenance: "fork",
    });
  });

  test.for(["destroy", "refresh", "plan_unlocked"])("is looked at for a %s too", async (mode, { world, shared }) => {
    const stack = await world.stack();
    const refused = await stack.create({ mode, commit_sha: shared.commits.fork });
    expect(refused.body.code).toBe("commit_not_on_branch");
    const { body } = await stack.create({ mode, commit_sha: shared.commits.fork, allow_foreign: true });
    expect(await planned(world, body.id)).toMatchObject({ given: NONE, provenance: "foreign" });
  });
});

describe("where no host can be asked", () => {
  test("git's word for the head counts; of others the runner's, who refuses or finds it", async ({ world, shared }) => {
    const { commits, host } = shared;
    const repository = { repository_url: `file://${host.bare}`, repository_key: host.bare };
    const head = (await (await world.stack(repository)).create({ commit_sha: commits.head })).body;
    expect([head.provenance, await planned(world, head.id)]).toEqual([
      "branch",
      { given: { ...ALL, owner: false }, status: "applying", provenance: "branch" },
    ]);
    const given = { secrets: ["TF_VAR_password"], owner: false, mustBeOnBranch: true };
    const looked = (await (await world.stack(repository)).create({ commit_sha: commits.older })).body;
    expect(looked.provenance).toBe("unknown");
    const found = await planned(world, looked.id, true, { on_branch: true });
    expect(found).toEqual({ given, status: "applying", provenance: "branch" });
    // A runner of the version before does not look: it is told nothing, and what it plans waits for a person.
    const unlooked = (await (await world.stack(repository)).create({ commit_sha: commits.fork })).body;
    expect(await planned(world, unlooked.id, false)).toEqual({
      given: { ...given, secrets: [] },
      status: "waiting: not_on_branch",
      provenance: "unknown",
    });
    const allowed = await (await world.stack(repository)).create({ commit_sha: commits.fork, allow_foreign: true });
    expect(await planned(world, allowed.body.id)).toMatchObject({ given: NONE, provenance: "foreign" });
  });
});

describe("what names no commit is", () => {
  test("the branch's for a command and for a dependent", async ({ world }) => {
    const { api, org } = world;
    const stack = await world.stack();
    const command = await stack.post("deployments/run-command", { script: "true" });
    expect([command.status, command.body.provenance]).toEqual([201, "branch"]);
    expect((await world.accepted()).secrets).toEqual(ALL.secrets);
    const dependent = await world.stack();
    await dependsOn(api.database, dependent.key, stack.key, { trigger: "always" });
    await decide(api.service, api.database, command.body.id, "cancel");
    await decide(api.service, api.database, command.body.id, "cancel", { force: true });
    const parent = await applied(api.service, api.database, org, stack.key);
    await resolveAll(testCascade(api.service), parent);
    const made = await api.database
      .sql`select provenance, origin_type from deployments where stack_key = ${dependent.key}`;
    expect(made).toEqual([{ provenance: "branch", origin_type: "dependency" }]);
  });

  test("local for files that were uploaded, whatever commit they note", async ({ world, shared: { commits } }) => {
    const archive = archiveOfFiles({ "main.tf": "" });
    for (const commit_sha of [undefined, commits.fork]) {
      const { api, token, stack } = world;
      const { path, post } = await stack();
      const headers = { "content-type": "application/gzip" };
      const at = `${path}/local-sources?sha256=${sha256Of(archive)}`;
      const { local_source_key, local_source_sha256 } = (await api.call("POST", at, { token, body: archive, headers }))
        .body;
      const { body } = await post("deployments/local", { local_source_key, local_source_sha256, commit_sha });
      expect(body.provenance).toBe("local");
      expect(await planned(world, body.id)).toMatchObject({ given: { secrets: ALL.secrets }, status: "finished" });
    }
  });
});

describe("what a stack runs since a pull request was promoted", () => {
  test.for(["fork", "pull_request"] as const)(
    "of a %s is its own for checks and their repairs",
    async (provenance, { world, shared: { commits } }) => {
      const { api, org, stack } = world;
      const { sql } = api.database;
      const { key } = await stack();
      const drift = driftWorld(api.database, api.service, org);
      const request = {
        ...{ id: await world.request(commits.fork, provenance === "fork"), number: 7, generation: 1 },
        ...{ headSha: commits.fork, title: "t", url: "u", body: "", eventId: null },
      };
      const of = { commitSha: commits.fork, provenance, pullRequest: request };
      await drift.run(await create(api.service, key, { ...of, originType: "promoted_pull_request" }), {
        status: "success",
        plan_summary: SETTLED,
      });
      await sql`insert into stack_drift (stack_key, org_id, policy, stale)
      values (${key}, ${org.orgId}, ${sql.json({ ...DAILY, reconcile: "auto" })}, true)`;
      const looked = async () => {
        const { done, runId, ...given } = await world.accepted();
        const [run] =
          await sql`select d.provenance from runs r join deployments d on d.id = r.deployment_id where r.id = ${runId}`;
        expect([run?.provenance, given]).toEqual(["promoted", { ...ALL, pullRequest: 7 }]);
        return done;
      };
      await drift.checking(key);
      await (await looked())({ ...refreshed("a.x") });
      await drift.step();
      await drift.step();
      await (await looked())();
      const { reconcile_id } = await drift.row(key);
      expect((await world.after(reconcile_id)).deployment).toBe("applying");
      await decide(api.service, api.database, reconcile_id, "cancel");
    },
  );
});
