-- Source control: integrations, the inbox, pull requests and their stacks (spec 2.6, 6.3; design 6.5).

create table scm_integrations (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  -- A linear-time regular expression over repository URLs; refused at write when it is none.
  url_pattern text not null check (length(url_pattern) between 1 and 500),
  priority integer not null default 100,
  -- The host's API; null: derived from the repository's host.
  api_base_url text,
  -- {kind, app_id?, installation_id?, private_key?, token?, webhook_secret?}, encrypted and write-only.
  auth_config bytea,
  -- What people may see of it: {kind, app_id?, installation_id?, has_private_key, has_token, has_webhook_secret}.
  auth_config_summary jsonb not null default '{}',
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, name)
);
create index scm_integrations_in_order on scm_integrations (org_id, priority, id);

alter table stacks
  -- `host/owner/name` in lower case without `.git`, written with the address: what a delivery's repository is matched with.
  add column repository_key text not null default '',
  -- The newest commit a push was compared with, whether or not it touched the stack.
  add column last_compared_commit text,
  add column fork_previews boolean not null default false,
  -- {plan?: [...], promote?: [...]}, each a list of approved, mergeable, checks_passed.
  add column pr_requirements jsonb not null default '{}' check (jsonb_typeof(pr_requirements) = 'object');
-- As `repositoryKey` in src/core/stacks/repositoryUrl.ts writes it.
update stacks set repository_key = regexp_replace(regexp_replace(case
  when repository_url like 'file://%' then 'file/' || ltrim(substr(repository_url, 8), '/')
  when repository_url like '%://%' then
    lower(regexp_replace(repository_url, '^[a-z]+://(?:[^/@]*@)?(\[[^]]+\]|[^/:]+)(?::\d+)?/+', '\1/'))
  else lower(regexp_replace(repository_url, '^[^@]*@([^:]+):/*', '\1/')) end, '/+', '/', 'g'), '(\.git)?/*$', '', 'i');
create index stacks_by_repository on stacks (org_id, repository_key, branch) where deleted_at is null;

-- The inbox. A delivery is a hint; the host is asked for the truth. One branch is worked on by one workflow.
create table scm_events (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  integration_id uuid not null references scm_integrations on delete cascade,
  external_event_id text not null check (length(external_event_id) between 1 and 300),
  kind text not null check (kind in ('push_branch_changed', 'pr_changed', 'pr_closed', 'pr_refresh_requested')),
  repository_key text not null,
  branch text not null,
  pr_number integer,
  -- Of a push: the commits before and after; nothing else of the payload is kept.
  before_sha text,
  after_sha text,
  status text not null default 'pending' check (status in ('pending', 'failed', 'processed', 'dead')),
  attempts integer not null default 0,
  last_error text,
  -- When the next attempt may be made.
  due_at timestamptz not null default svc_now(),
  created_at timestamptz not null default svc_now(),
  processed_at timestamptz,
  unique (integration_id, external_event_id),
  check ((status in ('processed', 'dead')) = (processed_at is not null))
);
create index scm_events_open on scm_events (integration_id, repository_key, branch, due_at, id) where status in ('pending', 'failed');
create index scm_events_by_age on scm_events (created_at);
create index scm_events_by_org on scm_events (org_id, created_at desc, id desc);

-- Each ask about a branch takes the next number first; its answer counts only while that number is the newest.
create table scm_branches (
  org_id uuid not null references organizations on delete cascade,
  repository_key text not null,
  branch text not null,
  asked bigint not null default 0,
  primary key (org_id, repository_key, branch)
);

-- Open pull requests only: a row is removed when its pull request is not open any more.
create table pull_requests (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  repository_key text not null,
  number integer not null,
  title text not null,
  url text not null,
  body text not null default '',
  author text,
  base_branch text not null,
  head_branch text not null,
  head_sha text not null,
  is_fork boolean not null,
  -- Raised whenever head or base differs from what is stored: A, B, A are three generations.
  generation integer not null default 1,
  files_complete boolean not null,
  approved boolean,
  mergeable boolean,
  checks_passed boolean,
  -- The host's own time of the answer stored here; an older one is refused.
  host_updated_at timestamptz not null,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, repository_key, number)
);
create index pull_requests_by_base on pull_requests (org_id, repository_key, base_branch);

create table pull_request_stacks (
  pull_request_id uuid not null references pull_requests on delete cascade,
  stack_key uuid not null references stacks on delete cascade,
  latest_deployment_id uuid references deployments on delete set null,
  -- The host's ids of what was published about this stack, so that it is updated in place.
  comment_id text,
  published_status text,
  created_at timestamptz not null default svc_now(),
  primary key (pull_request_id, stack_key)
);
create index pull_request_stacks_by_stack on pull_request_stacks (stack_key);

alter table deployments
  -- No foreign key: the row goes when the pull request closes, the deployment stays.
  add column pull_request_id uuid,
  add column origin_pr_number integer,
  add column origin_pr_generation integer,
  add column origin_head_sha text,
  add column origin_scm_event_id uuid,
  add column origin_pr_title text,
  add column origin_pr_url text,
  add column origin_pr_body text;
-- One automatic preview for each head a pull request had on a stack; a retracted one may be made anew.
create unique index deployments_one_preview on deployments (stack_key, pull_request_id, origin_pr_generation)
  where origin_type = 'pull_request' and created_by is null and skipped_reason is distinct from 'retracted';
create index deployments_by_pull_request on deployments (pull_request_id, created_at desc) where pull_request_id is not null;
