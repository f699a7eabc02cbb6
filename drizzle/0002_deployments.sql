-- Stacks, deployments, stages, runs and the runners that execute them (spec 2.3, 2.4, 3; design 2 and 6.8).

create table stacks (
  -- The surrogate key is the stack's incarnation: a re-created stack with an old slug is another stack.
  stack_key uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9._-]{1,100}$'),
  name text not null check (length(name) between 1 and 100),
  repository_url text not null,
  branch text not null,
  working_directory text not null default '.',
  tool text not null default 'terraform' check (tool in ('terraform', 'tofu')),
  tool_version text,
  labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'),
  authz_groups text[] not null default '{}',
  pr_plan_mode text not null default 'manual' check (pr_plan_mode in ('manual', 'auto')),
  auto_approve_mode text not null default 'manual' check (auto_approve_mode in ('manual', 'auto', 'non_destructive')),
  deploy_on_push boolean not null default true,
  -- Queue policy in milliseconds; null means no limit (max_run_duration: the service's default).
  queued_timeout_ms bigint check (queued_timeout_ms > 0),
  confirmation_timeout_ms bigint check (confirmation_timeout_ms > 0),
  supersede_age_ms bigint check (supersede_age_ms > 0),
  max_run_duration_ms bigint check (max_run_duration_ms > 0),
  held_at timestamptz,
  held_by text,
  hold_reason text,
  -- A derived summary of the newest lane-using deployment, written in each transition's own transaction.
  latest_deployment_id uuid,
  latest_deployment_status text,
  latest_deployment_mode text,
  latest_deployment_commit_sha text,
  latest_deployment_created_at timestamptz,
  latest_deployment_completed_at timestamptz,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  deleted_at timestamptz
);
create unique index stacks_live_slug on stacks (org_id, slug) where deleted_at is null;
create index stacks_by_created on stacks (org_id, created_at, stack_key) where deleted_at is null;

create table runner_groups (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  labels jsonb not null default '{}' check (jsonb_typeof(labels) = 'object'),
  max_concurrent_runs integer not null default 10 check (max_concurrent_runs between 1 and 10000),
  -- The private key is returned once, at creation or rotation, and stored nowhere.
  public_key_pem text not null,
  public_key_fingerprint text not null,
  last_contact_at timestamptz,
  runner_version text,
  last_dispatch_error text,
  last_dispatch_error_at timestamptz,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, name)
);
alter table organizations add foreign key (default_runner_group_id) references runner_groups on delete set null;
create index organizations_by_default_group on organizations (default_runner_group_id);

-- A run's selector, once per distinct set of labels in an organization; the runs point at it.
create table runner_selectors (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  labels jsonb not null check (jsonb_typeof(labels) = 'object'),
  unique (org_id, labels)
);
-- Which group serves which selector: kept when groups, selectors or the default change, so that a claim never matches labels.
create table group_selectors (
  group_id uuid not null references runner_groups on delete cascade,
  selector_id uuid not null references runner_selectors on delete cascade,
  primary key (group_id, selector_id)
);
create index group_selectors_by_selector on group_selectors (selector_id);

-- The rows a claim locks for a moment: capacity is counted under the group's, limits under the organization's.
create table dispatch_groups (group_id uuid primary key references runner_groups on delete cascade);
create table dispatch_orgs (
  org_id uuid primary key references organizations on delete cascade,
  -- Token bucket; null means full.
  tokens double precision,
  refilled_at timestamptz,
  throttled_until timestamptz
);

