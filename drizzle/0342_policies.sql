-- What an organization allows a plan to do: rules as data or compiled Rego, in versions that never change.
create table policies (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations (id) on delete cascade,
  name text not null check (length(name) between 1 and 100),
  description text not null default '',
  enforcement text not null check (enforcement in ('shadow', 'advisory', 'mandatory')),
  selector jsonb not null default '{}',
  modes text[] not null,
  -- The version that counts; null: none does yet.
  version integer,
  last_version integer not null default 0,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, name)
);

create table policy_versions (
  policy_id uuid not null references policies (id) on delete cascade,
  version integer not null,
  kind text not null check (kind in ('rules', 'rego', 'bundle')),
  -- Of its content as it was given.
  digest text not null,
  rules jsonb,
  source text,
  wasm bytea,
  entrypoint text,
  created_by text not null,
  created_by_kind text not null check (created_by_kind in ('user', 'service_account', 'operator')),
  created_at timestamptz not null default svc_now(),
  primary key (policy_id, version)
);

create table policy_exemptions (
  id uuid primary key default uuidv7(),
  policy_id uuid not null references policies (id) on delete cascade,
  stack_key uuid not null references stacks (stack_key) on delete cascade,
  reason text not null,
  ends_at timestamptz not null,
  created_by text not null,
  created_by_kind text not null check (created_by_kind in ('user', 'service_account', 'operator')),
  created_at timestamptz not null default svc_now()
);
create index policy_exemptions_by_policy on policy_exemptions (policy_id);
create index policy_exemptions_by_stack on policy_exemptions (stack_key);

-- What policies said of one plan, and who overrode it.
create table policy_evaluations (
  id uuid primary key default uuidv7(),
  org_id uuid not null,
  deployment_id uuid not null references deployments (id) on delete cascade,
  plan_run_id uuid not null,
  -- `void`: its plan was replaced or ended before it was done.
  status text not null default 'pending' check (status in ('pending', 'done', 'void')),
  outcome text check (outcome in ('passed', 'warned', 'denied')),
  results jsonb not null default '[]',
  -- Absent: the end of the plan, or an hour at which the answer may become another.
  requested_by text,
  requested_by_kind text check (requested_by_kind in ('user', 'service_account', 'operator')),
  created_at timestamptz not null default svc_now(),
  completed_at timestamptz,
  overridden_by text,
  overridden_by_kind text check (overridden_by_kind in ('user', 'service_account', 'operator')),
  overridden_at timestamptz,
  override_reason text
);
create index policy_evaluations_of_deployment on policy_evaluations (deployment_id, id);
create unique index policy_evaluations_pending on policy_evaluations (plan_run_id) where status = 'pending';

-- Gates go with the wait that they were about, whoever ends it.
create function open_gates() returns trigger language plpgsql as $$
begin
  delete from deployment_gates where deployment_id = new.id;
  return null;
end $$;
create trigger deployments_open_gates after update of status on deployments for each row
  when (old.status = 'waiting' and new.status <> 'waiting') execute function open_gates();

-- An evaluation of a plan that nobody waits for any more has no end.
create function void_policy_evaluation() returns trigger language plpgsql as $$
begin
  update policy_evaluations set status = 'void', completed_at = svc_now()
  where plan_run_id = old.plan_run_id and status = 'pending';
  return null;
end $$;
create trigger deployment_gates_void_evaluation after delete on deployment_gates for each row
  when (old.gate = 'policy') execute function void_policy_evaluation();
