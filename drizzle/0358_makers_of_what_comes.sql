-- Whoever sets or prolongs a stack's lifetime makes its destroy, and whoever changes when a schedule comes or what it does makes
-- what it makes from then on. Kept as long as the schedule or the lifetime is there, whoever changed it last.
create table schedule_makers (
  schedule_id uuid not null references schedules on delete cascade,
  kind text not null check (kind in ('user', 'service_account')),
  maker_id text not null check (octet_length(maker_id) <= 2000),
  primary key (schedule_id, kind, maker_id)
);
insert into schedule_makers (schedule_id, kind, maker_id)
  select id, created_by_kind, created_by from schedules
  where created_by is not null and created_by_kind in ('user', 'service_account');

create function remember_who_made_a_schedule() returns trigger language plpgsql as $$
begin
  insert into schedule_makers (schedule_id, kind, maker_id) values (new.id, new.created_by_kind, new.created_by);
  return null;
end $$;
create trigger schedules_maker after insert on schedules for each row
  when (new.created_by is not null and new.created_by_kind in ('user', 'service_account')) execute function remember_who_made_a_schedule();

create or replace function remember_schedule_maker() returns trigger language plpgsql as $$
begin
  insert into deployment_makers (deployment_id, kind, maker_id)
    select d.id, m.kind, m.maker_id from schedule_makers m join deployments d on d.id = new.deployment_id
    where m.schedule_id = new.schedule_id
  on conflict do nothing;
  return null;
end $$;

create table lifetime_makers (
  stack_key uuid not null references stack_lifetimes on delete cascade,
  kind text not null check (kind in ('user', 'service_account')),
  maker_id text not null check (octet_length(maker_id) <= 2000),
  primary key (stack_key, kind, maker_id)
);
insert into lifetime_makers (stack_key, kind, maker_id)
  select stack_key, set_by_kind, set_by from stack_lifetimes where set_by_kind in ('user', 'service_account');

create function remember_lifetime_maker() returns trigger language plpgsql as $$
begin
  if new.set_by_kind in ('user', 'service_account') then
    insert into lifetime_makers (stack_key, kind, maker_id) values (new.stack_key, new.set_by_kind, new.set_by)
    on conflict do nothing;
  end if;
  insert into deployment_makers (deployment_id, kind, maker_id)
    select d.id, m.kind, m.maker_id from lifetime_makers m join deployments d on d.id = new.destroy_id
    where m.stack_key = new.stack_key
  on conflict do nothing;
  return null;
end $$;
create trigger stack_lifetimes_maker after insert or update of set_by, destroy_id on stack_lifetimes
  for each row execute function remember_lifetime_maker();
