-- Who has minted a token of an account is remembered also when the account is deleted: what it did stays theirs.
alter table service_account_minters add column org_id uuid references organizations on delete cascade;
update service_account_minters m set org_id = a.org_id from service_accounts a where a.id = m.service_account_id;
alter table service_account_minters alter column org_id set not null;
alter table service_account_minters drop constraint service_account_minters_service_account_id_fkey;
create index service_account_minters_of_org on service_account_minters (org_id);
create or replace function remember_minter() returns trigger language plpgsql as $$
begin
  insert into service_account_minters (service_account_id, user_id, org_id)
    select a.id, u.id, a.org_id from service_accounts a, users u where a.id = new.service_account_id and u.id = new.created_by
  on conflict do nothing;
  return null;
end $$;

-- Whose change it is, by what is recorded of the deployment itself: who made it or planned it again, who else is known to have
-- made it, who wrote its commit or opened its pull request.
create function made_by(d deployments) returns table (kind text, id text) language sql stable as $$
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
$$;

-- These, everybody who has minted a token of an account among them, and every account that one of these people has minted a token of.
create or replace function change_makers(d deployments) returns table (kind text, id text) language sql stable as $$
  with direct as (
    select m.kind, m.id from made_by(d) m
  ), persons as (
    select x.id from direct x where x.kind = 'user'
    union
    select m.user_id from direct x join service_account_minters m on m.service_account_id::text = x.id
    where x.kind = 'service_account'
  )
  select 'user', p.id from persons p
  union
  select 'service_account', x.id from direct x where x.kind = 'service_account'
  union
  select 'service_account', m.service_account_id::text from persons p join service_account_minters m on m.user_id = p.id
$$;

-- What follows from a deployment is the change of whoever made that one, and with p_confirmed also of whoever had it applied.
-- One that drift led to is a repetition: whoever let it be applied has changed nothing. A retry keeps the author of a pull request that is forgotten by now.
create function inherit_makers(p_from uuid, p_to uuid, p_confirmed boolean) returns void language sql volatile as $$
  update deployments t set origin_pr_author = f.origin_pr_author from deployments f
    where not p_confirmed and f.id = p_from and t.id = p_to and t.origin_pr_author is null and f.origin_pr_author is not null;
  insert into deployment_makers (deployment_id, kind, maker_id)
    select p_to, m.kind, m.id from deployments d cross join lateral (
      select b.kind, b.id from made_by(d) b
      union
      select e.actor_kind, e.actor_id from deployment_events e
      where p_confirmed and d.origin_type <> 'drift' and e.deployment_id = d.id and e.kind = 'confirmed_apply' and e.actor_id is not null
    ) m
    where d.id = p_from and m.kind in ('user', 'service_account')
  on conflict do nothing
$$;

-- Whether two reviewers may be one person: an account is whoever has minted a token of it, and so are two that one person has.
create function may_be_one(p_kind text, p_id text, q_kind text, q_id text) returns boolean language sql stable as $$
  select case
    when p_kind = q_kind and p_id = q_id then true
    when p_kind = 'user' and q_kind = 'user' then false
    when p_kind = 'user' then exists (
      select from service_account_minters m where m.user_id = p_id and m.service_account_id::text = q_id)
    when q_kind = 'user' then exists (
      select from service_account_minters m where m.user_id = q_id and m.service_account_id::text = p_id)
    else exists (
      select from service_account_minters m join service_account_minters n on n.user_id = m.user_id
      where m.service_account_id::text = p_id and n.service_account_id::text = q_id)
  end
$$;