create table deployments (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  stack_key uuid not null references stacks on delete cascade,
  mode text not null check (mode in ('plan', 'destroy', 'refresh', 'plan_unlocked', 'raw')),
  status text not null check (status in ('queued', 'pending', 'planning', 'applying', 'waiting', 'requested_cancellation',
    'cancelling', 'finished', 'failed', 'cancelled', 'skipped')),
  -- What the deployment runs, fixed at creation: replan, apply and retry use it whatever the stack says later.
  repository_url text not null,
  branch text not null,
  working_directory text not null,
  tool text not null,
  tool_version text,
  commit_sha text not null check (commit_sha ~ '^[0-9a-f]{40}([0-9a-f]{24})?$'),
  commit_message text,
  commit_author text,
  origin_type text not null default 'manual' check (origin_type in ('manual', 'push', 'dependency', 'pull_request',
    'promoted_pull_request', 'local')),
  created_by text,
  created_by_kind text check (created_by_kind in ('user', 'service_account')),
  created_at timestamptz not null default svc_now(),
  prioritized_at timestamptz,
  prioritized_by text,
  -- Set while the deployment waits for a person, and only then.
  waiting_since timestamptz,
  cancel_requested_at timestamptz,
  completed_at timestamptz,
  skipped_reason text,
  error text,
  dependents_resolved_at timestamptz,
  check ((status in ('finished', 'failed', 'cancelled', 'skipped')) = (completed_at is not null)),
  check ((status = 'waiting') = (waiting_since is not null)),
  check (status not in ('requested_cancellation', 'cancelling') or cancel_requested_at is not null),
  check ((prioritized_at is null) = (prioritized_by is null)),
  check (skipped_reason is null or status = 'skipped'),
  check ((created_by is null) = (created_by_kind is null)),
  check (completed_at >= created_at)
);
-- The lane: at most one holder per stack incarnation. A violation is a bug, never an answer.
create unique index deployments_lane on deployments (stack_key)
  where status in ('pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling')
    and mode <> 'plan_unlocked';
-- The queue in its order (spec 3.2): the promote primitive reads one entry of it.
create index deployments_queue on deployments (stack_key, prioritized_at, created_at, id) where status = 'queued';
create index deployments_by_stack on deployments (stack_key, created_at desc, id desc);
create index deployments_newest_plan on deployments (stack_key, created_at desc, id desc) where mode = 'plan';
create index deployments_live on deployments (id)
  where status not in ('finished', 'failed', 'cancelled', 'skipped');

create table runs (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  deployment_id uuid not null references deployments on delete cascade,
  kind text not null check (kind in ('plan_run', 'destroy_run', 'refresh_run', 'apply_run', 'raw_run')),
  status text not null check (status in ('queued', 'pending', 'assigned', 'running', 'requested_cancellation', 'cancelling',
    'success', 'failure', 'cancelled', 'timed_out', 'startup_timeout', 'discarded')),
  -- Snapshot of the stack's runner-group labels at creation, kept for ever.
  selector_id uuid not null references runner_selectors,
  state_locked boolean not null,
  plan_run_id uuid references runs,
  targets text[] not null default '{}',
  excludes text[] not null default '{}',
  replaces text[] not null default '{}',
  prioritized_at timestamptz,
  created_at timestamptz not null default svc_now(),
  first_pending_at timestamptz,
  -- Raised by each claim; a hand-back must name the claim it takes back.
  claim_seq integer not null default 0,
  assignment_attempts integer not null default 0,
  assigned_runner_id uuid,
  assigned_group_id uuid references runner_groups on delete set null,
  assigned_at timestamptz,
  assigned_expires_at timestamptz,
  started_at timestamptz,
  cancel_requested_at timestamptz,
  completed_at timestamptz,
  exit_code integer,
  error text,
  plan_summary jsonb,
  -- Fixed in the transaction that stores the plan's success; the runner of the apply checks it.
  plan_sha256 text,
  -- Hash of the canonical report, so that a repeat can be told from another report.
  done_sha256 text,
  check ((status in ('success', 'failure', 'cancelled', 'timed_out', 'startup_timeout', 'discarded')) = (completed_at is not null)),
  check ((status = 'assigned') = (assigned_expires_at is not null)),
  check (status not in ('running', 'requested_cancellation', 'cancelling', 'success', 'timed_out') or started_at is not null),
  check (status not in ('pending', 'assigned', 'running') or first_pending_at is not null),
  check (status not in ('requested_cancellation', 'cancelling') or cancel_requested_at is not null),
  check ((kind = 'apply_run') = (plan_run_id is not null)),
  check (cardinality(targets) = 0 or cardinality(excludes) = 0),
  check (started_at >= created_at),
  check (completed_at >= coalesce(started_at, created_at))
);
-- One saved plan reaches at most one apply run, ever.
create unique index runs_one_apply_per_plan on runs (plan_run_id) where plan_run_id is not null;
-- A deployment has at most one run in flight.
create unique index runs_one_live_per_deployment on runs (deployment_id)
  where status in ('queued', 'pending', 'assigned', 'running', 'requested_cancellation', 'cancelling');
