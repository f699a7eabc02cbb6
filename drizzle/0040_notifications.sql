-- Notifications: integrations and the deliveries that are in flight or dead (spec 2.8, 4.8, 6.1; design 6.6).

create table notification_integrations (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  provider_type text not null check (provider_type in ('webhook', 'chat')),
  enabled boolean not null default true,
  events text[] not null,
  changes_only boolean not null default false,
  stack_label_selector jsonb not null default '{}' check (jsonb_typeof(stack_label_selector) = 'object'),
  -- {url, secret?, headers?}, encrypted and write-only.
  auth_config bytea not null,
  -- What people may see of it: {has_secret, header_count}.
  auth_config_summary jsonb not null default '{}',
  -- The findings it was told last: what the next report calls `previous`.
  reported_findings jsonb,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, name)
);

-- A delivery that was taken is deleted; what stays is in flight or dead.
create table notification_deliveries (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  integration_id uuid not null references notification_integrations on delete cascade,
  domain_event_id uuid not null,
  event_type text not null,
  stack_key uuid,
  deployment_id uuid,
  -- Made once: every attempt sends the same bytes. It repeats what other tables hold in clear.
  body text not null,
  status text not null default 'pending' check (status in ('pending', 'dead')),
  attempts integer not null default 0,
  -- Of the last answer, when there was one.
  last_status integer,
  last_error text,
  -- When the next attempt may be made.
  due_at timestamptz not null default svc_now(),
  created_at timestamptz not null default svc_now(),
  dead_at timestamptz,
  unique (domain_event_id, integration_id),
  check ((status = 'dead') = (dead_at is not null))
);
create index notification_deliveries_pending on notification_deliveries (id) where status = 'pending';
create index notification_deliveries_by_org on notification_deliveries (org_id, created_at desc, id desc);
create index notification_deliveries_by_integration on notification_deliveries (integration_id, status);
create index notification_deliveries_dead on notification_deliveries (dead_at) where status = 'dead';

-- Set in the transaction that makes an event's deliveries, so that a message sent twice makes none twice: by then the
-- first ones may have been taken and be gone.
alter table domain_events add column fanned_out_at timestamptz;
