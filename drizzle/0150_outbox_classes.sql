-- The backlog of messages to Temporal is ordered here: by class, and among organizations in turn (docs/queue.md, "Messages to workflows").

-- 0: what a claimed run waits for. 1: what moves a deployment now. 2: a workflow that sleeps is begun or ended. 3: all that may take its time.
create function outbox_class(m jsonb) returns smallint language sql immutable parallel safe as $$
  select case
    when m ->> 'kind' in ('assignLease', 'signalLease') then 0
    when m ->> 'kind' = 'startDeployment' and (m ->> 'sleepMs')::float8 >= 60000 then 2
    when m ->> 'kind' in ('endDeployment', 'endLease') then 2
    when m ->> 'kind' in ('fanOut', 'startNotification', 'retryNotification', 'endNotification', 'taskRequested') then 3
    else 1
  end::smallint
$$;

alter table outbox
  add column class smallint generated always as (outbox_class(message)) stored,
  add column org_id uuid generated always as
    (coalesce((message ->> 'orgId')::uuid, '00000000-0000-0000-0000-000000000000'::uuid)) stored;

-- The two urgent classes are taken by age, the others by organization in turn.
create index outbox_urgent on outbox (class, due_at, id) where class < 2;
create index outbox_patient on outbox (class, org_id, due_at, id) where class >= 2;
drop index outbox_due;

-- When the workflow of a deployment, or of a run's lease, first had something to do. Null: it sleeps, or was never begun.
alter table deployments add column woken_at timestamptz;
alter table runs add column lease_woken_at timestamptz;
create index deployments_asleep on deployments (id)
  where woken_at is null and status not in ('finished', 'failed', 'cancelled', 'skipped');
