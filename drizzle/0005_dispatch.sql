-- What the claim and the housekeeping of runners lean on (design 6.4, spec 3.4).

-- The rows a claim locks are there from the beginning, so that it never has to make one.
create function make_dispatch_group() returns trigger language plpgsql as $$
begin
  insert into dispatch_groups (group_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger runner_groups_dispatch after insert on runner_groups for each row execute function make_dispatch_group();

create function make_dispatch_org() returns trigger language plpgsql as $$
begin
  insert into dispatch_orgs (org_id) values (new.id) on conflict do nothing;
  return null;
end $$;
create trigger organizations_dispatch after insert on organizations for each row execute function make_dispatch_org();

insert into dispatch_groups (group_id) select id from runner_groups on conflict do nothing;
insert into dispatch_orgs (org_id) select id from organizations on conflict do nothing;

-- A new rate is a new promise: who was deferred under the old one is looked at again (spec 8).
create function clear_throttle() returns trigger language plpgsql as $$
begin
  update dispatch_orgs set throttled_until = null where org_id = new.id and throttled_until is not null;
  return null;
end $$;
create trigger organizations_rate after update of runs_per_hour_limit on organizations for each row
  when (old.runs_per_hour_limit is distinct from new.runs_per_hour_limit) execute function clear_throttle();

-- Rows that housekeeping may remove: never accepted, by creation; accepted once, by their last call.
create index runners_unaccepted on runners (created_at) where status in ('not-ready', 'ready');
create index runners_accepted on runners (last_seen_at) where status in ('busy', 'finished', 'failed', 'gone');
