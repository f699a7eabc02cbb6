-- W3C trace context (`traceparent`) of what caused a row, so that a trace goes on where the row is picked up later: the call to
-- Temporal that a message becomes, the lease and the runner of a run. Null with tracing off; nothing decides by it.
alter table outbox add column traceparent text;
alter table runs add column traceparent text;

-- As before, and each message carries the trace of a delivery that caused it.
create or replace function take_scm_deliveries(p_rows jsonb, p_own interval) returns jsonb language plpgsql volatile
set plan_cache_mode = force_generic_plan as $$
declare
  v_answer jsonb;
begin
  with given as (
    select * from jsonb_to_recordset(p_rows) as r (id uuid, org uuid, integration uuid, version text, repository text, "externalId" text,
      kind text, branch text, "branchKey" text, "prNumber" integer, before text, after text, traceparent text)
  ), asked as materialized (
    select g.org, scm_integrations_version(g.org) as version from (select distinct org from given) g
  ), added as (
    insert into scm_events (id, org_id, integration_id, external_event_id, kind, repository_key, branch, branch_key, pr_number,
      before_sha, after_sha)
    select g.id, g.org, g.integration, g."externalId", g.kind, g.repository, g.branch, g."branchKey", g."prNumber", g.before, g.after
    from given g join asked a on a.org = g.org and a.version = coalesce(g.version, a.version)
    where exists (select 1 from stacks s where s.org_id = g.org and s.repository_key = g.repository and s.branch = g.branch
        and s.deleted_at is null)
      or g.kind <> 'push_branch_changed' and exists (select 1 from pull_requests p where p.org_id = g.org
        and p.repository_key = g.repository and p.number = g."prNumber")
    order by g.integration, g."externalId"
    on conflict (integration_id, external_event_id) do nothing
    returning id, org_id, branch_key
  ), branches as (
    select jsonb_build_object('kind', 'scmEventArrived', 'orgId', a.org_id, 'key', a.branch_key) as message,
      min(g.traceparent) as traceparent
    from added a join given g on g.id = a.id group by a.org_id, a.branch_key
  ), told as (
    insert into outbox (message, due_at, traceparent)
    select message, svc_now() + p_own, traceparent from branches where p_own is not null
    returning id, message, traceparent
  )
  select jsonb_build_object(
    'ids', coalesce((select jsonb_agg(id) from added), '[]'),
    'versions', coalesce((select jsonb_object_agg(org, version) from asked), '{}'),
    'messages', coalesce(case when p_own is null then (select jsonb_agg(jsonb_build_object('message', message)) from branches)
      else (select jsonb_agg(jsonb_build_object('id', id::text, 'message', message, 'traceparent', traceparent)) from told) end, '[]'))
  into v_answer;
  return v_answer;
end $$;
