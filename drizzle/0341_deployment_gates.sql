-- What keeps a plan that waits from being applied, besides a person's word: a row for each gate that is closed.
create table deployment_gates (
  deployment_id uuid not null references deployments (id) on delete cascade,
  gate text not null check (gate in ('policy', 'approvals')),
  -- The plan that it is about: another plan has gates of its own.
  plan_run_id uuid not null,
  -- What a confirmation is answered with.
  code text not null,
  detail text not null,
  closed_at timestamptz not null default svc_now(),
  -- Its room has found it open until then.
  open_until timestamptz,
  -- When whoever closed it has to look again.
  due_at timestamptz,
  primary key (deployment_id, gate)
);

create or replace function lock_lane(p_deployment uuid) returns jsonb language plpgsql as $$
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
    'stages', (select coalesce(jsonb_agg(to_jsonb(s) order by s.position), '[]') from stages s where s.deployment_id = p_deployment),
    'gates', (select coalesce(jsonb_agg(to_jsonb(g)), '[]') from deployment_gates g
      where g.deployment_id = p_deployment and coalesce(g.open_until <= svc_now(), true)));
end $$;

create or replace function lock_lanes(p_deployments uuid[]) returns jsonb language plpgsql as $$
declare
  v_stack stacks;
  v_lanes jsonb;
begin
  select s.* into v_stack from stacks s
  where s.stack_key = (select d.stack_key from deployments d where d.id = any(p_deployments) order by d.id limit 1) for no key update;
  perform 1 from deployments where id = any(p_deployments) and stack_key = v_stack.stack_key order by id for no key update;
  perform 1 from runs where deployment_id = any(p_deployments) order by id for no key update;
  select coalesce(jsonb_agg(jsonb_build_object(
      'deployment', to_jsonb(d) - 'origin_pr_title' - 'origin_pr_body',
      'runs', (select coalesce(jsonb_agg(to_jsonb(r) || jsonb_build_object('last_seen_at', l.last_seen_at) order by r.id), '[]')
        from runs r left join run_liveness l on l.run_id = r.id where r.deployment_id = d.id),
      'stages', (select coalesce(jsonb_agg(to_jsonb(s) order by s.position), '[]') from stages s where s.deployment_id = d.id),
      'gates', (select coalesce(jsonb_agg(to_jsonb(g)), '[]') from deployment_gates g
        where g.deployment_id = d.id and coalesce(g.open_until <= svc_now(), true))
    ) order by d.id), '[]') into v_lanes
  from deployments d where d.id = any(p_deployments) and d.stack_key = v_stack.stack_key;
  return jsonb_build_object('now', svc_now(), 'stack', to_jsonb(v_stack), 'lanes', v_lanes);
end $$;

-- A gate's own deadline is one of its deployment, by the gate's name.
create or replace function deadlines(d deployments, t jsonb) returns table (reason text, due_at timestamptz)
  language sql stable as $$
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
  union all
  select g.gate, g.due_at from deployment_gates g
    where g.deployment_id = d.id and d.status = 'waiting' and g.due_at is not null
$$;
