-- Time, organizations, people and what they may do (spec 2.1, 2.2, 5.4).

-- The only clock of leases, deadlines and expiry. Volatile on purpose: a statement that waited for a lock must see the
-- time after the wait. Tests replace this function to move time.
create function svc_now() returns timestamptz language sql volatile parallel safe as 'select clock_timestamp()';

create table organizations (
  id uuid primary key default uuidv7(),
  name text not null check (length(name) between 1 and 100),
  is_personal boolean not null default false,
  max_users integer not null default 1 check (max_users >= 1),
  -- Stored at insert from the settings of that day and never backfilled (spec 2.1).
  runs_per_hour_limit integer not null check (runs_per_hour_limit >= 0),
  default_runner_group_id uuid,
  created_at timestamptz not null default svc_now()
);

create table users (
  -- The deterministic triple <provider_prefix>:<login>:<subject>; holds e-mail addresses, so it never reaches Temporal.
  id text primary key,
  provider_key text not null,
  issuer text not null,
  subject text not null,
  login text not null,
  display_name text,
  is_super_admin boolean not null default false,
  disabled_at timestamptz,
  created_at timestamptz not null default svc_now(),
  unique (provider_key, issuer, subject)
);

create table memberships (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  user_id text not null references users on delete cascade,
  source text not null default 'manual',
  -- An expired membership counts as absent at once, before housekeeping removes it.
  expires_at timestamptz,
  created_at timestamptz not null default svc_now(),
  unique (user_id, org_id)
);
create index memberships_by_org on memberships (org_id, user_id);

create table roles (
  id uuid primary key default uuidv7(),
  org_id uuid references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  is_system boolean not null default false,
  created_at timestamptz not null default svc_now(),
  check (is_system = (org_id is null)),
  unique nulls not distinct (org_id, name)
);

create table role_permissions (
  id uuid primary key default uuidv7(),
  role_id uuid not null references roles on delete cascade,
  resource_type text not null,
  action text not null,
  -- A LIKE pattern over the resource's name, compiled from a glob; read back as the glob.
  resource_pattern text,
  authz_group text,
  check (resource_pattern is null or authz_group is null),
  unique nulls not distinct (role_id, resource_type, action, resource_pattern, authz_group)
);

create table service_accounts (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  disabled_at timestamptz,
  created_at timestamptz not null default svc_now(),
  unique (org_id, name)
);

-- Direct assignments. A role carries no scope of its own, so the assignment names the organization.
create table role_assignments (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  role_id uuid not null references roles on delete cascade,
  user_id text references users on delete cascade,
  service_account_id uuid references service_accounts on delete cascade,
  created_at timestamptz not null default svc_now(),
  check (num_nonnulls(user_id, service_account_id) = 1)
);
create unique index role_assignments_of_user on role_assignments (user_id, org_id, role_id) where user_id is not null;
create unique index role_assignments_of_account on role_assignments (service_account_id, org_id, role_id)
  where service_account_id is not null;
create index role_assignments_by_role on role_assignments (role_id);

create table service_account_tokens (
  id uuid primary key default uuidv7(),
  service_account_id uuid not null references service_accounts on delete cascade,
  name text not null,
  -- SHA-256 of the whole token; the value itself is in the answer that created it and nowhere else.
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  -- The user who minted it; null for the one that bootstrap made.
  created_by text references users on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default svc_now()
);
create index service_account_tokens_by_account on service_account_tokens (service_account_id);
create index service_account_tokens_by_minter on service_account_tokens (created_by);

-- The system roles (design 6.2). `*` stands for every type or action.
with r as (
  insert into roles (name, is_system) values
    ('admin', true), ('iam-admin', true), ('operator', true), ('deployer', true), ('viewer', true)
  returning id, name
)
insert into role_permissions (role_id, resource_type, action)
select r.id, p.resource_type, p.action
from r join (values
  ('admin', '*', '*'),
  ('iam-admin', 'member', '*'), ('iam-admin', 'role', 'read'), ('iam-admin', 'role', 'assign'),
  ('iam-admin', 'service_account', '*'), ('iam-admin', 'identity_source', '*'), ('iam-admin', 'org', 'read'),
  ('operator', 'stack', '*'), ('operator', 'org', 'read'), ('operator', 'runner_group', 'read'), ('operator', 'runner', 'read'),
  ('deployer', 'stack', 'read'), ('deployer', 'stack', 'deploy'), ('deployer', 'stack', 'confirm'),
  ('deployer', 'stack', 'preview'), ('deployer', 'stack', 'prioritize'), ('deployer', 'org', 'read'),
  ('viewer', '*', 'read')
) as p (role, resource_type, action) on p.role = r.name;
