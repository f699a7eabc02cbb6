-- Who has to approve a plan before it is applied: rules of an organization, what policies ask for, and people's reviews.

create table approval_rules (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  -- Labels that a stack must have; none: every stack.
  selector jsonb not null,
  modes text[] not null check (modes <@ array['plan', 'destroy', 'refresh']),
  -- Also the start of a preview that waits for a person.
  previews boolean not null,
  -- Only what destroys, replaces or forgets something, or is not known not to.
  destructive boolean not null,
  count integer not null check (count between 1 and 10),
  -- {roles: [id], groups: [{identity_source_id, group_key}], service_accounts: [id]}; all empty: whoever may review.
  approvers jsonb not null,
  deadline_ms bigint check (deadline_ms > 0),
  remind_ms bigint check (remind_ms > 0),
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, name),
  check (cardinality(modes) > 0 or previews)
);

-- What something else than a rule asks for, for one plan.
create table approval_requirements (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  deployment_id uuid not null references deployments on delete cascade,
  plan_run_id uuid not null references runs on delete cascade,
  source text not null check (source in ('policy')),
  -- What people know it by, such as the policy's name.
  name text not null check (length(name) between 1 and 200),
  reason text,
  count integer not null check (count between 1 and 10),
  -- As of a rule. `unknown` has names that nobody bears: they keep it from being met by whoever may review.
  approvers jsonb not null,
  created_at timestamptz not null default svc_now()
);
create index approval_requirements_of_deployment on approval_requirements (deployment_id);
create index approval_requirements_of_plan on approval_requirements (plan_run_id);
create index approval_requirements_of_org on approval_requirements (org_id);

-- People's words about one plan. They are never changed: the newest one of a person counts.
create table deployment_reviews (
  id uuid primary key default uuidv7(),
  seq bigint not null generated always as identity,
  org_id uuid not null references organizations on delete cascade,
  deployment_id uuid not null references deployments on delete cascade,
  -- Null for a preview that has not been started.
  plan_run_id uuid references runs on delete cascade,
  reviewer_id text not null,
  reviewer_kind text not null check (reviewer_kind in ('user', 'service_account')),
  verdict text not null check (verdict in ('approve', 'reject')),
  comment text,
  created_at timestamptz not null default svc_now()
);
create index deployment_reviews_of_deployment on deployment_reviews (deployment_id, seq);
create index deployment_reviews_of_run on deployment_reviews (plan_run_id);
create index deployment_reviews_of_org on deployment_reviews (org_id);

alter table decisions drop constraint decisions_kind_check;
alter table decisions add constraint decisions_kind_check
  check (kind in ('confirm', 'skip', 'cancel', 'prioritize', 'deprioritize', 'confirmPreview', 'review'));

-- When its approvers were reminded last.
alter table deployments add column reminded_at timestamptz;
-- Who opened its pull request, kept when the request is forgotten.
alter table deployments add column origin_pr_author text;

-- Who ever minted a token of an account, whether or not the token is still there: what the account does may be their doing.
create table service_account_minters (
  service_account_id uuid not null references service_accounts on delete cascade,
  user_id text not null references users on delete cascade,
  primary key (service_account_id, user_id)
);
create index service_account_minters_by_user on service_account_minters (user_id);
insert into service_account_minters (service_account_id, user_id)
  select distinct t.service_account_id, t.created_by from service_account_tokens t join users u on u.id = t.created_by;
create function remember_minter() returns trigger language plpgsql as $$
begin
  insert into service_account_minters (service_account_id, user_id)
    select new.service_account_id, u.id from users u where u.id = new.created_by
  on conflict do nothing;
  return null;
end $$;
create trigger service_account_tokens_minter after insert on service_account_tokens
  for each row execute function remember_minter();

-- What code hosts and commits may call a person, in lower case. Kept when an identity is unlinked or renamed.
create table known_names (
  name text not null check (octet_length(name) <= 600),
  user_id text not null references users on delete cascade,
  primary key (user_id, name)
);
create index known_names_by_name on known_names (name);
create function known_name(text) returns text language sql immutable as $$ select left(lower(btrim($1)), 150) $$;
insert into known_names (name, user_id)
  select known_name(login), id from users where btrim(login) <> ''
  union select known_name(display_name), id from users where btrim(display_name) <> ''
  union select known_name(login), user_id from user_identities where btrim(login) <> '';
