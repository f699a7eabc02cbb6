/**
 * Compares the rows with the open workflows and heals what differs (docs/rules/workflows.md#the-reconciler). Postgres
 * is right, always.
 */
import { sql } from "drizzle-orm";
import { WORKFLOWS } from "../../../workflows/contract.ts";
import { parseWorkflowId, type RowKind } from "../../../workflows/ids.ts";
import type { Service } from "../../work/service.ts";
import type { OpenWorkflow, Temporal } from "../temporal/client.ts";
import { TemporalUnavailable } from "../temporal/errors.ts";
import { readIdentity, type TemporalIdentity } from "../temporal/namespace.ts";
import { isLive } from "./isLive.ts";
import type { LiveRow } from "./liveRow.ts";
import { liveRows } from "./liveRows.ts";
import { clearOtherMarks, setMark } from "./marks.ts";

/** `started`: missing; `poked`, then `restarted`: overdue; `reread`, then `ended`: without a live row. */
export type Healing = "started" | "poked" | "restarted" | "reread" | "ended" | "selectors_recomputed";
export type ReconcileCounts = Record<Healing, number>;

export type ReconcileOptions = {
  /** Called for each healing, for the metric. */
  healed?: (workflow: RowKind | "none", action: Healing) => void;
};

type Needs = Pick<Service, "db" | "timeouts">;
type Pass = Needs & {
  temporal: Temporal;
  /** Open executions by workflow id, listed before any row is read. */
  open: Map<string, OpenWorkflow>;
  /** Workflow ids of live rows. */
  live: Set<string>;
  heal: (workflow: RowKind | "none", action: Healing, by?: number) => void;
  failures: unknown[];
};

const KINDS: Record<string, RowKind> = {
  [WORKFLOWS.deployment]: "deployment",
  [WORKFLOWS.runLease]: "lease",
  [WORKFLOWS.prPreview]: "preview",
  [WORKFLOWS.scmEvent]: "scmEvent",
  [WORKFLOWS.orgTask]: "task",
  [WORKFLOWS.notificationDelivery]: "notification",
  [WORKFLOWS.dependentCascade]: "cascade",
  [WORKFLOWS.driftChecks]: "drift",
  [WORKFLOWS.schedules]: "schedules",
};

const IN_PARALLEL = 16;
const GIVE_UP_AFTER = 50;

/**
 * One pass. Running it twice at once is safe: every step is idempotent.
 * @throws TemporalUnavailable, or the first failure of single rows after all others were healed.
 */
export async function reconcile(
  { db, timeouts }: Needs,
  temporal: Temporal,
  { healed = () => {} }: ReconcileOptions = {},
): Promise<ReconcileCounts> {
  const counts: ReconcileCounts = {
    started: 0,
    poked: 0,
    restarted: 0,
    reread: 0,
    ended: 0,
    selectors_recomputed: 0,
  };
  const heal: Pass["heal"] = (workflow, action, by = 1) => {
    counts[action] += by;
    for (let i = 0; i < by; i++) healed(workflow, action);
  };
  const identity = await readIdentity(temporal);
  const pass: Pass = { db, timeouts, temporal, open: new Map(), live: new Set(), heal, failures: [] };
  for await (const workflow of temporal.listOpen(Object.keys(KINDS))) {
    pass.open.set(workflow.workflowId, workflow);
  }
  const overdue: string[] = [];
  for (const kind of [
    "deployment",
    "lease",
    "preview",
    "scmEvent",
    "cascade",
    "task",
    "notification",
    "drift",
    "schedules",
  ] as const)
    overdue.push(...(await healRows(pass, kind)));
  await clearOtherMarks(db, "overdue", overdue);
  await healWorkflows(pass);
  await recomputeSelectors(pass);
  if (pass.failures.length > 0) throw pass.failures[0];
  if (identity !== null) await rememberIdentity(pass, identity);
  return counts;
}