-- What is asked for of a plan, with the approvals that count now, and who rejects it. Null where there is nothing to say.
-- Of several that may be one person, one counts: a person before an account, and of accounts the oldest.
create or replace function approvals_of(d deployments, p_plan uuid) returns jsonb language plpgsql stable as $$
begin
  if not has_approvals(d) then
    return null;
  end if;
  return (
    with review as materialized (select * from standing_reviews(d, p_plan)), asked as materialized (select * from asked_approvals(d, p_plan)),
    given as (
      select a.id as asked_id, v.reviewer_kind, v.reviewer_id from asked a join review v
        on v.verdict = 'approve' and not v.own and counts_for(v.reviewer_kind, v.reviewer_id, d.org_id, a.approvers)
    )
    select jsonb_build_object(
      'required', (
        select coalesce(jsonb_agg(jsonb_build_object('source', a.source, 'id', a.id, 'name', a.name, 'reason', a.reason, 'count', a.count,
          'destructive', a.destructive, 'deadline_ms', a.deadline_ms, 'remind_ms', a.remind_ms, 'from', approver_names(d.org_id, a.approvers),
          'given', (
            select coalesce(jsonb_agg(jsonb_build_object('kind', g.reviewer_kind, 'id', g.reviewer_id) order by g.reviewer_kind, g.reviewer_id), '[]')
            from given g where g.asked_id = a.id and not (g.reviewer_kind = 'service_account' and exists (
              select from given u where u.asked_id = a.id and (u.reviewer_kind = 'user' or u.reviewer_id < g.reviewer_id)
                and may_be_one(g.reviewer_kind, g.reviewer_id, u.reviewer_kind, u.reviewer_id))))
        ) order by a.since, a.id), '[]') from asked a),
      'rejections', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', v.reviewer_kind, 'id', v.reviewer_id) order by v.reviewer_kind, v.reviewer_id), '[]')
        from review v where v.verdict = 'reject' and (v.reviewer_kind = 'user'
          or exists (select from asked a where counts_for(v.reviewer_kind, v.reviewer_id, d.org_id, a.approvers)))),
      'makers', (select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'id', c.id)), '[]') from change_makers(d) c)));
end $$;

-- Who could still approve a plan for these approvers, by name; at most so many. `given` has who counts already.
drop function possible_approvers(deployments, uuid, jsonb, integer);
create function possible_approvers(d deployments, p_plan uuid, approvers jsonb, given jsonb, most integer)
returns table (kind text, id text, name text) language sql stable as $$
  with entitled as (
    select m.user_id, s.id as source_id, e.group_key from memberships m
    join external_entitlements e on e.user_id = m.user_id and e.expires_at > svc_now()
    join identity_sources s on s.org_id = d.org_id and s.enabled and s.provider_key = e.provider_key and s.oidc_issuer = e.issuer
      and s.oidc_client_id = e.client_id and s.oidc_groups_claim = e.groups_claim
    where m.org_id = d.org_id and approvers <> '{"roles": [], "groups": [], "service_accounts": []}'
  ), person as (
    select ra.user_id from role_assignments ra
    where ra.org_id = d.org_id and ra.user_id is not null and approvers -> 'roles' ? ra.role_id::text
    union
    select e.user_id from entitled e join group_role_bindings b on b.identity_source_id = e.source_id and b.group_key = e.group_key
    join group_role_binding_roles br on br.binding_id = b.id where approvers -> 'roles' ? br.role_id::text
    union
    select e.user_id from entitled e
    where approvers -> 'groups' @> jsonb_build_array(jsonb_build_object('identity_source_id', e.source_id, 'group_key', e.group_key))
    union
    select m.user_id from memberships m
    where m.org_id = d.org_id and approvers = '{"roles": [], "groups": [], "service_accounts": []}'
  ), candidate as (
    select 'user' as kind, u.id, coalesce(u.display_name, u.login) as name from person p join users u on u.id = p.user_id
    union all
    select 'service_account', a.id::text, a.name from service_accounts a
    where a.org_id = d.org_id and approvers -> 'service_accounts' ? a.id::text
  )
  select c.kind, c.id, c.name from candidate c
  where counts_for(c.kind, c.id, d.org_id, approvers)
    and may_review(c.kind, c.id, (select s from stacks s where s.stack_key = d.stack_key))
    and not exists (select from change_makers(d) x where x.kind = c.kind and x.id = c.id)
    and not exists (select from jsonb_array_elements(given) g where may_be_one(c.kind, c.id, g ->> 'kind', g ->> 'id'))
  order by c.kind desc, c.name, c.id limit most
$$;

-- Whether a waiting deployment lacks an approval that this one could give.
create or replace function awaits_approval_by(d deployments, p_kind text, p_id text) returns boolean language plpgsql stable as $$
declare
  v_missing jsonb := missing_approvals(d) -> 'missing';
begin
  return v_missing is not null
    and may_review(p_kind, p_id, (select s from stacks s where s.stack_key = d.stack_key))
    and not exists (select from change_makers(d) c where c.kind = p_kind and c.id = p_id)
    and exists (
      select from jsonb_array_elements(v_missing) m join asked_approvals(d, waiting_plan(d.id)) a on a.id::text = m ->> 'id'
      where counts_for(p_kind, p_id, d.org_id, a.approvers)
        and not exists (select from jsonb_array_elements(m -> 'given') g where may_be_one(p_kind, p_id, g ->> 'kind', g ->> 'id')));
end $$;
