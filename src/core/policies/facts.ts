/** Reads what policies are told of a plan, and which policies are asked. */
import { buffer } from "node:stream/consumers";
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../platform/db/client.ts";
import type { SealedObjects } from "../../platform/objects/sealed.ts";
import { rfc3339 } from "../../platform/time/time.ts";
import { openPlanData } from "../plans/planData.ts";
import { findPlanRun, type PlanRun } from "../plans/planRun.ts";
import type { InputFacts } from "./input.ts";
import type { PolicyResult } from "./result.ts";
import type { Rules } from "./rules.ts";
import type { Evaluable } from "./thread/jobs.ts";

/** A list of changes that is longer is not read into one thread's memory. */
const MOST_BYTES = 48 * 1_048_576;
/** Of all compiled policies that are asked together: so much is in memory at once. */
const MOST_COMPILED = 64 * 1_048_576;

const ENFORCED = sql`array_position(array['mandatory', 'advisory', 'shadow'], p.enforcement)`;
const NO_ROOM = { unread: "It and the policies before it are larger than can be evaluated together." };

/** Of a result: which policy, and whether it counts. */
export type Asked = Pick<PolicyResult, "policy_id" | "name" | "version" | "digest" | "enforcement" | "exemption"> & {
  evaluable: Evaluable;
};

type Row = Omit<Asked, "evaluable"> & {
  rules: Rules | null;
  /** Null too where there is no room for it. */
  wasm: Buffer | null;
  entrypoint: string | null;
};

/**
 * The policies that are about a deployment now. Those that have to be met come first: others may take all the time
 * there is.
 */
export function policiesFor(db: Queryable, deploymentId: string): Promise<Asked[]> {
  return read(
    db,
    sql`d.id = ${deploymentId} and p.version = v.version and d.mode = any(p.modes) and s.labels @> p.selector`,
  );
}

/** One version of one policy, whatever it is about. */
export async function policyVersion(
  db: Queryable,
  { deploymentId, policyId, version }: { deploymentId: string; policyId: string; version: number },
): Promise<Asked | null> {
  const chosen = sql`d.id = ${deploymentId} and p.id = ${policyId} and v.version = ${version}`;
  return (await read(db, chosen))[0] ?? null;
}

async function read(db: Queryable, which: SQL): Promise<Asked[]> {
  const rows = await db.execute<Row>(sql`
    select p.id as policy_id, p.name, v.version, v.digest, p.enforcement, v.rules, v.entrypoint,
      case when sum(octet_length(v.wasm)) over (order by ${ENFORCED}, p.name, p.id) <= ${MOST_COMPILED}::int then v.wasm end as wasm,
      (select jsonb_build_object('id', x.id, 'reason', x.reason, 'ends_at', x.ends_at) from policy_exemptions x
        where x.policy_id = p.id and x.stack_key = d.stack_key and x.ends_at > svc_now() order by x.ends_at desc limit 1) as exemption
    from deployments d join stacks s on s.stack_key = d.stack_key
      join policies p on p.org_id = d.org_id join policy_versions v on v.policy_id = p.id
    where ${which} order by ${ENFORCED}, p.name, p.id`);
  return rows.map(({ rules, wasm, entrypoint, exemption, ...row }) => ({
    ...row,
    exemption: exemption && { ...exemption, ends_at: rfc3339(exemption.ends_at) },
    evaluable: rules !== null ? { rules } : wasm && entrypoint !== null ? { wasm, entrypoint } : NO_ROOM,
  }));
}

type FactRow = Omit<InputFacts, "time" | "plan"> & { time: string };

/** What people may read of the deployment, and of its plan. @throws NoPlanError */
export async function inputFacts(
  db: Queryable,
  deploymentId: string,
  planRunId: string | undefined,
): Promise<{ facts: InputFacts; plan: PlanRun }> {
  const [row] = await db.execute<FactRow>(sql`
    select svc_now() as time,
      jsonb_build_object('id', d.id, 'mode', d.mode, 'origin', d.origin_type, 'provenance', d.provenance, 'created_by', d.created_by,
        'created_by_kind', d.created_by_kind, 'branch', d.branch, 'working_directory', d.working_directory, 'tool', d.tool) as deployment,
      jsonb_build_object('id', s.slug, 'name', s.name, 'labels', s.labels) as stack,
      jsonb_build_object('id', o.id, 'name', o.name) as org,
      jsonb_build_object('sha', d.commit_sha, 'message', d.commit_message, 'author', d.commit_author) as commit,
      case when d.origin_pr_number is not null then
        jsonb_build_object('number', d.origin_pr_number, 'title', d.origin_pr_title, 'url', d.origin_pr_url) end as pull_request
    from deployments d join stacks s on s.stack_key = d.stack_key join organizations o on o.id = d.org_id
    where d.id = ${deploymentId}`);
  if (!row) throw new Error(`deployment ${deploymentId} does not exist`);
  const plan = await findPlanRun(db, deploymentId, planRunId);
  const { run_id, targets, excludes, replaces, summary } = plan;
  const facts = {
    ...row,
    time: rfc3339(row.time),
    plan: summary && { ...summary, run_id, targets, excludes, replaces },
  };
  return { facts, plan };
}

/**
 * The run's list of changes, as it is stored; null where it is longer than can be evaluated.
 * @throws as `openPlanData`
 */
export async function changesOf(objects: Pick<SealedObjects, "getSealed">, plan: PlanRun): Promise<Uint8Array | null> {
  const { size, body } = await openPlanData(objects, plan, "changes");
  if (size <= MOST_BYTES) return buffer(body);
  body.destroy();
  return null;
}
