/**
 * The runner protocol on the wire: what the service answers and what a runner sends (docs/rules/runner-protocol.md).
 * A leaf file: the service validates with it, the reference runner and the simulated runners of the benches speak it.
 */
import * as v from "valibot";
import { mapOf } from "../../platform/json/mapOf.ts";

/** Kinds of run. The first three write a plan file; `apply_run` consumes one. */
export const RUN_KINDS = ["plan_run", "destroy_run", "refresh_run", "apply_run", "raw_run"] as const;
export type RunKind = (typeof RUN_KINDS)[number];

/**
 * Artifacts a run may upload. `plan` is the engine's own plan file, `tree` the files it was made from, as a gzipped
 * tar; people never see `plan`, `plan-json` or `tree`.
 */
export const ARTIFACT_KINDS = ["plan", "analysis", "plan-json", "changes", "plan-text", "tree"] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

/** Largest sealed log chunk in bytes; a longer one is 413. The runner seals at this size. */
export const LOG_CHUNK_BYTES = 65_536;

/** Answer of `GET /runner-groups/poll` when a run was claimed (200). No work and throttled are 204. */
export const PollAnswer = v.object({ run_id: v.string(), runner_id: v.string() });
export type PollAnswer = v.InferOutput<typeof PollAnswer>;

/** What a coordinator may have around each run. */
export const IsolationName = v.picklist(["bubblewrap", "user", "command", "none"]);

/** Body of `POST /runner-groups/heartbeat`. */
export const HeartbeatBody = v.object({
  version: v.optional(v.pipe(v.string(), v.maxLength(100))),
  /** What is around each run; says why a fork's preview waits. */
  isolation: v.optional(IsolationName),
});

/** Body of `POST /runner-groups/dispatch-failed`: the claimed run could not be started on a machine. */
export const DispatchFailedBody = v.object({
  run_id: v.pipe(v.string(), v.uuid()),
  runner_id: v.pipe(v.string(), v.uuid()),
  error: v.pipe(v.string(), v.maxLength(4_000)),
});

/** Body of `POST /runs/{id}/logs/live`: the bytes of the active chunk so far, gzipped then base64. */
export const LiveLogBody = v.object({
  chunk_index: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000)),
  sealed_chunks: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000)),
  data: v.pipe(v.string(), v.base64(), v.maxLength(200_000)),
});

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * What a plan would do, measured from the engine's JSON plan. `counts` null means unmeasured, which is never zero;
 * `gaps` says why something could not be measured.
 */
export const PlanSummary = v.object({
  has_changes: v.boolean(),
  counts: v.nullable(
    v.object({ add: count, change: count, destroy: count, replace: count, import: count, forget: count, move: count }),
  ),
  gaps: v.array(v.pipe(v.string(), v.maxLength(500))),
  warnings: v.optional(
    v.pipe(
      v.array(v.pipe(v.string(), v.maxLength(500))),
      v.metadata({
        description: "What to know before confirming. Unlike a gap it puts no figure in doubt and stops no approval.",
      }),
    ),
  ),
});
export type PlanSummary = v.InferOutput<typeof PlanSummary>;

/** As many addresses as a report of drift may name. */
export const MOST_DRIFTED = 500;

/**
 * What the engine found changed outside of it: addresses as people may see them, by their order, and how many there
 * are. Made of the plan's own list, not of its counts.
 */
export const DriftReport = v.object({
  resources: v.pipe(
    v.array(
      v.object({
        address: v.pipe(v.string(), v.minLength(1), v.maxLength(1_024)),
        action: v.pipe(v.string(), v.maxLength(20)),
      }),
    ),
    v.maxLength(MOST_DRIFTED),
  ),
  total: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 31 - 1)),
});
export type DriftReport = v.InferOutput<typeof DriftReport>;

/** 32 bits with their sign, as the database keeps it. */
const ExitCode = v.pipe(v.number(), v.integer(), v.minValue(-(2 ** 31)), v.maxValue(2 ** 31 - 1));

const DONE_STATUSES = ["success", "failure", "cancelled", "timed_out"] as const;
export type DoneStatus = (typeof DONE_STATUSES)[number];

