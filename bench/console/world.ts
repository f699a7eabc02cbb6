/** What the console has to show: a plan and a log of the sizes that pages have to bear, and a graph. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type postgres from "postgres";
import type { RunnerApi } from "../../runner/service/runnerApi.ts";
import { LOG_CHUNK_BYTES } from "../../src/core/runs/protocol.ts";
import { eachAtOnce } from "../harness/eachAtOnce.ts";
import { CHANGES } from "../harness/runner.ts";
import { seedOrg, settle, WIDE_LIMITS } from "../harness/seed.ts";
import { CHANGE_COUNT } from "./visits.ts";
import { longLogChunk, manyChanges } from "./volume.ts";

const LOG_BYTES = 100 * 1_048_576;
const GRAPH_STACKS = 1_000;

export async function storePlan(folder: string, runner: RunnerApi, planFile: string): Promise<void> {
  const changes = join(folder, "changes");
  await writeFile(changes, manyChanges(CHANGE_COUNT));
  await runner.putArtifact("plan", planFile);
  await runner.putArtifact("changes", changes);
  const text = join(folder, "plan-text");
  await writeFile(text, "Plan: 3266 to add, 6534 to change, 100 to destroy.\n");
  await runner.putArtifact("plan-text", text);
  await runner.done({
    ...CHANGES,
    plan_summary: {
      has_changes: true,
      counts: { add: 3_266, change: 6_534, destroy: 100, replace: 100, import: 0, forget: 0, move: 0 },
      gaps: [],
    },
  });
}

export async function storeLog(runner: RunnerApi): Promise<void> {
  const places = [...Array(LOG_BYTES / LOG_CHUNK_BYTES).keys()];
  await eachAtOnce(places, 8, (at) => runner.sealChunk(at, longLogChunk(at, LOG_CHUNK_BYTES)));
  await runner.done({ status: "failure" });
}

/** An organization of a thousand stacks: each depends on one before it, every fourth on another one too. */
export async function layeredGraph(sql: postgres.Sql): Promise<string> {
  const { orgId } = await seedOrg(sql, WIDE_LIMITS);
  await sql`insert into stacks (org_id, slug, name, repository_url, branch)
    select ${orgId}, 's' || i, 'stack ' || i, 'https://git.example/r.git', 'main'
    from generate_series(1, ${GRAPH_STACKS}::int) i`;
  await sql`
    insert into dependency_edges (org_id, dependent_stack_key, provenance, dependency_stack_slug, edge_hash)
    select ${orgId}, s.stack_key, 'declared', 's' || (1 + i / k), int4send(i * 16 + k)
    from generate_series(2, ${GRAPH_STACKS}::int) i cross join unnest(array[3, 5]) k
    join stacks s on s.org_id = ${orgId} and s.slug = 's' || i
    where (k = 3 or i % 4 = 0) and 1 + i / k < i`;
  await settle(sql, "stacks", "dependency_edges");
  return orgId;
}
