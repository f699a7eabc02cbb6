-- The explore database: what is derived for searching and looking around. Nothing here is a fact of its own; all of it can be
-- computed anew from the main database and the runs' artifacts. It may be the same database as the main one, so everything is
-- in a schema of its own. Organizations and stacks are named by key; both are in the main database.

-- Tells an emptied or exchanged database from the one that an organization's data was written to.
create table explore.installation (
  singleton boolean primary key default true check (singleton),
  id uuid not null default gen_random_uuid()
);
insert into explore.installation default values;

create table explore.stacks (
  stack_key uuid primary key,
  org_id uuid not null,
  -- The run whose analysis is written here or was; an older one writes nothing any more.
  run_id uuid not null,
  run_completed_at timestamptz not null,
  -- `unknown`: that run's analysis did not say, and the rows are those of an older one.
  state text not null check (state in ('loading', 'known', 'unknown')),
  -- False: some resources are missing from the rows.
  complete boolean not null default false
);
create index stacks_by_org on explore.stacks (org_id, stack_key);

create table explore.resources (
  stack_key uuid not null,
  -- In the byte order that a program sorts by: rows are replaced in ranges of addresses.
  address text collate "C" not null check (octet_length(address) between 1 and 1024),
  org_id uuid not null,
  mode text not null check (mode in ('managed', 'data')),
  type text collate "C" not null check (octet_length(type) <= 255),
  provider text collate "C" not null check (octet_length(provider) <= 255),
  realm text check (octet_length(realm) <= 1024),
  identity text check (octet_length(identity) <= 1024),
  -- SHA-256 of realm and identity.
  identity_hash bytea,
  searched text not null generated always as (address || e'\n' || coalesce(identity, '')) stored,
  primary key (stack_key, address),
  check ((identity is null) = (identity_hash is null))
);
create index resources_by_address on explore.resources (org_id, address, stack_key);
create index resources_by_type on explore.resources (org_id, type, address, stack_key);
create index resources_by_provider on explore.resources (org_id, provider, address, stack_key);
create index resources_by_identity on explore.resources (org_id, identity_hash, stack_key)
  where mode = 'managed' and identity_hash is not null;

-- Search by part of a text. Where the extension is not to be had, a search looks at the organization's rows one by one.
do $$
begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;
    create index resources_by_text on explore.resources using gin (searched gin_trgm_ops);
  end if;
end $$;

create table explore.findings (
  org_id uuid not null,
  kind text not null check (kind in ('cycle', 'orphan', 'duplicate')),
  -- SHA-256 of what the finding is about: the same one keeps its id.
  key bytea not null,
  -- The stacks it is about, at most a hundred of them.
  stack_keys uuid[] not null check (cardinality(stack_keys) between 1 and 100),
  stack_count integer not null,
  details jsonb not null default '{}',
  -- The round that saw it last; others are removed at the end of one.
  round uuid not null,
  primary key (org_id, kind, key)
);
create index findings_by_round on explore.findings (org_id, round);