create function remember_user_names() returns trigger language plpgsql as $$
begin
  insert into known_names (name, user_id)
    select distinct known_name(n), new.id from unnest(array[new.login, new.display_name]) n where btrim(n) <> ''
  on conflict do nothing;
  return null;
end $$;
create trigger users_names after insert or update of login, display_name on users
  for each row execute function remember_user_names();
create function remember_identity_name() returns trigger language plpgsql as $$
begin
  if btrim(new.login) <> '' then
    insert into known_names (name, user_id) values (known_name(new.login), new.user_id) on conflict do nothing;
  end if;
  return null;
end $$;
create trigger user_identities_names after insert or update of login, user_id on user_identities
  for each row execute function remember_identity_name();

create function remember_pull_request_author() returns trigger language plpgsql as $$
begin
  new.origin_pr_author := (select p.author from pull_requests p where p.id = new.pull_request_id);
  return new;
end $$;
create trigger deployments_pr_author before insert on deployments for each row
  when (new.pull_request_id is not null) execute function remember_pull_request_author();
update deployments d set origin_pr_author = p.author from pull_requests p
  where p.id = d.pull_request_id and d.completed_at is null;

-- Whose change it is: who made the deployment or planned it again, who wrote its commit or opened its pull request, and
-- every account that one of them has minted a token of. Of an account: everybody who has. None of them approves it.
create function change_makers(d deployments) returns table (kind text, id text) language sql stable as $$
  with direct as (
    select coalesce(d.created_by_kind,
        case when exists (select from service_accounts a where a.id::text = d.created_by) then 'service_account' else 'user' end) as kind,
      d.created_by as id
    where d.created_by is not null
    union
    select e.actor_kind, e.actor_id from deployment_events e
    where e.deployment_id = d.id and e.kind = 'confirmed_replan' and e.actor_id is not null
  ), persons as (
    select x.id from direct x where x.kind = 'user'
    union
    select m.user_id from direct x join service_account_minters m on m.service_account_id::text = x.id
    where x.kind = 'service_account'
    union
    select n.user_id from unnest(array[d.commit_author, d.origin_pr_author]) a join known_names n on n.name = known_name(a)
  )
  select 'user', p.id from persons p
  union
  select 'service_account', x.id from direct x where x.kind = 'service_account'
  union
  select 'service_account', m.service_account_id::text from persons p join service_account_minters m on m.user_id = p.id
$$;

-- As `effectiveRoles` of src/people/authorization/grants.ts, for whoever has a standing in the organization.
create function roles_held(p_kind text, p_id text, p_org uuid) returns table (role_id uuid) language sql stable as $$
  select ra.role_id from service_accounts a join role_assignments ra on ra.service_account_id = a.id and ra.org_id = p_org
  where p_kind = 'service_account' and a.org_id = p_org and a.id::text = p_id and a.disabled_at is null
  union
  select held.role_id
  from users u
  join memberships m on m.user_id = u.id and m.org_id = p_org and (m.expires_at is null or m.expires_at > svc_now())
  cross join lateral (
    select ra.role_id from role_assignments ra where ra.user_id = u.id and ra.org_id = p_org
    union
    select br.role_id from external_entitlements e
    join identity_sources s on s.org_id = p_org and s.enabled and s.provider_key = e.provider_key and s.oidc_issuer = e.issuer
      and s.oidc_client_id = e.client_id and s.oidc_groups_claim = e.groups_claim
    join group_role_bindings b on b.identity_source_id = s.id and b.group_key = e.group_key
    cross join lateral (
      select t.role_id from group_role_binding_roles t where t.binding_id = b.id order by t.role_id limit 5) br
    where e.user_id = u.id and e.expires_at > svc_now()
  ) held
  where p_kind = 'user' and u.id = p_id and u.disabled_at is null
$$;

