/**
 * The run context: everything an ephemeral runner needs, answered once by accept
 * (docs/rules/runner-protocol.md#the-run-context). Secrets appear here and nowhere else. Labels are read at accept;
 * repository, directory, tool and commit come from the deployment's snapshot.
 */
import { sql } from "drizzle-orm";
import type { Keyring } from "../../platform/crypto/keyring.ts";
import type { Queryable } from "../../platform/db/client.ts";
import type { Joined, SqlRow } from "../../platform/db/sqlRow.ts";
import { currentTraceparent, linkTrace } from "../../platform/telemetry/traceContext.ts";
import { openCommand } from "../deployments/rawCommands/rawCommand.ts";
import type { rawCommands } from "../deployments/rawCommands/schema.ts";
import type { KeptOfContext } from "../deployments/transitions/accept.ts";
import { type Hooks, LOG_CHUNK_BYTES, type RunContext, type RunIdentity } from "../runs/protocol.ts";
import type { runs } from "../runs/schema.ts";
import type { StateMode } from "../stacks/schema.ts";
import { ContextLateError, orRefused, RunnerTooOldError } from "./contextErrors.ts";
import { type ContextSubject, subjectColumn } from "./contextSubject.ts";
import { runEnvironment } from "./runEnvironment.ts";
import { stateOf } from "./runState.ts";

/**
 * Where the parts that differ by installation come from. Each may call out and holds no lock meanwhile; `signal` aborts
 * when the rest of the lease no longer allows it.
 */
export type ContextSources = {
  environment(subject: ContextSubject, signal: AbortSignal): Promise<RunContext["environment"]>;
  cloudAccess(
    subject: ContextSubject,
    signal: AbortSignal,
  ): Promise<Pick<RunContext, "runtime_credentials"> & { identities: RunIdentity[] }>;
  /** New tokens for a run that goes on. */
  identities(subject: ContextSubject): Promise<RunIdentity[]>;
  scmCredentials(subject: ContextSubject, signal: AbortSignal): Promise<RunContext["scm_credentials"]>;
};

/** For an installation without contexts, cloud integrations and private repositories. */
export const noSources: ContextSources = {
  environment: async () => [],
  cloudAccess: async () => ({ runtime_credentials: [], identities: [] }),
  identities: async () => [],
  scmCredentials: async () => null,
};

/** A runner has to know that its run takes no lane, and older ones know no checks. */
const MODE_FOR_RUNNERS = sql`case d.mode when 'drift' then 'plan_unlocked' else d.mode end`;

/** Also of what is looked at again: hosts keep a head that was promoted under the number of its request. */
const PULL_REQUEST_OF_CODE = sql`coalesce(d.origin_pr_number, case when d.provenance = 'promoted' then (
  select o.origin_pr_number from deployments o where o.stack_key = d.stack_key and o.commit_sha = d.commit_sha
    and o.origin_type = 'promoted_pull_request' order by o.created_at desc, o.id desc limit 1) end)`;

/** Modes in which an apply follows the plan. */
const APPLICABLE_MODES: ReadonlySet<string> = new Set(["plan", "destroy", "refresh"]);
/** Never less than this is left for the transaction and the answer, in milliseconds. */
const LEFT_FOR_ACCEPT_MS = 5_000;
/**
 * What needs nobody outside is ready by then, and that the lease has lapsed meanwhile is for the accept itself to say.
 */
const LEAST_MS = 1_000;

type Limits = {
  artifactBytes: number;
  treeBytes: number;
  maxRunDurationMs: number;
  /** Whether the runner refuses a commit that is not on the branch; what must be there is foreign to any other. */
  looksAtBranch: boolean;
  /** Whether the runner keeps identities renewed. */
  renewsIdentities: boolean;
  /** Whether the runner carries out hooks. */
  runsHooks: boolean;
};

/** A runner with an assigned run, and what it speaks. */
type Caller = { runId: string; runnerId: string; protocol: number };

/** The first runners that apply on the tree of the plan. */
const TREES_SINCE = { protocol: 2, version: "0.2.0" };

/** The first runners that write identities to files. */
const IDENTITIES_SINCE = "0.4.0";
const HOOKS_SINCE = "0.4.0";
const WHY_HOOKS = "The stack has hooks, which its runs carry out";
const WHY_IDENTITIES = "The stack's runs have identities, which their runner has to renew";

