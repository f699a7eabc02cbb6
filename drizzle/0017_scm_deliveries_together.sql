-- A foreign key locks the integration's row for every delivery; where many arrive at once, the shared locks cost more than the
-- insert. The events go with their integration all the same, and one that slips in meanwhile is removed by its workflow.
alter table scm_events drop constraint scm_events_integration_id_fkey;
create function remove_scm_events() returns trigger language plpgsql as $$
begin
  delete from scm_events where integration_id = old.id;
  return null;
end $$;
create trigger scm_integrations_events after delete on scm_integrations for each row execute function remove_scm_events();

-- Store the events of deliveries that arrived together, and tell the workflows of their branches, each once. `p_rows` holds for each event
-- id, org, integration, version, repository, externalId, kind, branch, branchKey, prNumber, before, after. Left out are those whose
-- delivery is known already, those that concern no stack, and those of an organization whose integrations are not of `version` any more
-- (null: of any). They are added in one order, so that two statements with the same deliveries wait for each other and never both ways.
-- Answers {ids, versions: {org: version}, messages: [{id, message}]}; the messages are in the outbox already, the writer's own for `p_own`, unless
-- that is null. One plan for all: what is looked for never depends on how often it occurs.
drop function take_scm_delivery(uuid, uuid, text, text, jsonb, interval);
create function take_scm_deliveries(p_rows jsonb, p_own interval) returns jsonb language plpgsql volatile
set plan_cache_mode = force_generic_plan as $$
declare
  v_answer jsonb;
begin
  with given as (
    select * from jsonb_to_recordset(p_rows) as r (id uuid, org uuid, integration uuid, version text, repository text, "externalId" text,
      kind text, branch text, "branchKey" text, "prNumber" integer, before text, after text)
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
    select distinct jsonb_build_object('kind', 'scmEventArrived', 'orgId', org_id, 'key', branch_key) as message from added
  ), told as (
    insert into outbox (message, due_at) select message, svc_now() + p_own from branches where p_own is not null
    returning id, message
  )
  select jsonb_build_object(
    'ids', coalesce((select jsonb_agg(id) from added), '[]'),
    'versions', coalesce((select jsonb_object_agg(org, version) from asked), '{}'),
    'messages', coalesce(case when p_own is null then (select jsonb_agg(jsonb_build_object('message', message)) from branches)
      else (select jsonb_agg(jsonb_build_object('id', id::text, 'message', message)) from told) end, '[]'))
  into v_answer;
  return v_answer;
end $$;
