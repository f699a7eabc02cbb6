-- What outlives its retention is removed deployment by deployment, in the order in which deployments ended.

-- How far the removal of one kind of data has come: everything of deployments that ended up to here is gone. An ended
-- deployment never changes, so none can appear behind the mark.
create table retention_progress (
  kind text primary key check (kind in ('logs', 'artifacts', 'deployment_events')),
  completed_at timestamptz not null,
  deployment_id uuid not null
);
create index deployments_ended on deployments (completed_at, id) where completed_at is not null;

-- Removing a decision looks for the keys that name it.
create index idempotency_keys_by_decision on idempotency_keys (decision_id) where decision_id is not null;