create index runs_by_deployment on runs (deployment_id);
-- The claim reads the head of this index for each selector of its group.
create index runs_claimable on runs (selector_id, prioritized_at, first_pending_at, id) where status = 'pending';
-- Capacity: what a group holds right now; in-flight cap: what an organization holds.
create index runs_held_by_group on runs (assigned_group_id)
  where status in ('assigned', 'running', 'requested_cancellation', 'cancelling');
create index runs_in_flight on runs (org_id)
  where status in ('assigned', 'running', 'requested_cancellation', 'cancelling');

-- Narrow and hot: written at most every 15 s per run, read by the lease's decision under the run's lock.
create table run_liveness (
  run_id uuid primary key references runs on delete cascade,
  last_seen_at timestamptz not null
) with (fillfactor = 50);

create table runners (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  group_id uuid not null references runner_groups on delete cascade,
  run_id uuid not null references runs on delete cascade,
  claim_seq integer not null,
  status text not null default 'not-ready' check (status in ('not-ready', 'ready', 'busy', 'finished', 'failed', 'gone')),
  last_seen_at timestamptz not null default svc_now(),
  created_at timestamptz not null default svc_now(),
  unique (run_id, claim_seq)
);
create index runners_by_org on runners (org_id, created_at, id);
create index runners_by_group on runners (group_id);
alter table runs add foreign key (assigned_runner_id) references runners on delete set null;
create index runs_by_runner on runs (assigned_runner_id);

create table stages (
  id uuid primary key default uuidv7(),
  deployment_id uuid not null references deployments on delete cascade,
  position integer not null,
  kind text not null check (kind in ('plan_run', 'apply_run', 'destroy_run', 'refresh_run', 'raw_run', 'confirmation')),
  phase text not null check (phase in ('waiting', 'running', 'requested_cancellation', 'cancelling', 'done', 'failed', 'cancelled', 'skipped')),
  run_id uuid unique references runs,
  created_at timestamptz not null default svc_now(),
  completed_at timestamptz,
  unique (deployment_id, position),
  check ((kind = 'confirmation') = (run_id is null)),
  check ((phase in ('done', 'failed', 'cancelled', 'skipped')) = (completed_at is not null))
);
create unique index stages_one_open on stages (deployment_id)
  where phase in ('running', 'requested_cancellation', 'cancelling');

-- One row per principal-initiated action, plus the two actorless ones (spec 6.2).
create table deployment_events (
  id uuid primary key default uuidv7(),
  deployment_id uuid not null references deployments on delete cascade,
  kind text not null,
  actor_id text,
  actor_kind text,
  stage_id uuid references stages,
  details jsonb not null default '{}',
  created_at timestamptz not null default svc_now()
);
create index deployment_events_by_deployment on deployment_events (deployment_id, created_at, id);

create table artifacts (
  run_id uuid not null references runs on delete cascade,
  kind text not null check (kind in ('plan', 'analysis', 'plan-json', 'changes', 'plan-text')),
  object_key text not null,
  size bigint not null,
  sha256 text not null,
  created_at timestamptz not null default svc_now(),
  primary key (run_id, kind)
);

-- Identity is (run, chunk index). Live bytes only ever extend a chunk; sealing replaces them in one transaction.
create table log_chunks (
  run_id uuid not null references runs on delete cascade,
  chunk_index integer not null check (chunk_index >= 0),
  sealed boolean not null default false,
  size integer not null check (size >= 0),
  -- Live bytes, encrypted; a sealed chunk lives in the object store.
  live_bytes bytea,
  object_key text,
  sha256 text,
  created_at timestamptz not null default svc_now(),
  primary key (run_id, chunk_index),
  check (sealed = (object_key is not null)),
  check (sealed = (live_bytes is null))
);