/** Every live row has an open workflow that is not late. Returns the workflow ids of rows that are overdue. */
async function healRows(pass: Pass, kind: RowKind): Promise<string[]> {
  const overdue: string[] = [];
  for await (const page of liveRows(pass.db, kind, pass.timeouts)) {
    for (const row of page) pass.live.add(row.start.workflowId);
    await eachAtOnce(pass, page, async (row) => {
      const execution = pass.open.get(row.start.workflowId);
      if (execution === undefined) return start(pass, kind, row);
      if (!row.overdue) return;
      overdue.push(execution.workflowId);
      await healOverdue(pass, kind, row, execution);
    });
  }
  return overdue;
}

/** The list of open workflows is some seconds old, so most of what it lacks was started just now. */
async function start(pass: Pass, kind: RowKind, row: LiveRow): Promise<void> {
  if ((await pass.temporal.start(row.start)) === "started") pass.heal(kind, "started");
}

async function healOverdue(pass: Pass, kind: RowKind, row: LiveRow, execution: OpenWorkflow): Promise<void> {
  if (await setMark(pass.db, "overdue", execution)) {
    await pass.temporal.terminate(execution, "its row is overdue and a reread did not help");
    await pass.temporal.start(row.start);
    pass.heal(kind, "restarted");
  } else {
    await poke(pass.temporal, kind, execution.workflowId);
    pass.heal(kind, "poked");
  }
}

/**
 * A signal does not wake one that sleeps too long. That no worker takes the waking is the workers' fault, and told
 * elsewhere.
 */
async function poke(
  temporal: Temporal,
  kind: RowKind | "none",
  workflowId: string,
): Promise<Awaited<ReturnType<Temporal["signal"]>>> {
  const outcome = await temporal.signal(workflowId, "reread");
  if (outcome === "missing" || (kind !== "deployment" && kind !== "lease")) return outcome;
  await temporal.wake(workflowId, "reread").catch((error: unknown) => {
    if (!(error instanceof TemporalUnavailable) || error.reason !== "deadline") throw error;
  });
  return outcome;
}

/** Every open workflow has a live row. One without is asked to look first, since it may be about to end by itself. */
async function healWorkflows(pass: Pass): Promise<void> {
  const without = [...pass.open.values()].filter(({ workflowId }) => !pass.live.has(workflowId));
  await eachAtOnce(pass, without, async (execution) => {
    const row = parseWorkflowId(execution.workflowId);
    const kind = KINDS[execution.type] ?? "none";
    if (!(await setMark(pass.db, "without_row", execution))) {
      if ((await poke(pass.temporal, kind, execution.workflowId)) === "delivered") pass.heal(kind, "reread");
      return;
    }
    // A run that went back to its queue may have been claimed again since the rows were read.
    if (row !== null && (await isLive(pass.db, row.kind, row.rowId))) return;
    await pass.temporal.terminate(execution, "its row is terminal or gone");
    pass.heal(kind, "ended");
  });
  await clearOtherMarks(
    pass.db,
    "without_row",
    without.map(({ workflowId }) => workflowId),
  );
}

/**
 * Which groups serve which selectors is kept by whoever writes one; here it is recomputed, and a difference is a fault.
 */
async function recomputeSelectors(pass: Pass): Promise<void> {
  const orgs = await pass.db.execute<{ id: string }>(sql`select id from organizations order by id`);
  for (const { id } of orgs) {
    const [row] = (await pass.db.execute(sql`select match_selectors(${id}) as changed`)) as unknown as [
      { changed: number },
    ];
    if (row.changed > 0) pass.heal("none", "selectors_recomputed", row.changed);
  }
}

async function rememberIdentity({ db }: Pass, { clusterId, namespaceId }: TemporalIdentity): Promise<void> {
  await db.execute(sql`
    insert into temporal_identity (cluster_id, namespace_id) values (${clusterId}, ${namespaceId})
    on conflict (singleton) do update
      set cluster_id = excluded.cluster_id, namespace_id = excluded.namespace_id, seen_at = excluded.seen_at`);
}

/** Some at a time; one that fails does not keep the others from being healed, many mean that a server is away. */
async function eachAtOnce<T>(pass: Pass, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) {
      await work(item).catch((error: unknown) => pass.failures.push(error));
      if (pass.failures.length >= GIVE_UP_AFTER) throw pass.failures[0];
    }
  };
  await Promise.all(Array.from({ length: Math.min(IN_PARALLEL, items.length) }, worker));
}
