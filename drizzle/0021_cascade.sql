-- Dependents of an apply (spec 2.7, design 6.7): who depended on it then, and what each was given for it.

alter table deployments
  -- Set in the transaction that ends a successful apply, and only there: what depended on it is looked at as of this time.
  -- A cascade is due from then until `dependents_resolved_at`.
  add column dependents_snapshot_at timestamptz,
  -- The apply that led to this deployment.
  add column origin_dependency_deployment_id uuid references deployments,
  -- Stacks the cascade came through, the first apply's first, the parent's last.
  add column cascade_stack_path uuid[] not null default '{}',
  add check (dependents_snapshot_at is null or status = 'finished'),
  add check (dependents_resolved_at is null or dependents_snapshot_at is not null),
  add check ((origin_dependency_deployment_id is null) = (cascade_stack_path = '{}')),
  add check (origin_dependency_deployment_id is null or origin_type = 'dependency');
create index deployments_cascading on deployments (id)
  where dependents_snapshot_at is not null and dependents_resolved_at is null;
create index deployments_by_parent on deployments (origin_dependency_deployment_id)
  where origin_dependency_deployment_id is not null;

-- One row per dependent stack of an apply. All rows of an apply are written in one transaction, once.
create table dependent_triggers (
  parent_deployment_id uuid not null references deployments on delete cascade,
  -- The incarnation: a stack made later under the same id is another one and has no row.
  dependent_stack_key uuid not null references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  dependent_stack_created_at timestamptz not null,
  trigger text not null check (trigger in ('always', 'manual', 'never')),
  demotion_reason text check (demotion_reason in ('on_cycle', 'cycle_unknown', 'over_budget', 'in_cascade', 'parent_refreshed')),
  evidence text not null check (evidence in ('declared', 'inferred', 'both')),
  -- At most three of {parent, dependent, provenance}, and how many more there were.
  triggering_resources jsonb not null default '[]' check (jsonb_array_length(triggering_resources) <= 3),
  triggering_remainder integer not null default 0 check (triggering_remainder >= 0),
  -- How it ended: at most one of the three. None yet: to be triggered, or for a person to trigger.
  triggered_deployment_id uuid references deployments on delete cascade,
  skipped_reason text check (skipped_reason in ('manual_trigger', 'never_trigger', 'not_affected', 'parent_destroyed',
    'cascade_too_deep', 'stack_deleted')),
  error text,
  -- What went wrong, told apart from what goes wrong elsewhere: it is announced once.
  problem text,
  attempts integer not null default 0,
  due_at timestamptz not null,
  updated_at timestamptz not null default svc_now(),
  primary key (parent_deployment_id, dependent_stack_key),
  check (num_nonnulls(triggered_deployment_id, skipped_reason, error) <= 1),
  check (demotion_reason is null or trigger = 'manual'),
  check ((error is null) = (problem is null))
);
-- The trigger-once claim, seen from the child.
create unique index dependent_triggers_child on dependent_triggers (triggered_deployment_id) where triggered_deployment_id is not null;
create index dependent_triggers_by_stack on dependent_triggers (dependent_stack_key);
create index dependent_triggers_open on dependent_triggers (parent_deployment_id, due_at, dependent_stack_key)
  where trigger = 'always' and triggered_deployment_id is null and skipped_reason is null and error is null;
create index dependent_triggers_problem on dependent_triggers (parent_deployment_id, problem) where problem is not null;
