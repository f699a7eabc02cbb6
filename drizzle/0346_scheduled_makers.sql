-- A deployment that came by schedule is the change of who made the schedule, also once the schedule is gone.
create table deployment_makers (
  deployment_id uuid not null references deployments on delete cascade,
  kind text not null check (kind in ('user', 'service_account')),
  maker_id text not null check (octet_length(maker_id) <= 2000),
  primary key (deployment_id, kind, maker_id)
);
create function remember_schedule_maker() returns trigger language plpgsql as $$
begin
  insert into deployment_makers (deployment_id, kind, maker_id)
    select d.id, s.created_by_kind, s.created_by from schedules s join deployments d on d.id = new.deployment_id
    where s.id = new.schedule_id and s.created_by is not null and s.created_by_kind in ('user', 'service_account')
  on conflict do nothing;
  return null;
end $$;
create trigger schedule_occurrences_maker after insert or update of deployment_id on schedule_occurrences for each row
  when (new.deployment_id is not null) execute function remember_schedule_maker();

create or replace function change_makers(d deployments) returns table (kind text, id text) language sql stable as $$
  with direct as (
    select coalesce(d.created_by_kind,
        case when exists (select from service_accounts a where a.id::text = d.created_by) then 'service_account' else 'user' end) as kind,
      d.created_by as id
    where d.created_by is not null
    union
    select m.kind, m.maker_id from deployment_makers m where m.deployment_id = d.id
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
