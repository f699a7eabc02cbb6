-- Where the state of a stack is kept: here when its configuration says nothing else (auto), here whatever it says
-- (hosted), or never here (own).
alter table stacks
  add column state_mode text not null default 'auto',
  add constraint stacks_state_mode_check check (state_mode in ('auto', 'hosted', 'own'));

-- SHA-256 of the token by which the engine of a run opens its stack's state. It is good while the run lives.
alter table runs add column state_token bytea check (octet_length(state_token) = 32);

-- Every version of a hosted state. The row comes before the object, so that no object is forgotten.
create table state_versions (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  stack_key uuid not null references stacks on delete cascade,
  object_key text not null,
  key_id text,
  origin text not null check (origin in ('run', 'push', 'rollback')),
  run_id uuid,
  created_by text,
  created_by_kind text check (created_by_kind in ('user', 'service_account')),
  -- Of a rollback: the number of the version whose body this one has.
  restores bigint,
  created_at timestamptz not null default svc_now(),
  -- Null until the version is whole. Numbers of a stack rise by one.
  number bigint,
  serial bigint,
  lineage text,
  engine_version text,
  -- Managed resources; null where an engine has encrypted them.
  resources bigint,
  size bigint,
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  -- No longer among the newest that are kept whatever their age.
  beyond_last boolean not null default false,
  -- The object is being removed.
  removed_at timestamptz,
  check (num_nonnulls(number, serial, lineage, size, sha256) in (0, 5)),
  check ((created_by is null) = (created_by_kind is null)),
  check ((origin = 'run') = (run_id is not null))
);
create unique index state_versions_by_number on state_versions (stack_key, number) where number is not null;
create index state_versions_of_stack on state_versions (stack_key);
create index state_versions_of_org on state_versions (org_id);
create index state_versions_beyond_last on state_versions (created_at) where beyond_last;
create index state_versions_unfinished on state_versions (created_at) where number is null;
create index state_versions_going on state_versions (id) where removed_at is not null;

-- One row for each stack whose state was ever written or locked here: the newest version, and who holds the lock.
create table stack_states (
  stack_key uuid primary key references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  -- Null before the first version, and once the state was deleted.
  version_id uuid references state_versions,
  -- Of the newest version that ever was.
  last_number bigint not null default 0,
  lock_id text,
  -- The engine's own document, which it is given back.
  lock_info jsonb,
  locked_at timestamptz,
  lock_run_id uuid references runs on delete cascade,
  locked_by text,
  locked_by_kind text check (locked_by_kind in ('user', 'service_account')),
  check (num_nonnulls(lock_id, lock_info, locked_at) in (0, 3)),
  check ((locked_by is null) = (locked_by_kind is null)),
  check (lock_id is null or num_nonnulls(lock_run_id, locked_by) = 1),
  check (lock_id is not null or num_nonnulls(lock_run_id, locked_by) = 0)
);
create index stack_states_of_org on stack_states (org_id);
create index stack_states_version on stack_states (version_id) where version_id is not null;
create index stack_states_lock_run on stack_states (lock_run_id) where lock_run_id is not null;
