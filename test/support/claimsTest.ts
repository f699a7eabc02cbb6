/** Claims that race at two processes: what those tests begin with. */
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import { expect } from "vitest";
import { create, type Group, makeStack } from "./fixtures.ts";
import { type Claimed, coordinator, type RunnerApi, startRunnerApi } from "./runnerApi.ts";
import { databaseTest } from "./test.ts";
import { waitFor } from "./waitFor.ts";

export const test = databaseTest({ max: 20 })
  /** Two processes' worth of API on one database. */
  .extend("api", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const api = await startRunnerApi(database);
    onCleanup(() => api.close());
    return api;
  })
  .extend("copy", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const copy = await startRunnerApi(database);
    onCleanup(() => copy.close());
    return copy;
  })
  /** A process that finds runs by hints alone. */
  .extend("hinted", { scope: "file" }, async ({ database }, { onCleanup }) => {
    const hinted = await startRunnerApi(database, { lookEveryMs: 3_600_000 });
    onCleanup(() => hinted.close());
    return hinted;
  })
  .extend("world", ({ database, api, copy }) => {
    /** Pending runs of `plan_unlocked` deployments, which need no lane. */
    async function pendingRuns(org: Group, count: number, labels: Record<string, string> = {}): Promise<string[]> {
      const stackKey = await makeStack(database, org.orgId, { labels: database.sql.json(labels) });
      const ids: string[] = [];
      for (let i = 0; i < count; i++) ids.push(await create(api.service, stackKey, { mode: "plan_unlocked" }));
      const runs = await database.sql`select id from runs where deployment_id in ${database.sql(ids)}`;
      return runs.map((run) => run.id as string);
    }

    async function pollMany(pollers: number, groups: Group[], waitSeconds = 0): Promise<Claimed[]> {
      const ends = await Promise.all(groups.flatMap((group) => [coordinator(api, group), coordinator(copy, group)]));
      const answers = await Promise.all(
        Array.from({ length: pollers }, (_, i) => ends[i % ends.length]!.poll(waitSeconds)),
      );
      expect(answers.filter((answer) => answer.status !== 200 && answer.status !== 204)).toEqual([]);
      return Promise.all(
        answers.filter((answer) => answer.status === 200).map((answer) => answer.json() as Promise<Claimed>),
      );
    }

    async function fingerprint(group: Group): Promise<string> {
      return (await database.sql`select public_key_fingerprint as f from runner_groups where id = ${group.id}`)[0]?.f;
    }
    const nothingHeld = (org: Group) =>
      waitFor(
        async () =>
          (
            await database.sql`select 1 from runs where org_id = ${org.orgId} and (status not in ('pending', 'cancelled') or assignment_attempts <> 0)`
          ).length === 0,
        { what: "all runs to be pending without an attempt" },
      );

    return { pendingRuns, pollMany, fingerprint, nothingHeld };
  });

/**
 * Send a poll on a bare socket that never reads an answer. It leaves by being destroyed, or by a reset where the answer
 * may be on its way: an orderly close that crosses the answer looks like one that follows it, and only the lease's end
 * returns the run.
 */
export async function unreadPoll(server: RunnerApi, token: string, waitSeconds: number) {
  const { hostname, port } = new URL(server.base);
  const socket = connectSocket(Number(port), hostname).pause();
  socket.on("error", () => {});
  await once(socket, "connect");
  socket.write(
    `GET /api/v1/runner-groups/poll?wait_seconds=${waitSeconds} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`,
  );
  return socket;
}
