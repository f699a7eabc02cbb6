-- What is over has only to be told so to a workflow that is awake: nobody waits for that, and each costs a task of the
-- workers. It goes with what may take its time, by organization in turn, and so do checks for drift.
create or replace function outbox_class(m jsonb) returns smallint language sql immutable parallel safe as $$
  select case
    when m ->> 'kind' in ('signalDeployment', 'signalLease') and (m ->> 'over')::boolean then 3
    when m ->> 'kind' = 'driftChanged' or (m ->> 'kind' = 'startDeployment' and m ->> 'mode' = 'drift') then 3
    when m ->> 'kind' in ('assignLease', 'signalLease') then 0
    when m ->> 'kind' = 'startDeployment' and (m ->> 'sleepMs')::float8 >= 60000 then 2
    when m ->> 'kind' in ('endDeployment', 'endLease') then 2
    when m ->> 'kind' in ('fanOut', 'startNotification', 'retryNotification', 'endNotification', 'taskRequested') then 3
    else 1
  end::smallint
$$;