/** Body of `POST /runs/{id}/accept`; a runner of an older version sends none. */
export const AcceptBody = v.object({
  protocol: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.metadata({
        description:
          "3: the runner knows states that the service keeps; 2: it applies a plan on the tree that it left; 1 where there is none",
      }),
    ),
  ),
  renews_identities: v.optional(
    v.pipe(v.boolean(), v.metadata({ description: "The runner writes identities to files and keeps them renewed" })),
  ),
  runs_hooks: v.optional(
    v.pipe(v.boolean(), v.metadata({ description: "The runner carries out hooks around plan and apply" })),
  ),
  looks_at_branch: v.optional(
    v.pipe(
      v.boolean(),
      v.metadata({ description: "The runner refuses what `source.must_be_on_branch` is not true of" }),
    ),
  ),
});
export type AcceptBody = v.InferOutput<typeof AcceptBody>;

/** A token by which the run shows a cloud who it is. It ends soon, and is renewed while the run goes on. */
export const RunIdentity = v.object({
  provider_type: v.string(),
  name: v.string(),
  token: v.string(),
  expires_at: v.string(),
  expires_in: v.pipe(v.number(), v.metadata({ description: "Seconds from now, whatever the runner's clock says" })),
  settings: v.pipe(
    mapOf(v.string(), v.string()),
    v.metadata({ description: "What the run's tools have to know besides; no secret" }),
  ),
});
export type RunIdentity = v.InferOutput<typeof RunIdentity>;

/** Answer of `POST /runs/{id}/identities`. */
export const RunIdentities = v.object({ items: v.array(RunIdentity) });
export type RunIdentities = v.InferOutput<typeof RunIdentities>;

/** What a commit says of itself. */
export const CommitReport = v.object({
  message: v.string(),
  author: v.nullable(v.string()),
});
export type CommitReport = v.InferOutput<typeof CommitReport>;

/**
 * Body of `POST /runs/{id}/done`. An invalid `plan_summary` counts as unmeasured, an invalid `drift` or `commit` as
 * none; neither rejects the report.
 */
export const DoneBody = v.object({
  status: v.picklist(DONE_STATUSES),
  exit_code: v.optional(v.nullable(ExitCode)),
  plan_summary: v.optional(v.unknown()),
  drift: v.optional(
    v.pipe(v.unknown(), v.metadata({ description: "Of a refresh_run: what was found changed outside of the engine" })),
  ),
  commit: v.optional(
    v.pipe(
      v.unknown(),
      v.metadata({ description: "Message and author of the commit, when `source.describe_commit` asks for them" }),
    ),
  ),
  on_branch: v.optional(
    v.pipe(
      v.unknown(),
      v.metadata({ description: "True when the runner was to look and has found the commit on the branch" }),
    ),
  ),
  error: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(4_000)))),
});
export type DoneBody = v.InferOutput<typeof DoneBody>;

/** Of an engine's environment; a secret one is hidden in every text of the run. */
export const Variable = v.object({ name: v.string(), value: v.string(), secret: v.boolean() });

const GitSource = v.object({
  type: v.literal("git"),
  repository_url: v.string(),
  branch: v.string(),
  commit_sha: v.string(),
  /** The number of the pull request whose head the commit is or was; such a commit need not be on the branch. */
  pull_request: v.optional(v.number()),
  /** The service knows the commit's id alone: `done` should say its message and author. */
  describe_commit: v.optional(v.boolean()),
  /** No host could tell: the run fails, before anything of the commit is run, unless the branch's history has it. */
  must_be_on_branch: v.optional(v.boolean()),
});
export type GitSource = v.InferOutput<typeof GitSource>;

/** Files that a person uploaded: a gzipped tar served at `GET /runs/{id}/source`, with its digest and size in bytes. */
const LocalSource = v.object({ type: v.literal("local"), sha256: v.string(), size: v.number() });
export type LocalSource = v.InferOutput<typeof LocalSource>;

const Hook = v.optional(v.string());
/** Commands around plan and apply. */
export const Hooks = v.object({ before_plan: Hook, after_plan: Hook, before_apply: Hook, after_apply: Hook });
export type Hooks = v.InferOutput<typeof Hooks>;
export type HookName = keyof Hooks;

const Login = v.object({ username: v.string(), password: v.string() });

