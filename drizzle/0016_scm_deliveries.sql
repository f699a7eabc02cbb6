-- Deliveries come by the thousand: one call stores one, with plans that are kept and without statements to plan anew.

-- The integration's own reference to its organization is enough.
alter table scm_events drop constraint scm_events_org_id_fkey;
drop index scm_events_by_org;
drop index scm_events_by_age;
create index scm_events_ended on scm_events (processed_at) where processed_at is not null;
create index scm_events_by_integration on scm_events (integration_id, created_at desc, id desc);

-- Changes with every write to an organization's integrations.
create function scm_integrations_version(p_org uuid) returns text language sql stable as $$
  select count(*) || ' ' || coalesce(sum(extract(epoch from updated_at)), 0) from scm_integrations where org_id = p_org
$$;

-- Store a delivery's events and tell the workflows of their branches. Left out are those whose delivery is known already, and those
-- that concern no stack. Null, and nothing is stored, when the organization's integrations are not those of `p_version` any more.
-- Answers {ids, messages: [{id, message}]}; the messages are in the outbox already, the writer's own for `p_own`, unless that is null.
create function take_scm_delivery(p_org uuid, p_integration uuid, p_version text, p_repository text, p_events jsonb, p_own interval)
returns jsonb language plpgsql volatile as $$
declare
  e jsonb;
  v_branch text;
  v_key text;
  v_message jsonb;
  v_id uuid;
  v_row bigint;
  v_told text[] := '{}';
  v_ids jsonb := '[]';
  v_messages jsonb := '[]';
begin
  if p_version <> scm_integrations_version(p_org) then
    return null;
  end if;
  for e in select value from jsonb_array_elements(p_events) loop
    v_branch := e ->> 'branch';
    v_key := e ->> 'branchKey';
    if not exists (select 1 from stacks s where s.org_id = p_org and s.repository_key = p_repository and s.branch = v_branch
        and s.deleted_at is null)
      and (e ->> 'kind' = 'push_branch_changed' or not exists (select 1 from pull_requests p where p.org_id = p_org
        and p.repository_key = p_repository and p.number = (e ->> 'prNumber')::integer)) then
      continue;
    end if;
    insert into scm_events (id, org_id, integration_id, external_event_id, kind, repository_key, branch, branch_key, pr_number,
      before_sha, after_sha)
    values ((e ->> 'id')::uuid, p_org, p_integration, e ->> 'externalId', e ->> 'kind', p_repository, v_branch, v_key,
      (e ->> 'prNumber')::integer, e ->> 'before', e ->> 'after')
    on conflict (integration_id, external_event_id) do nothing
    returning id into v_id;
    if not found then
      continue;
    end if;
    v_ids := v_ids || to_jsonb(v_id);
    if not (v_key = any (v_told)) then
      v_told := v_told || v_key;
      v_message := jsonb_build_object('kind', 'scmEventArrived', 'orgId', p_org, 'key', v_key);
      if p_own is not null then
        insert into outbox (message, due_at) values (v_message, svc_now() + p_own) returning id into v_row;
      end if;
      v_messages := v_messages || jsonb_build_object('id', v_row::text, 'message', v_message);
    end if;
  end loop;
  return jsonb_build_object('ids', v_ids, 'messages', v_messages);
end $$;