-- Whether somebody may review the stack now.
create function may_review(p_kind text, p_id text, s stacks) returns boolean language sql stable as $$
  select p_kind = 'user' and exists (select from users u where u.id = p_id and u.is_super_admin and u.disabled_at is null)
    or exists (
      select from roles_held(p_kind, p_id, s.org_id) h join roles r on r.id = h.role_id join role_permissions p on p.role_id = r.id
      where (r.org_id is null or r.org_id = s.org_id) and p.resource_type in ('stack', '*') and p.action in ('review', '*')
        and (p.resource_pattern is null and p.authz_group is null
          or (s.name <> '' and s.name like p.resource_pattern escape '\')
          or p.authz_group = any(s.authz_groups)))
$$;

-- Whether an approval of somebody counts for these approvers now. An account counts only where it is named.
create function counts_for(p_kind text, p_id text, p_org uuid, approvers jsonb) returns boolean language sql stable as $$
  select case when p_kind = 'service_account' then
    approvers -> 'service_accounts' ? p_id and exists (
      select from service_accounts a where a.id::text = p_id and a.org_id = p_org and a.disabled_at is null)
  else exists (
    select from users u join memberships m on m.user_id = u.id and m.org_id = p_org
    where u.id = p_id and u.disabled_at is null and (m.expires_at is null or m.expires_at > svc_now()) and (
      approvers = '{"roles": [], "groups": [], "service_accounts": []}'
      or exists (select from roles_held('user', u.id, p_org) h where approvers -> 'roles' ? h.role_id::text)
      or exists (
        select from jsonb_to_recordset(approvers -> 'groups') as g (identity_source_id uuid, group_key text)
        join identity_sources s on s.id = g.identity_source_id and s.org_id = p_org and s.enabled
        join external_entitlements e on e.user_id = u.id and e.group_key = g.group_key and e.expires_at > svc_now()
          and e.provider_key = s.provider_key and e.issuer = s.oidc_issuer and e.client_id = s.oidc_client_id
          and e.groups_claim = s.oidc_groups_claim)))
  end
$$;

-- Whether a plan destroys, replaces or forgets something, or is not known not to. As `isDestructive` of src/core/approvals/gate.ts.
create function is_destructive(p_mode text, summary jsonb) returns boolean language sql immutable as $$
  select p_mode = 'destroy' or coalesce(
    jsonb_array_length(summary -> 'gaps') > 0
      or (summary #>> '{counts,destroy}')::numeric + (summary #>> '{counts,replace}')::numeric + (summary #>> '{counts,forget}')::numeric > 0,
    true)
$$;

-- The plan that waits for a person.
create function waiting_plan(p_deployment uuid) returns uuid language sql stable as $$
  select r.id from runs r
  where r.deployment_id = p_deployment and r.kind in ('plan_run', 'destroy_run', 'refresh_run') and r.status = 'success'
  order by r.id desc limit 1
$$;

-- Whether there is anything to say of a deployment's approvals. Most organizations have no rule.
create function has_approvals(d deployments) returns boolean language sql stable as $$
  select exists (select from approval_rules r where r.org_id = d.org_id)
    or exists (select from approval_requirements q where q.deployment_id = d.id)
    or exists (select from deployment_reviews v where v.deployment_id = d.id)
$$;

-- What is asked for of a deployment, whatever its plan changes.
create function asked_approvals(d deployments, p_plan uuid)
returns table (source text, id uuid, name text, reason text, count integer, approvers jsonb, destructive boolean, deadline_ms bigint, remind_ms bigint, since timestamptz)
language sql stable as $$
  select 'rule', r.id, r.name, null, r.count, r.approvers, r.destructive, r.deadline_ms, r.remind_ms, r.created_at
  from approval_rules r join stacks s on s.stack_key = d.stack_key
  where r.org_id = d.org_id and s.labels @> r.selector
    and (d.mode = any(r.modes) or r.previews and d.mode = 'plan_unlocked' and d.status = 'waiting')
  union all
  select q.source, q.id, q.name, q.reason, q.count, q.approvers, false, null, null, q.created_at
  from approval_requirements q where q.deployment_id = d.id and q.plan_run_id is not distinct from p_plan
$$;

-- The newest word of each reviewer on a plan, and whether it may count: for nobody's own change, of who may still review.
create function standing_reviews(d deployments, p_plan uuid)
returns table (id uuid, reviewer_kind text, reviewer_id text, verdict text, own boolean) language sql stable as $$
  select n.id, n.reviewer_kind, n.reviewer_id, n.verdict,
    exists (select from change_makers(d) c where c.kind = n.reviewer_kind and c.id = n.reviewer_id)
  from (
    select distinct on (v.reviewer_kind, v.reviewer_id) v.id, v.reviewer_kind, v.reviewer_id, v.verdict from deployment_reviews v
    where v.deployment_id = d.id and v.plan_run_id is not distinct from p_plan
    order by v.reviewer_kind, v.reviewer_id, v.seq desc
  ) n join stacks s on s.stack_key = d.stack_key
  where may_review(n.reviewer_kind, n.reviewer_id, s)
$$;

-- What is asked for of a plan, with the approvals that count now, and who rejects it. Null where there is nothing to say.
-- An account's approval does not count beside that of a person who has minted a token of it: they may be one.
create function approvals_of(d deployments, p_plan uuid) returns jsonb language plpgsql stable as $$
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
              select from service_account_minters m join given u on u.asked_id = a.id and u.reviewer_kind = 'user' and u.reviewer_id = m.user_id
              where m.service_account_id::text = g.reviewer_id)))
        ) order by a.since, a.id), '[]') from asked a),
      'rejections', (
        select coalesce(jsonb_agg(jsonb_build_object('kind', v.reviewer_kind, 'id', v.reviewer_id) order by v.reviewer_kind, v.reviewer_id), '[]')
        from review v where v.verdict = 'reject' and (v.reviewer_kind = 'user'
          or exists (select from asked a where counts_for(v.reviewer_kind, v.reviewer_id, d.org_id, a.approvers)))),
      'makers', (select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'id', c.id)), '[]') from change_makers(d) c)));
