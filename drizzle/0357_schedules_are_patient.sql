-- That schedules or ends of stacks have changed is told to the organization's own workflow, which sleeps until the next
-- of them anyway: it may take its time, as checks for drift.
create or replace function outbox_class(m jsonb) returns smallint language sql immutable parallel safe as $$
  select case
    when m ->> 'kind' in ('signalDeployment', 'signalLease') and (m ->> 'over')::boolean then 3
    when m ->> 'kind' in ('driftChanged', 'schedulesChanged') or (m ->> 'kind' = 'startDeployment' and m ->> 'mode' = 'drift') then 3
    when m ->> 'kind' in ('assignLease', 'signalLease') then 0
    when m ->> 'kind' = 'startDeployment' and (m ->> 'sleepMs')::float8 >= 60000 then 2
    when m ->> 'kind' in ('endDeployment', 'endLease') then 2
    when m ->> 'kind' in ('fanOut', 'startNotification', 'retryNotification', 'endNotification', 'taskRequested') then 3
    else 1
  end::smallint
$$;
