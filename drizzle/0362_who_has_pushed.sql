-- Whose change a commit is says itself, and anybody may write anybody's name into one. Who has pushed it is known to the host.
alter table scm_events add column sender text check (octet_length(sender) <= 1020);
-- A commit has 40 or 64 digits.
alter table scm_events add constraint scm_events_after_sha_check check (octet_length(after_sha) <= 64);
create index scm_events_pushed on scm_events (org_id, after_sha) where kind = 'push_branch_changed' and sender is not null;
create or replace function take_scm_deliveries(p_rows jsonb, p_own interval) returns jsonb language plpgsql volatile
set plan_cache_mode = force_generic_plan as $$
declare
  v_answer jsonb;
begin
  with given as (
    select * from jsonb_to_recordset(p_rows) as r (id uuid, org uuid, integration uuid, version text, repository text, "externalId" text,
      kind text, branch text, "branchKey" text, "prNumber" integer, before text, after text, sender text, traceparent text)
  ), asked as materialized (
    select g.org, scm_integrations_version(g.org) as version from (select distinct org from given) g
  ), added as (
    insert into scm_events (id, org_id, integration_id, external_event_id, kind, repository_key, branch, branch_key, pr_number,
      before_sha, after_sha, sender)
    select g.id, g.org, g.integration, g."externalId", g.kind, g.repository, g.branch, g."branchKey", g."prNumber", g.before, g.after, g.sender
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

-- Whose change it is, by what is recorded of the deployment itself: who made it or planned it again, who else is known to have
-- made it, who wrote its commit, pushed it, or opened its pull request.
create or replace function made_by(d deployments) returns table (kind text, id text) language sql stable as $$
  select coalesce(d.created_by_kind,
      case when exists (select from service_accounts a where a.id::text = d.created_by) then 'service_account' else 'user' end),
    d.created_by
  where d.created_by is not null
  union
  select m.kind, m.maker_id from deployment_makers m where m.deployment_id = d.id
  union
  select e.actor_kind, e.actor_id from deployment_events e
  where e.deployment_id = d.id and e.kind = 'confirmed_replan' and e.actor_id is not null
  union
  select 'user', n.user_id from unnest(array[d.commit_author, d.origin_pr_author]) a join known_names n on n.name = known_name(a)
  union
  select 'user', n.user_id from scm_events e join known_names n on n.name = known_name(e.sender)
  where e.org_id = d.org_id and e.after_sha = d.commit_sha and e.kind = 'push_branch_changed' and e.sender is not null
$$;
