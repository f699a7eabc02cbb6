-- Deployments and commands that come by themselves: once or by a cron schedule, on a stack or on all that a selector fits.

alter table deployments drop constraint deployments_origin_type_check;
alter table deployments add constraint deployments_origin_type_check
  check (origin_type in ('manual', 'push', 'dependency', 'pull_request', 'promoted_pull_request', 'local', 'drift', 'schedule', 'lifetime'));

create table schedules (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  stack_key uuid references stacks on delete cascade,
  selector jsonb,
  name text not null check (length(name) between 1 and 100),
  mode text not null check (mode in ('plan', 'refresh', 'destroy', 'raw')),
  -- Of a command: its script, sealed, and its length, which people see.
  script bytea,
  command_bytes integer,
  once_at timestamptz,
  cron text,
  time_zone text not null default 'UTC',
  paused boolean not null default false,
  -- Null while paused, and when no occurrence is left.
  next_at timestamptz,
  created_by text,
  created_by_kind text,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  check (num_nonnulls(stack_key, selector) = 1),
  check (num_nonnulls(once_at, cron) = 1),
  check ((mode = 'raw') = (script is not null) and (mode = 'raw') = (command_bytes is not null))
);
create unique index schedules_of_stack on schedules (stack_key, name) where stack_key is not null;
create unique index schedules_of_selector on schedules (org_id, name) where stack_key is null;
create index schedules_by_org on schedules (org_id, name, id);
create index schedules_due on schedules (org_id, next_at) where next_at is not null;

-- What an occurrence has come to, on each of its stacks. The key is why it never makes two deployments.
create table schedule_occurrences (
  schedule_id uuid not null references schedules on delete cascade,
  occurs_at timestamptz not null,
  stack_key uuid not null references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  status text not null default 'due' check (status in ('due', 'created', 'skipped', 'failed')),
  reason text,
  error text,
  deployment_id uuid,
  tries integer not null default 0,
  due_at timestamptz,
  primary key (schedule_id, occurs_at, stack_key),
  check ((status = 'due') = (due_at is not null)),
  check ((status = 'created') = (deployment_id is not null))
);
create index schedule_occurrences_due on schedule_occurrences (org_id, due_at) where due_at is not null;
create index schedule_occurrences_of_stack on schedule_occurrences (stack_key, schedule_id, occurs_at desc);
