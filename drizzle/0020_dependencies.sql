-- The dependency graph (spec 2.7; design 6.7): edges, the identities that edges are inferred from, and how far each stack is.

-- One row per directed edge and provenance, owned by the dependent stack; reads put a declared and an inferred row of the
-- same endpoints together as `both`. A declaration names a stack id, which is looked up among live stacks at each read, so
-- that it follows deletion and re-creation; an inference knows the incarnation, and so follows a rename.
create table dependency_edges (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  dependent_stack_key uuid not null references stacks on delete cascade,
  -- Null: the whole stack depends. Else the address of the resource that does.
  dependent_address text check (octet_length(dependent_address) between 1 and 1024),
  provenance text not null check (provenance in ('declared', 'inferred')),
  dependency_stack_slug text check (length(dependency_stack_slug) between 1 and 512),
  dependency_stack_key uuid references stacks on delete cascade,
  -- Null: the whole stack is depended on. Else a resource's address, or `output.<name>`.
  dependency_address text check (octet_length(dependency_address) between 1 and 1024),
  trigger text not null default 'manual' check (trigger in ('always', 'manual', 'never')),
  -- Where a declaration stands.
  file text,
  line integer,
  -- SHA-256 of the endpoints: two addresses in one index entry could be longer than an entry may be.
  edge_hash bytea not null,
  created_at timestamptz not null default svc_now(),
  unique (dependent_stack_key, edge_hash),
  check ((provenance = 'declared') = (dependency_stack_slug is not null)),
  check ((provenance = 'inferred') = (dependency_stack_key is not null)),
  check (dependency_stack_key <> dependent_stack_key),
  check (provenance = 'declared' or trigger = 'manual')
);
create index dependency_edges_by_org on dependency_edges (org_id, dependent_stack_key);
create index dependency_edges_on_slug on dependency_edges (org_id, dependency_stack_slug) where dependency_stack_slug is not null;
create index dependency_edges_on_stack on dependency_edges (dependency_stack_key) where dependency_stack_key is not null;

-- What a stack manages and reads, as far as the cloud's own identity is known.
create table stack_resource_identities (
  stack_key uuid not null references stacks on delete cascade,
  address text not null check (octet_length(address) between 1 and 1024),
  org_id uuid not null references organizations on delete cascade,
  mode text not null check (mode in ('managed', 'data')),
  -- SHA-256 of realm and identity.
  identity_hash bytea not null,
  primary key (stack_key, address)
);
create index stack_resource_identities_by_identity on stack_resource_identities (org_id, identity_hash, mode, stack_key);

-- The run whose analysis a stack's edges come from, and what became of it.
create table dependency_state (
  stack_key uuid primary key references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  run_id uuid,
  run_completed_at timestamptz,
  -- `unknown`: the analysis was absent, past its retention or unreadable, and the edges are as they were.
  declared text not null default 'never' check (declared in ('never', 'known', 'unknown')),
  resources text not null default 'never' check (resources in ('never', 'known', 'unknown')),
  problem text,
  -- More edges could be inferred than are stored (maxInferredEdgesPerStack).
  inferred_truncated boolean not null default false,
  -- What this stack reads is managed by somebody else than when its edges were inferred.
  inferred_stale boolean not null default false,
  reconciled_at timestamptz
);
create index dependency_state_stale on dependency_state (org_id, stack_key) where inferred_stale;

-- Raised by every change that can alter the graph: what is computed from the whole graph is kept for a version.
create table dependency_orgs (
  org_id uuid primary key references organizations on delete cascade,
  version bigint not null default 0
);
create function make_dependency_org() returns trigger language plpgsql as $$
begin
  insert into dependency_orgs (org_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger organizations_dependencies after insert on organizations for each row execute function make_dependency_org();
insert into dependency_orgs (org_id) select id from organizations on conflict do nothing;

create function raise_dependency_version() returns trigger language plpgsql as $$
begin
  update dependency_orgs o set version = o.version + 1
  where o.org_id in (select org_id from changed group by org_id);
  return null;
end $$;
create trigger dependency_edges_added after insert on dependency_edges
  referencing new table as changed for each statement execute function raise_dependency_version();
create trigger dependency_edges_changed after update on dependency_edges
  referencing new table as changed for each statement execute function raise_dependency_version();
create trigger dependency_edges_removed after delete on dependency_edges
  referencing old table as changed for each statement execute function raise_dependency_version();
-- A declaration's stack id finds another stack, or one again, or none any more.
create trigger stacks_dependencies_added after insert on stacks
  referencing new table as changed for each statement execute function raise_dependency_version();
create function raise_dependency_version_of_stack() returns trigger language plpgsql as $$
begin
  update dependency_orgs set version = version + 1 where org_id = new.org_id;
  return null;
end $$;
create trigger stacks_dependencies_changed after update on stacks for each row
  when (old.slug is distinct from new.slug or old.deleted_at is distinct from new.deleted_at)
  execute function raise_dependency_version_of_stack();
