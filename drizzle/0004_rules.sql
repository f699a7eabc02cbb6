-- Rules that no code path can get around, and the lock order of a transition (design 2 rules 1 to 3, 6.8).

create function refuse_illegal_deployment() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if (new.mode = 'plan_unlocked' and new.status in ('pending', 'waiting'))
      or (new.mode <> 'plan_unlocked' and new.status = 'queued') then
      return new;
    end if;
    raise exception 'illegal first status % of a % deployment', new.status, new.mode using errcode = 'SV001';
  end if;
  if new.mode <> old.mode then
    raise exception 'a deployment keeps its mode' using errcode = 'SV001';
  end if;
  if new.status = old.status then
    return new;
  end if;
  if new.mode = 'plan_unlocked' and (new.status = 'queued'
    or (old.status = 'planning' and new.status in ('waiting', 'applying'))
    or (old.status = 'waiting' and new.status = 'applying')) then
    raise exception 'illegal transition % -> % of a plan_unlocked deployment', old.status, new.status using errcode = 'SV001';
  end if;
  if not (new.status = any (case old.status
    when 'queued' then array['pending', 'skipped', 'cancelled']
    when 'pending' then array['planning', 'applying', 'failed', 'cancelled']
    when 'planning' then array['waiting', 'applying', 'finished', 'failed', 'requested_cancellation', 'cancelled']
    when 'waiting' then array['applying', 'pending', 'skipped', 'cancelled']
    when 'applying' then array['finished', 'failed', 'requested_cancellation', 'cancelled']
    when 'requested_cancellation' then array['cancelling', 'cancelled', 'finished']
    when 'cancelling' then array['cancelled', 'finished']
    else array[]::text[] end)) then
    raise exception 'illegal transition % -> % of a deployment', old.status, new.status using errcode = 'SV001';
  end if;
  return new;
end $$;
create trigger deployments_transitions before insert or update of status, mode on deployments
  for each row execute function refuse_illegal_deployment();

create function refuse_illegal_run() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status in ('queued', 'pending') then
      return new;
    end if;
    raise exception 'illegal first status % of a run', new.status using errcode = 'SV001';
  end if;
  if new.status = old.status then
    return new;
  end if;
  if not (new.status = any (case old.status
    when 'queued' then array['pending', 'cancelled', 'discarded']
    when 'pending' then array['assigned', 'startup_timeout', 'cancelled', 'discarded']
    when 'assigned' then array['running', 'pending', 'startup_timeout', 'failure', 'cancelled', 'discarded']
    when 'running' then array['success', 'failure', 'timed_out', 'cancelled', 'requested_cancellation']
    when 'requested_cancellation' then array['cancelling', 'success', 'cancelled']
    when 'cancelling' then array['success', 'cancelled']
    else array[]::text[] end)) then
    raise exception 'illegal transition % -> % of a run', old.status, new.status using errcode = 'SV001';
  end if;
  return new;
end $$;
create trigger runs_transitions before insert or update of status on runs
  for each row execute function refuse_illegal_run();

-- Lock a deployment's lane in the one order (stack, deployment, runs) and return all a transition decides on, read after
-- the locks, with the time after the wait. One call, since every transition begins with it. Null when there is no such deployment.
create function lock_lane(p_deployment uuid) returns jsonb language plpgsql volatile as $$
declare
  v_stack_key uuid;
  v_stack stacks;
  v_deployment deployments;
  v_runs jsonb;
begin
  select stack_key into v_stack_key from deployments where id = p_deployment;
  if not found then
    return null;
  end if;
  select * into v_stack from stacks where stack_key = v_stack_key for no key update;
  select * into v_deployment from deployments where id = p_deployment for no key update;
  if v_deployment.id is null then
    return null;
  end if;
  perform 1 from runs where deployment_id = p_deployment order by id for no key update;
  select coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('last_seen_at', l.last_seen_at) order by r.id), '[]') into v_runs
  from runs r left join run_liveness l on l.run_id = r.id where r.deployment_id = p_deployment;
  return jsonb_build_object(
    'now', svc_now(),
    'stack', to_jsonb(v_stack),
    'deployment', to_jsonb(v_deployment),
    'runs', v_runs,
    'stages', (select coalesce(jsonb_agg(to_jsonb(s) order by s.position), '[]') from stages s where s.deployment_id = p_deployment));
end $$;