end $$;

-- Roles, groups and accounts by name; one that is gone keeps its id.
create function approver_names(p_org uuid, approvers jsonb) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(n.name order by n.place, n.name), '[]') from (
    select 1 as place, 'role ' || coalesce((select r.name from roles r where r.id::text = t.id and (r.org_id is null or r.org_id = p_org)), t.id || ' (deleted)') as name
    from jsonb_array_elements_text(approvers -> 'roles') as t (id)
    union all
    select 2, 'group ' || g.group_key from jsonb_to_recordset(approvers -> 'groups') as g (identity_source_id uuid, group_key text)
    union all
    select 3, 'service account ' || coalesce((select a.name from service_accounts a where a.id::text = t.id and a.org_id = p_org), t.id || ' (deleted)')
    from jsonb_array_elements_text(approvers -> 'service_accounts') as t (id)
    union all
    select 4, t.name || ' (unknown)' from jsonb_array_elements_text(coalesce(approvers -> 'unknown', '[]')) as t (name)
  ) n
$$;

-- Who could still approve a plan for these approvers, by name; at most so many.
create function possible_approvers(d deployments, p_plan uuid, approvers jsonb, most integer)
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
    and not exists (select from standing_reviews(d, p_plan) v
      where v.reviewer_kind = c.kind and v.reviewer_id = c.id and v.verdict = 'approve')
  order by c.kind desc, c.name, c.id limit most
$$;

-- What keeps a waiting deployment from being confirmed: {missing: [...], rejections: [...]}, or null when nothing does.
create function missing_approvals(d deployments) returns jsonb language plpgsql stable as $$
declare
  v_plan uuid;
  v_approvals jsonb;
  v_missing jsonb;
  v_summary jsonb;
begin
  if d.status <> 'waiting' or not has_approvals(d) then
    return null;
  end if;
  v_plan := waiting_plan(d.id);
  v_approvals := approvals_of(d, v_plan);
  v_summary := (select r.plan_summary from runs r where r.id = v_plan);
  select coalesce(jsonb_agg(a), '[]') into v_missing from jsonb_array_elements(v_approvals -> 'required') a
  where jsonb_array_length(a -> 'given') < (a ->> 'count')::integer
    and (not (a ->> 'destructive')::boolean or is_destructive(d.mode, v_summary));
  if v_missing = '[]' and v_approvals -> 'rejections' = '[]' then
    return null;
  end if;
  return jsonb_build_object('missing', v_missing, 'rejections', v_approvals -> 'rejections');
