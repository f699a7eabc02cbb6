-- Background work on what an organization or a stack has (spec 6.4, design 3 `orgTask`): one row for each kind and subject, so
-- that asking twice is one task. A worker's slice is fenced by `claim_seq`; what it has done so far is in `cursor`.
create table org_tasks (
  id uuid primary key default uuidv7(),
  -- No foreign keys: what an organization or a stack leaves behind elsewhere is removed after it is gone.
  org_id uuid not null,
  -- A worker leaves kinds that it does not know to newer ones, so the list of kinds is not here.
  kind text not null check (kind ~ '^[a-z][a-z_]{1,60}$'),
  -- Null: the kind is about the whole organization.
  stack_key uuid,
  subject_key uuid not null generated always as (coalesce(stack_key, org_id)) stored,
  status text not null default 'pending' check (status in ('pending', 'done')),
  -- Raised by each request. What was asked for after the work had begun is done in another round.
  requested bigint not null default 1,
  -- The request that the present round answers; null before a first slice.
  answering bigint,
  -- Where the round goes on; null: at its beginning. Only a worker that knows the version reads it.
  cursor jsonb,
  cursor_version integer not null default 0,
  -- Each slice that begins raises it; a slice that lost its lease finds another number and changes nothing.
  claim_seq bigint not null default 0,
  claimed_until timestamptz,
  -- Failures since the last slice that succeeded.
  attempts integer not null default 0,
  last_error text,
  due_at timestamptz not null default svc_now(),
  created_at timestamptz not null default svc_now(),
  completed_at timestamptz,
  unique (kind, subject_key),
  check ((status = 'done') = (completed_at is not null)),
  check (status <> 'done' or (cursor is null and claimed_until is null))
);
create index org_tasks_pending on org_tasks (id) where status = 'pending';
create index org_tasks_done on org_tasks (completed_at) where status = 'done';
