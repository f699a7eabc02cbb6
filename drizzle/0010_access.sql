-- Sign-in, sessions, personal tokens, bindings, invitations, contexts, protected labels and the audit trail (spec 2.2, 5; design 6.2).

alter table organizations
  -- The word people type to find their organization's sign-in; null for those that have none.
  add column login_handle text unique check (login_handle ~ '^[a-z0-9][a-z0-9-]{1,62}$'),
  add column owner_user_id text references users on delete cascade,
  add check (is_personal = (owner_user_id is not null));
create unique index organizations_personal on organizations (owner_user_id);

-- Who signed in as whom. A user may have several identities, by explicit linking only; e-mail never identifies anyone.
create table user_identities (
  provider_key text not null check (provider_key in ('codehost', 'workspace', 'oidc')),
  issuer text not null,
  subject text not null,
  user_id text not null references users on delete cascade,
  created_at timestamptz not null default svc_now(),
  last_login_at timestamptz,
  primary key (provider_key, issuer, subject)
);
create index user_identities_by_user on user_identities (user_id);
insert into user_identities (provider_key, issuer, subject, user_id, created_at)
select provider_key, issuer, subject, id, created_at from users;

-- A pre-approval by login or e-mail at one provider, consumed by the login that matches it.
create table invitations (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  provider_key text not null check (provider_key in ('codehost', 'workspace', 'oidc')),
  -- Lower case; what the provider says of the person and has verified.
  login text not null check (length(login) between 1 and 320),
  role_ids uuid[] not null default '{}' check (cardinality(role_ids) <= 20),
  invited_by text,
  expires_at timestamptz not null,
  created_at timestamptz not null default svc_now(),
  unique (org_id, provider_key, login)
);
create index invitations_by_login on invitations (provider_key, login);

create table identity_sources (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  provider_key text not null check (provider_key in ('codehost', 'workspace', 'oidc')),
  source_slug text not null check (source_slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  display_name text not null check (length(display_name) between 1 and 100),
  -- Empty for providers with one deployment-wide configuration, as in external_entitlements.
  oidc_issuer text not null default '',
  oidc_client_id text not null default '',
  oidc_groups_claim text not null default '',
  groups_scope text,
  client_secret bytea,
  enabled boolean not null default true,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  check ((provider_key = 'oidc') = (oidc_issuer <> '')),
  check ((provider_key = 'oidc') = (oidc_client_id <> '')),
  check (provider_key <> 'oidc' or oidc_groups_claim <> ''),
  unique (org_id, source_slug)
);
create unique index identity_sources_static on identity_sources (org_id, provider_key) where provider_key <> 'oidc';

-- Who becomes a member by signing in (spec 5.3).
create table access_rules (
  id uuid primary key default uuidv7(),
  identity_source_id uuid not null references identity_sources on delete cascade,
  rule_type text not null check (rule_type in ('codehost_org', 'codehost_team', 'workspace_hd', 'oidc_group')),
  -- {org}, {org, team}, {domains: [...]} or {group}.
  rule jsonb not null check (jsonb_typeof(rule) = 'object'),
  created_at timestamptz not null default svc_now(),
  unique (identity_source_id, rule_type, rule)
);

create table group_role_bindings (
  id uuid primary key default uuidv7(),
  identity_source_id uuid not null references identity_sources on delete cascade,
  group_key text not null check (length(group_key) between 1 and 500),
  created_at timestamptz not null default svc_now(),
  unique (identity_source_id, group_key)
);
-- The authorization read uses the first five by role_id, whatever is stored.
create table group_role_binding_roles (
  binding_id uuid not null references group_role_bindings on delete cascade,
  role_id uuid not null references roles on delete cascade,
  primary key (binding_id, role_id)
);
create index group_role_binding_roles_by_role on group_role_binding_roles (role_id);

-- What a login learned of a user's groups; no reference to a source, so that it outlives its settings. Expired means absent.
create table external_entitlements (
  user_id text not null references users on delete cascade,
  provider_key text not null,
  issuer text not null default '',
  client_id text not null default '',
  groups_claim text not null default '',
  group_key text not null,
  expires_at timestamptz not null,
  primary key (user_id, provider_key, issuer, client_id, groups_claim, group_key)
);
create index external_entitlements_by_age on external_entitlements (expires_at);
create index memberships_by_expiry on memberships (expires_at) where expires_at is not null;

create table sessions (
  id uuid primary key default uuidv7(),
  user_id text not null references users on delete cascade,
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  csrf_sha256 bytea not null check (length(csrf_sha256) = 32),
  created_at timestamptz not null default svc_now(),
  -- Sliding; the absolute end hangs on created_at.
  expires_at timestamptz not null
);
create index sessions_by_user on sessions (user_id);
create index sessions_by_age on sessions (expires_at);

-- A sign-in under way: single use, ten minutes, bound to the browser that began it. The row decides, never a parameter.
create table auth_states (
  state_sha256 bytea primary key check (length(state_sha256) = 32),
  browser_sha256 bytea not null check (length(browser_sha256) = 32),
  provider_key text not null,
  identity_source_id uuid references identity_sources on delete cascade,
  -- Set when a signed-in user links another identity.
  link_user_id text references users on delete cascade,
  link_session_id uuid references sessions on delete cascade,
  -- PKCE verifier and nonce, encrypted.
  secrets bytea not null,
  return_to text not null default '/',
  expires_at timestamptz not null,
  created_at timestamptz not null default svc_now(),
  check ((link_user_id is null) = (link_session_id is null))
);
create index auth_states_by_age on auth_states (expires_at);

create table personal_access_tokens (
  id uuid primary key default uuidv7(),
  user_id text not null references users on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  token_sha256 bytea not null unique check (length(token_sha256) = 32),
  expires_at timestamptz not null,
  created_at timestamptz not null default svc_now()
);
create index personal_access_tokens_by_user on personal_access_tokens (user_id, org_id);
create index personal_access_tokens_by_org on personal_access_tokens (org_id);

-- Variables and secrets for the runs of the stacks that a selector matches; the empty selector matches every stack.
create table contexts (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  selector jsonb not null default '{}' check (jsonb_typeof(selector) = 'object'),
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, name)
);
create table context_variables (
  context_id uuid not null references contexts on delete cascade,
  name text not null check (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,127}$'),
  secret boolean not null,
  value text,
  sealed bytea,
  primary key (context_id, name),
  check (secret = (sealed is not null)),
  check (secret = (value is null))
);

create table protected_labels (
  org_id uuid not null references organizations on delete cascade,
  key text not null check (not starts_with(key, 'svc:')),
  primary key (org_id, key)
);

-- Who changed what, written in each write's own transaction. Never holds a secret or a script.
create table audit_log (
  id uuid primary key default uuidv7(),
  org_id uuid references organizations on delete cascade,
  actor_id text,
  actor_kind text check (actor_kind in ('user', 'service_account', 'operator')),
  -- `noun.verb`, for example role.create.
  action text not null,
  resource_type text not null,
  resource_id text,
  details jsonb not null default '{}',
  occurred_at timestamptz not null default svc_now()
);
create index audit_log_by_org on audit_log (org_id, occurred_at desc, id desc);