end $$;

-- Whether a waiting deployment lacks an approval that this one could give.
create function awaits_approval_by(d deployments, p_kind text, p_id text) returns boolean language plpgsql stable as $$
declare
  v_missing jsonb := missing_approvals(d) -> 'missing';
begin
  return v_missing is not null
    and may_review(p_kind, p_id, (select s from stacks s where s.stack_key = d.stack_key))
    and not exists (select from change_makers(d) c where c.kind = p_kind and c.id = p_id)
    and exists (
      select from jsonb_array_elements(v_missing) m join asked_approvals(d, waiting_plan(d.id)) a on a.id::text = m ->> 'id'
      where counts_for(p_kind, p_id, d.org_id, a.approvers)
        and not m -> 'given' @> jsonb_build_array(jsonb_build_object('kind', p_kind, 'id', p_id)));
end $$;

-- Until when the approvals of a waiting deployment have to be there, and how often their approvers are reminded.
create function approval_limits(d deployments) returns table (deadline_ms bigint, remind_ms bigint) language plpgsql stable as $$
begin
  if d.status <> 'waiting' or d.mode = 'plan_unlocked' or not exists (
    select from approval_rules r where r.org_id = d.org_id and (r.deadline_ms is not null or r.remind_ms is not null)) then
    return;
  end if;
  return query select min((a ->> 'deadline_ms')::bigint), min((a ->> 'remind_ms')::bigint)
    from jsonb_array_elements(missing_approvals(d) -> 'missing') a;
end $$;

create or replace function deadlines(d deployments, t jsonb) returns table (reason text, due_at timestamptz) language sql stable as $$
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
  select l.reason, l.due_at from approval_limits(d) a cross join lateral (values
      ('approval_timeout', d.waiting_since + a.deadline_ms * interval '1 millisecond'),
      ('approval_reminder', greatest(d.waiting_since, d.reminded_at) + a.remind_ms * interval '1 millisecond')
    ) l (reason, due_at) where d.status = 'waiting' and l.due_at is not null
  union all
  select 'startup', greatest(r.first_pending_at + (t ->> 'startupDeadlineMs')::bigint * interval '1 millisecond', r.assigned_expires_at)
    from runs r where r.deployment_id = d.id and r.status in ('pending', 'assigned')
  union all
  select g.gate, g.due_at from deployment_gates g
    where g.deployment_id = d.id and d.status = 'waiting' and g.due_at is not null
$$;

-- What a transition decides on: also the approvals, as they count after the locks, while they can matter.
create or replace function lock_lane(p_deployment uuid) returns jsonb language plpgsql volatile as $$
declare
  v_stack_key uuid;
  v_stack stacks;
  v_deployment deployments;
  v_runs jsonb;
  v_approvals jsonb;
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
  if v_deployment.status in ('planning', 'waiting') then
    v_approvals := approvals_of(v_deployment, case when v_deployment.status = 'waiting' then waiting_plan(p_deployment) end);
  end if;
  return jsonb_build_object(
    'now', svc_now(),
    'stack', to_jsonb(v_stack),
    'deployment', to_jsonb(v_deployment),
    'runs', v_runs,
    'approvals', v_approvals,
    'stages', (select coalesce(jsonb_agg(to_jsonb(s) order by s.position), '[]') from stages s where s.deployment_id = p_deployment),
    'gates', (select coalesce(jsonb_agg(to_jsonb(g)), '[]') from deployment_gates g
      where g.deployment_id = p_deployment and coalesce(g.open_until <= svc_now(), true)));
end $$;

-- Whoever may confirm may review.
insert into role_permissions (role_id, resource_type, action)
  select r.id, 'stack', 'review' from roles r where r.org_id is null and r.is_system and r.name = 'deployer';
