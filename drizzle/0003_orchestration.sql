-- What happens next: decisions, idempotency, domain events, the outbox and the reconciler's memory (design 2).

-- A person's decision. The Update to the workflow carries only its id; the transition writes the answer in its own transaction.
create table decisions (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  deployment_id uuid not null references deployments on delete cascade,
  kind text not null check (kind in ('confirm', 'skip', 'cancel', 'prioritize', 'deprioritize', 'confirmPreview')),
  principal_id text not null,
  -- `operator`: someone with database access, when no worker can be reached.
  principal_kind text not null check (principal_kind in ('user', 'service_account', 'operator')),
  arguments jsonb not null default '{}',
  created_at timestamptz not null default svc_now(),
  -- A later transition refuses it: a 503 that was answered must stay true.
  expires_at timestamptz not null,
  answer jsonb,
  answered_at timestamptz,
  check ((answer is null) = (answered_at is null))
);
create index decisions_by_age on decisions (created_at);
create index decisions_by_deployment on decisions (deployment_id);

create table idempotency_keys (
  principal_id text not null,
  method text not null,
  path text not null,
  key text not null check (length(key) between 1 and 255),
  body_sha256 text not null,
  decision_id uuid references decisions on delete set null,
  answer jsonb,
  created_at timestamptz not null default svc_now(),
  primary key (principal_id, method, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- One row per transition: ids and enums only.
create table domain_events (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null,
  stack_key uuid,
  deployment_id uuid,
  run_id uuid,
  actor_id text,
  actor_kind text,
  data jsonb not null default '{}',
  occurred_at timestamptz not null default svc_now()
);
create index domain_events_by_age on domain_events (occurred_at);
create index domain_events_by_deployment on domain_events (deployment_id, occurred_at);

-- Messages to Temporal, written in the causing transaction. `due_at` is both the claim's lease and the back-off:
-- the writer owns a row for its first 2 s, a relay for 5 s at a time.
create table outbox (
  id bigint generated always as identity primary key,
  message jsonb not null,
  attempts integer not null default 0,
  due_at timestamptz not null,
  created_at timestamptz not null default svc_now()
);
create index outbox_due on outbox (due_at, id);

-- Which Temporal cluster and namespace the rows were last reconciled with; another id means its data was lost or set back.
create table temporal_identity (
  singleton boolean primary key default true check (singleton),
  cluster_id text not null,
  namespace_id text not null,
  seen_at timestamptz not null default svc_now()
);

-- What one reconciler pass saw, for the next one to act on.
create table reconciler_sightings (
  workflow_id text not null,
  kind text not null check (kind in ('overdue', 'without_row')),
  execution_run_id text,
  seen_at timestamptz not null default svc_now(),
  primary key (workflow_id, kind)
);
