/** What people and runners ask for, once each, and what it took. */
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { COMMIT } from "../harness/rows.ts";
import { CHANGES, claimNext } from "../harness/runner.ts";
import type { Seeded } from "../harness/seeded.ts";
import { endPending, type World } from "./world.ts";

export const OPERATIONS = [
  "create",
  "claim",
  "accept",
  "status",
  "live_log",
  "sealed_chunk",
  "plan_file",
  "done",
  "empty_poll",
  "stacks_page",
  "stack_deployments_page",
  "all_deployments_page",
  "queued_page",
  "one_deployment",
] as const;
export type Operation = (typeof OPERATIONS)[number];

/** A line of an engine, in colours. */
const LINES = Buffer.from("\u001b[1mterraform_data.n[17]:\u001b[0m Still creating... [10s elapsed]\n".repeat(40));

/** Times each operation `times` times in milliseconds, on stacks picked by chance, as one client after the other. */
export async function carryOut(world: World, chance: Seeded, times: number): Promise<Record<Operation, number[]>> {
  const taken = Object.fromEntries(OPERATIONS.map((name) => [name, [] as number[]])) as Record<Operation, number[]>;
  const timed = async <T>(name: Operation, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    taken[name].push(performance.now() - from);
    return result;
  };
  for (let i = 0; i < times; i++) {
    await deploymentOf(world, chance.pick(world.stacks).slug, timed);
    await reads(world, chance.pick(world.stacks).slug, timed);
  }
  // What was planned beside the lane is over; messages to workflows would only pile up.
  await endPending(world.sql);
  await world.sql`delete from outbox`;
  return taken;
}

type Timed = <T>(name: Operation, work: () => Promise<T>) => Promise<T>;

async function deploymentOf({ person, fleet }: World, slug: string, timed: Timed): Promise<void> {
  const { id } = await timed("create", () =>
    person.create(slug, { mode: "plan_unlocked", commit_sha: COMMIT }, randomBytes(8).toString("hex")),
  );
  const claim = await timed("claim", () => claimNext(fleet, 5));
  const runner = await fleet.runner(claim);
  await runner.ready();
  await timed("accept", () => runner.accept());
  await timed("status", () => runner.status());
  const data = (await promisify(gzip)(LINES)).toString("base64");
  await timed("live_log", () => runner.pushLive(0, 0, data));
  await timed("sealed_chunk", () => runner.sealChunk(0, new Uint8Array(LINES)));
  const file = await fleet.planFile();
  await timed("plan_file", () => runner.putArtifact("plan", file));
  await timed("done", () => runner.done(CHANGES));
  await timed("one_deployment", () => person.read(slug, id));
}

async function reads({ person, fleet }: World, slug: string, timed: Timed): Promise<void> {
  const page = async (name: Operation, path: string) => {
    const { status } = await timed(name, () => person.call("GET", path));
    if (status !== 200) throw new Error(`${path} was answered ${status}`);
  };
  await timed("empty_poll", () => fleet.group.poll(0, AbortSignal.timeout(10_000)));
  await page("stacks_page", "stacks?limit=100");
  await page("stack_deployments_page", `stacks/${slug}/deployments?limit=100`);
  await page("all_deployments_page", "deployments?limit=100");
  await page("queued_page", "deployments?status=queued&limit=100");
}
