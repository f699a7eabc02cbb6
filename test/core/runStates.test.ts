/** The state that a run is given: by its own token, while it lives, and of its own stack alone (docs/state.md). */
import { describe, expect } from "vitest";
import type { RunContext } from "../../src/core/runs/protocol.ts";
import { type claimRun, test } from "../support/runnerProtocolTest.ts";
import { state } from "../support/stateTest.ts";

type Claimed = Awaited<ReturnType<typeof claimRun>>;

async function accepted(claimed: Claimed, body: object = { protocol: 3 }): Promise<RunContext> {
  const answer = await claimed.runner.accept(body);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as RunContext;
}

function engineOf({ api, stub }: Pick<Claimed, "api" | "stub">, token: string, runId = stub.run_id) {
  const authorization = `Basic ${Buffer.from(`run:${token}`).toString("base64")}`;
  return (method: string, at = "", body?: unknown) =>
    fetch(`${api.base}/runs/${runId}/state${at}`, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}

/** The run that works on it becomes one that may write. */
async function writes({ database, stub }: Claimed): Promise<void> {
  await database.sql`alter table runs disable trigger user`;
  await database.sql`update runs set kind = 'raw_run', state_locked = true where id = ${stub.run_id}`;
  await database.sql`alter table runs enable trigger user`;
}

describe("the token", () => {
  test("is in the context, is stored as a digest, and ends with the run", async ({ database, world }) => {
    const claimed = await world.claimed();
    const { state: given } = await accepted(claimed);
    expect(given).toEqual({ mode: "auto", token: expect.stringMatching(/^svc_rs_/), has_versions: false });
    const engine = engineOf(claimed, given?.token as string);
    expect((await engine("GET")).status).toBe(204);
    expect((await engineOf(claimed, "svc_rs_nonsense")("GET")).status).toBe(401);
    const row = await world.runRow(claimed.stub.run_id);
    expect(JSON.stringify(row)).not.toContain(given?.token);
    await claimed.runner.done({ status: "failure" });
    expect((await engine("GET")).status).toBe(401);
    const [after] = await database.sql`select state_token_hash from runs where id = ${claimed.stub.run_id}`;
    expect(after?.state_token_hash).toBeNull();
  });

  test("opens no other run's state, and no route but these", async ({ api, world }) => {
    const [one, two] = [await world.claimed(), await world.claimed()];
    const token = (await accepted(one)).state?.token as string;
    await accepted(two);
    expect((await engineOf(two, token)("GET")).status).toBe(401);
    expect((await engineOf(one, token, "nonsense")("GET")).status).toBe(401);
    for (const authorization of [`Bearer ${token}`, `Basic ${Buffer.from(`run:${token}`).toString("base64")}`]) {
      for (const path of [`/runs/${one.stub.run_id}/status`, `/orgs/${one.org.orgId}/stacks`]) {
        expect((await fetch(`${api.base}${path}`, { headers: { authorization } })).status).toBe(401);
      }
    }
    expect(
      (
        await fetch(`${api.base}/runs/${one.stub.run_id}/state`, {
          headers: { authorization: one.runner.authorization },
        })
      ).status,
    ).toBe(401);
  });

  test("of a plan reads and neither locks nor writes", async ({ world }) => {
    const claimed = await world.claimed();
    const engine = engineOf(claimed, (await accepted(claimed)).state?.token as string);
    expect((await engine("PUT", "/lock", { ID: "a" })).status).toBe(403);
    expect((await engine("POST", "?ID=a", state(1))).status).toBe(403);
    expect((await engine("DELETE")).status).toBe(403);
  });
});

describe("a run that writes", () => {
  test("has the lock until it ends: the end frees it, and what comes late is refused", async ({ database, world }) => {
    const claimed = await world.claimed();
    const engine = engineOf(claimed, (await accepted(claimed)).state?.token as string);
    await writes(claimed);
    expect((await engine("PUT", "/lock", { ID: "a", Operation: "apply" })).status).toBe(200);
    expect((await engine("PUT", "/lock", { ID: "b" })).status).toBe(423);
    expect((await engine("POST", "?ID=a", state(1))).status).toBe(200);
    const lockOf = async () =>
      (await database.sql`select lock_run_id from stack_states where stack_key = ${claimed.stackKey}`)[0]?.lock_run_id;
    expect(await lockOf()).toBe(claimed.stub.run_id);
    const late = engine("POST", "?ID=a", state(2));
    await Promise.all([late, claimed.runner.done({ status: "failure" })]);
    expect(await lockOf()).toBeNull();
    expect([200, 401, 403, 409]).toContain((await late).status);
    expect((await engine("PUT", "/lock", { ID: "a" })).status).toBe(401);
    expect(await lockOf()).toBeNull();
  });

  test("never leaves a lock, however its end and its lock meet", async ({ database, world }) => {
    for (let round = 0; round < 8; round++) {
      const claimed = await world.claimed();
      const engine = engineOf(claimed, (await accepted(claimed)).state?.token as string);
      await writes(claimed);
      const locks = Array.from({ length: 4 }, () => engine("PUT", "/lock", { ID: "same" }));
      await Promise.all([...locks, claimed.runner.done({ status: "failure" }), ...locks]);
      const left = await database.sql`
        select from stack_states where stack_key = ${claimed.stackKey} and lock_id is not null`;
      expect(left).toHaveLength(0);
    }
  });

  test("keeps its address when the stack is renamed", async ({ database, world }) => {
    const claimed = await world.claimed();
    const engine = engineOf(claimed, (await accepted(claimed)).state?.token as string);
    await writes(claimed);
    await database.sql`update stacks set slug = 'renamed', name = 'renamed' where stack_key = ${claimed.stackKey}`;
    await engine("PUT", "/lock", { ID: "a" });
    expect((await engine("POST", "?ID=a", state(1))).status).toBe(200);
  });
});

describe("who is given none", () => {
  test("a stack that keeps its state elsewhere", async ({ database, world }) => {
    const claimed = await world.claimed();
    await database.sql`update stacks set state_mode = 'own' where stack_key = ${claimed.stackKey}`;
    expect((await accepted(claimed)).state).toBeUndefined();
  });

  test("a runner of before, as long as nothing is lost by it", async ({ database, world }) => {
    const fresh = await world.claimed();
    expect((await accepted(fresh, { protocol: 2 })).state).toBeUndefined();
    for (const [mode, number] of [
      ["hosted", 0],
      ["auto", 3],
    ] as const) {
      const claimed = await world.claimed();
      await database.sql`update stacks set state_mode = ${mode} where stack_key = ${claimed.stackKey}`;
      await database.sql`
        insert into stack_states (stack_key, org_id, last_number) values (${claimed.stackKey}, ${claimed.org.orgId}, ${number})`;
      const answer = await claimed.runner.accept({ protocol: 2 });
      expect([answer.status, await answer.json()]).toEqual([
        409,
        expect.objectContaining({ code: "runner_too_old", detail: expect.stringContaining("0.3.0") }),
      ]);
      expect((await accepted(claimed)).state).toMatchObject({ mode, has_versions: number > 0 });
    }
  });

  test("code that is foreign to the repository", async ({ database, world }) => {
    const claimed = await world.claimed();
    await database.sql`alter table deployments disable trigger user`;
    await database.sql`update deployments set provenance = 'fork' where id = ${claimed.deploymentId}`;
    await database.sql`alter table deployments enable trigger user`;
    expect((await accepted(claimed)).state).toEqual({ mode: "auto", token: null, has_versions: false });
  });
});