-- What a timer may have to do about a run, and when: the one place that knows. `t` holds the service's settings in
-- milliseconds (the config's `timeouts`).
create function deadlines(r runs, t jsonb) returns table (reason text, due_at timestamptz) language sql stable as $$
  select 'lease', r.assigned_expires_at where r.status = 'assigned'
  union all
  select 'max_run_duration', r.started_at + coalesce(
      (select s.max_run_duration_ms from deployments d join stacks s using (stack_key) where d.id = r.deployment_id),
      (t ->> 'maxRunDurationMs')::bigint) * interval '1 millisecond'
    where r.status in ('running', 'requested_cancellation', 'cancelling')
  union all
  select 'inactive', coalesce((select l.last_seen_at from run_liveness l where l.run_id = r.id), r.started_at)
      + (t ->> 'executionMs')::bigint * interval '1 millisecond'
    where r.status = 'running'
  union all
  select 'silent_cancellation', greatest(r.cancel_requested_at, (select l.last_seen_at from run_liveness l where l.run_id = r.id))
      + (t ->> 'cancellationMs')::bigint * interval '1 millisecond'
    where r.status in ('requested_cancellation', 'cancelling')
$$;

-- The same for a deployment: its queue policies, and the startup deadline of a run that nobody has claimed. While a run is
-- assigned its lease decides, so the startup deadline is looked at again after the lease.
create function deadlines(d deployments, t jsonb) returns table (reason text, due_at timestamptz) language sql stable as $$
  select 'queued_timeout', d.created_at + s.queued_timeout_ms * interval '1 millisecond'
    from stacks s where s.stack_key = d.stack_key and d.status = 'queued' and s.queued_timeout_ms is not null
  union all
  select 'confirmation_timeout', d.waiting_since + s.confirmation_timeout_ms * interval '1 millisecond'
    from stacks s where s.stack_key = d.stack_key and d.status = 'waiting' and s.confirmation_timeout_ms is not null
  union all
  select 'superseded', d.created_at + s.supersede_age_ms * interval '1 millisecond'
    from stacks s where s.stack_key = d.stack_key and d.status in ('queued', 'waiting') and d.mode = 'plan'
      and s.supersede_age_ms is not null and exists (select 1 from deployments n
        where n.stack_key = d.stack_key and n.mode = 'plan' and (n.created_at, n.id) > (d.created_at, d.id))
  union all
  select 'startup', greatest(r.first_pending_at + (t ->> 'startupDeadlineMs')::bigint * interval '1 millisecond', r.assigned_expires_at)
    from runs r where r.deployment_id = d.id and r.status in ('pending', 'assigned')
$$;

create function next_deadline(r runs, t jsonb) returns timestamptz language sql stable as
  'select min(due_at) from deadlines(r, t)';
create function next_deadline(d deployments, t jsonb) returns timestamptz language sql stable as
  'select min(due_at) from deadlines(d, t)';

-- Recompute which groups of an organization serve which selectors. A selector matches a group whose labels hold all its
-- pairs; the empty one matches the organization's default group. Callers hold the organization's advisory lock.
create function match_selectors(p_org uuid) returns integer language plpgsql as $$
declare
  v_changed integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('selectors:' || p_org, 0));
  with wanted as (
    select g.id as group_id, s.id as selector_id
    from runner_selectors s join organizations o on o.id = s.org_id
    join runner_groups g on g.org_id = s.org_id
      and case when s.labels = '{}' then g.id = o.default_runner_group_id else g.labels @> s.labels end
    where s.org_id = p_org
  ), gone as (
    delete from group_selectors gs using runner_selectors s
    where s.id = gs.selector_id and s.org_id = p_org
      and not exists (select 1 from wanted w where w.group_id = gs.group_id and w.selector_id = gs.selector_id)
    returning 1
  ), new as (
    insert into group_selectors (group_id, selector_id) select group_id, selector_id from wanted
    on conflict do nothing returning 1
  )
  select (select count(*) from gone) + (select count(*) from new) into v_changed;
  return v_changed;
end $$;

-- The id of a run's selector, made on first use.
create function ensure_selector(p_org uuid, p_labels jsonb) returns uuid language plpgsql as $$
declare
  v_id uuid;
begin
  select id into v_id from runner_selectors where org_id = p_org and labels = p_labels;
  if found then
    return v_id;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('selectors:' || p_org, 0));
  insert into runner_selectors (org_id, labels) values (p_org, p_labels) on conflict do nothing;
  perform match_selectors(p_org);
  select id into v_id from runner_selectors where org_id = p_org and labels = p_labels;
  return v_id;
end $$;

-- The runner-group labels among a stack's labels, prefix stripped (spec 2.3).
create function runner_selector_of(labels jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(substr(key, length('svc:runner-group:') + 1), value), '{}')
  from jsonb_each(labels) where starts_with(key, 'svc:runner-group:')
$$;
