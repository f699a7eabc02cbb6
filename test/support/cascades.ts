/**
 * Stacks that depend on each other, and applies that something follows from, without Temporal and without a code host.
 */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { Head } from "../../src/core/deployments/head.ts";
import { acceptRun } from "../../src/core/deployments/transitions/accept.ts";
import { reportDone } from "../../src/core/deployments/transitions/report.ts";
import type { DoneBody } from "../../src/core/runs/protocol.ts";
import { resolveHead } from "../../src/exchange/scm/resolveCommit.ts";
import type { Trigger } from "../../src/graph/analysis/trigger.ts";
import { type CascadeDeps, resolveDependents } from "../../src/graph/cascade/resolveDependents.ts";
import { defaultConfig } from "../../src/main/config/defaultConfig.ts";
import type { Service } from "../../src/work/service.ts";
import type { TestDatabase } from "./database.ts";
import { claim, create, type TestOrg, uploadPlan } from "./fixtures.ts";

export const HEAD: Head = { sha: "fedcba9876543210fedcba9876543210fedcba98", message: "a change", author: "Ada" };

export type TestCascade = CascadeDeps & {
  /** What the host answers when asked for a branch's head: a commit, nothing, or a failure. */
  head: (repositoryUrl: string, branch: string) => Promise<Head | null>;
  /** How often the host was asked. */
  asked: number;
  /** What an analysis artifact holds, by its object key. */
  stored: Map<string, Buffer>;
};

export function testCascade(service: Service): TestCascade {
  const deps: TestCascade = {
    service,
    head: async () => HEAD,
    asked: 0,
    stored: new Map(),
    objects: {
      getSealed: async (key) => {
        const bytes = deps.stored.get(key);
        return bytes === undefined ? null : Readable.from([bytes], { objectMode: false });
      },
    },
    headOf: (stack) =>
      resolveHead(
        {
          allowProtocol: [],
          checkHost: async () => {},
          headAtHost: async ({ repositoryUrl, branch }) => {
            deps.asked += 1;
            return deps.head(repositoryUrl, branch);
          },
        },
        stack,
      ),
    policy: { maxAttempts: 3, firstPauseMs: 10 },
    budgets: defaultConfig().dependencies,
    pace: (make) => make(),
  };
  return deps;
}

/** Until nothing is left to do, as the workflow does it. */
export async function resolveAll(deps: CascadeDeps, parentId: string): Promise<void> {
  for (let step = 0; step < 1_000; step++) {
    const { nextMs } = await resolveDependents(deps, parentId);
    if (nextMs === null) return;
    await new Promise((resolve) => setTimeout(resolve, nextMs));
  }
  throw new Error(`the dependents of ${parentId} are still not resolved`);
}

export type TestEdge = { trigger?: Trigger; from?: string | null; to?: string | null; inferred?: boolean };

/** `dependent` depends on `parent`, both stack keys; `from` names a part of the dependent, `to` one of the parent. */
export async function dependsOn(
  { sql }: TestDatabase,
  dependent: string,
  parent: string,
  { trigger = "always", from = null, to = null, inferred = false }: TestEdge = {},
): Promise<void> {
  const hash = createHash("sha256")
    .update(JSON.stringify([parent, from, to, inferred]))
    .digest();
  await sql`
    insert into dependency_edges (org_id, dependent_stack_key, dependent_address, provenance, dependency_stack_slug,
      dependency_stack_key, dependency_address, trigger, edge_hash)
    select s.org_id, ${dependent}, ${from}, ${inferred ? "inferred" : "declared"}, ${inferred ? null : sql`s.slug`},
      ${inferred ? parent : null}, ${to}, ${inferred ? "manual" : trigger}, ${hash}
    from stacks s where s.stack_key = ${parent}`;
}

const PLANNED: DoneBody = {
  status: "success",
  plan_summary: {
    has_changes: true,
    counts: { add: 1, change: 0, destroy: 0, replace: 0, import: 0, forget: 0, move: 0 },
    gaps: [],
  },
};

export type Applying = { deploymentId: string; planRunId: string; runId: string; runnerId: string };

/** A deployment on an `auto_approve_mode: auto` stack whose lane is free, brought as far as a running apply. */
export async function untilApplying(
  service: Service,
  database: TestDatabase,
  org: Pick<TestOrg, "orgId" | "groupId">,
  stackKey: string,
): Promise<Applying> {
  const deploymentId = await create(service, stackKey);
  return applyPending(service, database, org, deploymentId);
}

/** The same for a deployment that is there and has its lane: also a child of a cascade. */
export async function applyPending(
  service: Service,
  database: TestDatabase,
  org: Pick<TestOrg, "orgId" | "groupId">,
  deploymentId: string,
): Promise<Applying> {
  const plan = await claim(database, org, deploymentId);
  await acceptRun(service, plan.runId, plan.runnerId);
  await uploadPlan(database, plan.runId);
  await reportDone(service, plan.runId, plan.runnerId, PLANNED);
  const apply = await claim(database, org, deploymentId);
  await acceptRun(service, apply.runId, apply.runnerId);
  return { deploymentId, planRunId: plan.runId, ...apply };
}

export async function finishApply(service: Service, { runId, runnerId }: Applying): Promise<void> {
  const { outcome } = await reportDone(service, runId, runnerId, { status: "success" });
  if (outcome !== "stored") throw new Error(`the apply's report was ${outcome}`);
}

/** An apply from beginning to end. @returns its deployment */
export async function applied(
  service: Service,
  database: TestDatabase,
  org: Pick<TestOrg, "orgId" | "groupId">,
  stackKey: string,
): Promise<string> {
  const applying = await untilApplying(service, database, org, stackKey);
  await finishApply(service, applying);
  return applying.deploymentId;
}

export type SnapshotRow = {
  trigger: string;
  demotion_reason: string | null;
  skipped_reason: string | null;
  evidence: string;
  triggering_resources: object[];
  triggering_remainder: number;
  triggered_deployment_id: string | null;
  error: string | null;
};

/** The snapshot row of one dependent; undefined when there is none. */
export async function snapshotRow({ sql }: TestDatabase, parentId: string, dependent: string) {
  const [row] = await sql<SnapshotRow[]>`
    select * from dependent_triggers where parent_deployment_id = ${parentId} and dependent_stack_key = ${dependent}`;
  return row;
}

/** What was made on a stack because of its dependencies, oldest first. */
export async function children({ sql }: TestDatabase, stackKey: string) {
  return sql<
    {
      id: string;
      status: string;
      mode: string;
      commit_sha: string;
      parent: string;
      path: string[];
      created_by: string | null;
    }[]
  >`
    select id, status, mode, commit_sha, origin_dependency_deployment_id as parent, cascade_stack_path as path, created_by
    from deployments where stack_key = ${stackKey} and origin_type = 'dependency' order by created_at, id`;
}

export async function isResolved({ sql }: TestDatabase, deploymentId: string): Promise<boolean> {
  const [row] =
    await sql`select dependents_resolved_at is not null as resolved from deployments where id = ${deploymentId}`;
  return row?.resolved === true;
}