type ContextRow = {
  context: Omit<
    RunContext,
    | "environment"
    | "changed_since_plan"
    | "runtime_credentials"
    | "identities"
    | "scm_credentials"
    | "raw"
    | "traceparent"
    | "state"
    | "hooks"
  >;
  subject: ContextSubject;
  hooks: Hooks;
  lease_left_ms: number;
  state_mode: StateMode;
  has_state: boolean;
} & SqlRow<typeof runs, "traceparent"> &
  Joined<{ command_id: string } & SqlRow<typeof rawCommands, "script">>;

/** A run's context, and what of it its apply will be given again. */
export type BuiltContext = { context: RunContext; kept: KeptOfContext };

/**
 * Build the context for a run assigned to `runnerId` with its lease running; null when it is not, and then accept
 * itself knows the reason. Two parts of a lease must remain: minting takes no more than what leaves room for the
 * transaction.
 * @throws ContextLateError, RunnerTooOldError, ContextRefusedError when the run can never have its context,
 * DecryptionError, and whatever a source throws
 */
export async function buildContext(
  { db, keyring, sources }: { db: Queryable; keyring: Keyring; sources: ContextSources },
  limits: Limits,
  { runId, runnerId, protocol }: Caller,
): Promise<BuiltContext | null> {
  const row = await readContext(db, limits, runId, runnerId);
  if (row === undefined) return null;
  const { context, subject, lease_left_ms } = row;
  // Such a runner would fetch the files again, and apply what nobody has seen.
  if (context.run.tree_sha256 && protocol < TREES_SINCE.protocol) throw new RunnerTooOldError(TREES_SINCE.version);
  const hooks = hooksOf(row);
  if (hooks.hooks !== undefined && !limits.runsHooks) throw new RunnerTooOldError(HOOKS_SINCE, WHY_HOOKS);
  const { state, stateTokenHash } = stateOf(row, protocol);
  const budget = Math.max(lease_left_ms - LEFT_FOR_ACCEPT_MS, lease_left_ms / 2, LEAST_MS);
  const signal = AbortSignal.timeout(Math.floor(budget));
  const [{ given, kept }, { runtime_credentials, identities }, scm_credentials] = await within(signal, [
    runEnvironment({ db, keyring }, environmentRun(row), () => sources.environment(subject, signal)),
    sources.cloudAccess(subject, signal),
    sources.scmCredentials(subject, signal),
  ]);
  if (identities.length > 0 && !limits.renewsIdentities) throw new RunnerTooOldError(IDENTITIES_SINCE, WHY_IDENTITIES);
  const raw = await rawOf(keyring, row);
  const traced = traceOf(row);
  return {
    context: {
      ...{ ...context, ...raw, ...hooks, ...traced, ...given, ...state, runtime_credentials, scm_credentials },
      ...(identities.length > 0 && { identities }),
    },
    kept: { environment: kept, stateTokenHash },
  };
}

/** Whose plan this run applies, or whether an apply may follow it: no plan outside the lane is ever applied. */
function environmentRun({ context, subject }: ContextRow): Parameters<typeof runEnvironment>[1] {
  const mayBeApplied = APPLICABLE_MODES.has(subject.mode) && context.run.plan_run_id === null;
  return { id: subject.runId, planRunId: context.run.plan_run_id, mayBeApplied };
}

/**
 * A runner is asked for spans only while the service itself makes some; this call's own span tells of the trace it
 * belongs to.
 */
function traceOf({ traceparent }: ContextRow): Pick<RunContext, "traceparent"> {
  if (traceparent === null || currentTraceparent() === null) return {};
  linkTrace(traceparent);
  return { traceparent };
}

/**
 * Those of this run's kind, as the deployment was made with them. Foreign code gets none: what it brings would be
 * carried out by the stack's own commands. A check for drift only looks, so nothing follows its plan.
 */
function hooksOf({ hooks, subject }: ContextRow): Pick<RunContext, "hooks"> {
  if (subject.isForeign || subject.runKind === "raw_run") return {};
  const { before_plan, after_plan, before_apply, after_apply } = hooks;
  const ofKind =
    subject.runKind === "apply_run"
      ? { before_apply, after_apply }
      : { before_plan, ...(subject.mode !== "drift" && { after_plan }) };
  const given = Object.fromEntries(Object.entries(ofKind).filter(([, text]) => text !== undefined));
  return Object.keys(given).length === 0 ? {} : { hooks: given };
}

