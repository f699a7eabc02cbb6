-- Cloud access of runs: one integration per stack and provider, and the roles of an AWS one (spec 2.5).

create table cloud_integrations (
  id uuid primary key default uuidv7(),
  stack_key uuid not null references stacks on delete cascade,
  provider_type text not null check (provider_type in ('cloud_a', 'cloud_b')),
  -- The one identity of cloud_b.
  service_account_email text check (length(service_account_email) <= 320),
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (stack_key, provider_type),
  check ((provider_type = 'cloud_b') = (service_account_email is not null))
);

create table cloud_integration_roles (
  integration_id uuid not null references cloud_integrations on delete cascade,
  -- Also the profile's name in the credentials file.
  name text not null check (name ~ '^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}$'),
  role_arn text not null check (length(role_arn) <= 2048),
  -- Minified JSON; it can only narrow the role.
  inline_policy text check (length(inline_policy) <= 2048),
  use_in_previews boolean not null default true,
  primary key (integration_id, name)
);
