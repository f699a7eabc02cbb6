-- Raw commands and local plans (spec 2.4, 4.5; design 6.3).

alter table deployments
  -- Length of a raw command's script in bytes: all that anybody but its runner learns of it.
  add column command_bytes integer check (command_bytes > 0),
  -- The upload a local plan runs on. No foreign key: the history outlives the archive.
  add column local_source_key uuid,
  add column local_source_sha256 text,
  add check (command_bytes is null or mode = 'raw'),
  add check ((local_source_key is null) = (local_source_sha256 is null)),
  add check (local_source_key is null or (mode = 'plan_unlocked' and origin_type = 'local'));
create index deployments_by_local_source on deployments (local_source_key) where local_source_key is not null;

-- A table of its own: a transition reads whole deployment rows, and the script must not travel with each of them.
create table raw_commands (
  -- What the encryption is bound to, chosen before the deployment exists, so that no key service is asked in a transaction.
  id uuid primary key,
  deployment_id uuid not null unique references deployments on delete cascade,
  script bytea not null
);

-- Uploads wait here for the deployment that names them. The row comes before the object, so that no object is forgotten.
create table local_sources (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  stack_key uuid not null references stacks on delete cascade,
  object_key text not null,
  -- Of the archive as uploaded; null until it is whole.
  size bigint check (size > 0),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  created_by text not null,
  created_by_kind text not null check (created_by_kind in ('user', 'service_account')),
  created_at timestamptz not null default svc_now(),
  -- When a deployment last named it: a new version of the row, which a removal that read the old one meets and leaves.
  used_at timestamptz,
  -- The object is being removed; nobody may name the source any more.
  removed_at timestamptz,
  check ((size is null) = (sha256 is null)),
  check (used_at is null or sha256 is not null)
);
create index local_sources_by_age on local_sources (created_at);