const DAMAGED_COMMAND =
  "The command is damaged in the service's store: run it again. Nothing was run (command_damaged).";

/** The script of a raw run: opened here, on its way to its runner, and nowhere else. */
async function rawOf(keyring: Keyring, { subject, ...command }: ContextRow): Promise<Pick<RunContext, "raw">> {
  if (subject.runKind !== "raw_run") return {};
  if (command.command_id === null) throw new Error(`raw run ${subject.runId} has no command`);
  const opening = openCommand(keyring, { id: command.command_id, script: command.script });
  return { raw: { script: await orRefused(opening, DAMAGED_COMMAND) } };
}

/** All of `parts`, or an error when `signal` comes first: a source that ignores it must not hold the request. */
async function within<T extends unknown[]>(signal: AbortSignal, parts: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new ContextLateError(signal.reason)), { once: true });
  });
  return Promise.race([Promise.all(parts) as Promise<T>, late]);
}

async function readContext(
  db: Queryable,
  limits: Limits,
  runId: string,
  runnerId: string,
): Promise<ContextRow | undefined> {
  const rows = await db.execute<ContextRow>(sql`
    select jsonb_build_object(
        'run', jsonb_build_object('id', r.id, 'org_id', r.org_id, 'kind', r.kind, 'state_locked', r.state_locked,
          'plan_run_id', r.plan_run_id, 'plan_sha256', p.plan_sha256, 'tree_sha256', p.tree_sha256,
          'targets', to_jsonb(r.targets), 'excludes', to_jsonb(r.excludes), 'replaces', to_jsonb(r.replaces)),
        'deployment', jsonb_build_object('id', d.id, 'mode', ${MODE_FOR_RUNNERS}, 'origin_type', d.origin_type, 'commit_sha', d.commit_sha),
        'stack', jsonb_build_object('id', s.slug, 'key', s.stack_key, 'name', s.name, 'working_directory', d.working_directory,
          'tool', d.tool, 'tool_version', d.tool_version, 'labels', s.labels),
        'source', case when d.local_source_key is null
          then jsonb_build_object('type', 'git', 'repository_url', d.repository_url, 'branch', d.branch, 'commit_sha', d.commit_sha)
            || case when ${PULL_REQUEST_OF_CODE} is null then '{}' else jsonb_build_object('pull_request', ${PULL_REQUEST_OF_CODE}) end
            || case when d.commit_message is null then jsonb_build_object('describe_commit', true) else '{}' end
            || case when d.provenance = 'unknown' then jsonb_build_object('must_be_on_branch', true) else '{}' end
          else jsonb_build_object('type', 'local', 'sha256', d.local_source_sha256, 'size', coalesce(u.size, 0)) end,
        'limits', jsonb_build_object(
          'max_run_duration_seconds',
            ceil(coalesce(s.max_run_duration_ms, ${limits.maxRunDurationMs}::bigint) / 1000.0)::bigint,
          'log_chunk_bytes', ${LOG_CHUNK_BYTES}::int, 'artifact_bytes', ${limits.artifactBytes}::bigint,
          'tree_bytes', ${limits.treeBytes}::bigint)) as context,
      ${subjectColumn(limits)} as subject,
      d.hooks, k.id as command_id, k.script, r.traceparent, s.state_mode, coalesce(h.last_number, 0) > 0 as has_state,
      (extract(epoch from r.assigned_expires_at - t.now) * 1000)::float8 as lease_left_ms
    from runs r join deployments d on d.id = r.deployment_id join stacks s on s.stack_key = d.stack_key
    left join runs p on p.id = r.plan_run_id
    left join raw_commands k on k.deployment_id = d.id and r.kind = 'raw_run'
    left join pull_requests q on q.id = d.pull_request_id
    left join local_sources u on u.id = d.local_source_key
    left join stack_states h on h.stack_key = d.stack_key
    cross join lateral (select svc_now() as now) t
    where r.id = ${runId} and r.status = 'assigned' and r.assigned_runner_id = ${runnerId}
      and r.assigned_expires_at > t.now`);
  return rows[0];
}