/** Everything an ephemeral runner needs to execute one run: the answer to accept, given once. */
export const RunContext = v.pipe(
  v.object({
    run: v.object({
      id: v.string(),
      org_id: v.string(),
      kind: v.picklist(RUN_KINDS),
      /** Whether the engine locks the state: false for plan-style runs, true for apply and raw. */
      state_locked: v.boolean(),
      /** The plan this apply consumes; its artifact is served under this run's own artifact route. */
      plan_run_id: v.nullable(v.string()),
      /** Hex SHA-256 of that plan, fixed when the plan succeeded. */
      plan_sha256: v.nullable(v.string()),
      /**
       * Hex SHA-256 of the tree that plan left, on which it is applied. Null where the plan's runner sealed none: the
       * files are fetched again. Absent from a service that knows no trees.
       */
      tree_sha256: v.optional(v.nullable(v.string())),
      targets: v.array(v.string()),
      excludes: v.array(v.string()),
      replaces: v.array(v.string()),
    }),
    deployment: v.object({ id: v.string(), mode: v.string(), origin_type: v.string(), commit_sha: v.string() }),
    stack: v.object({
      id: v.string(),
      /** Stays when the stack is renamed; a service of an older version tells none. */
      key: v.optional(v.string()),
      name: v.string(),
      working_directory: v.string(),
      tool: v.picklist(["terraform", "tofu"]),
      tool_version: v.nullable(v.string()),
      labels: mapOf(v.string(), v.string()),
    }),
    source: v.variant("type", [GitSource, LocalSource]),
    /** What a raw run executes; no other run has it. Never written to a log. */
    raw: v.optional(v.object({ script: v.string() })),
    /** Commands of the stack's settings that this run carries out around plan or apply; absent where there are none. */
    hooks: v.optional(Hooks),
    /** Variables of the engine's environment; `secret` values are masked in every log. */
    environment: v.array(Variable),
    /**
     * Of an apply, whose variables are those of its plan: the ones that contexts give otherwise by now, or not at all.
     * What a secret is today is masked in every log as well.
     */
    changed_since_plan: v.optional(
      v.array(
        v.object({
          name: v.string(),
          secret_now: v.pipe(v.nullable(v.string()), v.metadata({ description: "Null unless it is a secret today" })),
        }),
      ),
    ),
    /** Short-lived cloud credentials, one entry per integration; every value of a profile is masked in every log. */
    runtime_credentials: v.array(
      v.object({
        provider_type: v.string(),
        profiles: mapOf(v.string(), mapOf(v.string(), v.string())),
        /** When the first of them ends. */
        expires_at: v.string(),
      }),
    ),
    /** Identities of the run, one for each use; every token is masked in every log. Absent where there are none. */
    identities: v.optional(v.array(RunIdentity)),
    /**
     * What git needs to clone, or null for a public repository, with the name of the integration that it comes from,
     * for errors that people read. `owner` opens the other repositories of the same owner at the same origin, for
     * submodules and private modules; foreign code never gets it.
     */
    scm_credentials: v.nullable(
      v.object({
        ...Login.entries,
        integration: v.optional(v.string()),
        owner: v.optional(v.pipe(Login, v.metadata({ description: "For submodules and private modules" }))),
      }),
    ),
    /**
     * The state that the service keeps for the stack, absent where the stack says that it is kept elsewhere. In mode
     * `auto` it counts when the configuration has neither a backend nor a cloud block. The token opens it at
     * `runs/{id}/state` for as long as the run lives; null for foreign code, which is given no state.
     */
    state: v.optional(
      v.object({
        mode: v.picklist(["auto", "hosted"]),
        token: v.nullable(v.string()),
        /** Whether a state of the stack was ever stored. */
        has_versions: v.boolean(),
      }),
    ),
    /** W3C trace context of what made the run; absent when the service keeps no traces. */
    traceparent: v.optional(v.string()),
    limits: v.object({
      max_run_duration_seconds: v.number(),
      log_chunk_bytes: v.number(),
      artifact_bytes: v.number(),
      /** Of a tree, packed and unpacked. Absent from a service that knows no trees. */
      tree_bytes: v.optional(v.number()),
    }),
  }),
  v.metadata({ ref: "RunContext" }),
);
export type RunContext = v.InferOutput<typeof RunContext>;

/** Answer of `GET /runs/{id}/status`. */
export const RunStatusAnswer = v.object({ status: v.string() });
export type RunStatusAnswer = v.InferOutput<typeof RunStatusAnswer>;

/** JWT claims. The coordinator signs both kinds with the group's key; `kid` is the group id. */
export type GroupClaims = { token_type: "runner_group"; group_id: string; iat: number; exp: number };
export type RunnerClaims = {
  token_type: "runner";
  group_id: string;
  runner_id: string;
  run_id: string;
  iat: number;
  exp: number;
};
