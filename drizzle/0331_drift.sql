-- Whether what a stack runs still is what was applied: a check beside the lane, by schedules of an organization or of a stack.

alter table deployments drop constraint deployments_mode_check;
alter table deployments add constraint deployments_mode_check
  check (mode in ('plan', 'destroy', 'refresh', 'plan_unlocked', 'raw', 'drift'));
alter table deployments drop constraint deployments_origin_type_check;
alter table deployments add constraint deployments_origin_type_check
  check (origin_type in ('manual', 'push', 'dependency', 'pull_request', 'promoted_pull_request', 'local', 'drift'));
-- Only a person confirms its plan, whatever the stack says.
alter table deployments add column needs_person boolean not null default false;

drop index deployments_lane;
create unique index deployments_lane on deployments (stack_key)
  where status in ('pending', 'planning', 'applying', 'waiting', 'requested_cancellation', 'cancelling')
    and mode not in ('plan_unlocked', 'drift');
-- An organization's checks are many, and its list is of what people did.
drop index deployments_by_org;
create index deployments_by_org on deployments (org_id, status, created_at desc, id desc) where mode <> 'drift';
create index deployments_checks_by_org on deployments (org_id, status, created_at desc, id desc) where mode = 'drift';

create or replace function refuse_illegal_deployment() returns trigger language plpgsql as $$
declare
  beside boolean := new.mode in ('plan_unlocked', 'drift');
begin
  if tg_op = 'INSERT' then
    if (new.mode = 'plan_unlocked' and new.status in ('pending', 'waiting'))
      or (new.mode = 'drift' and new.status = 'pending')
      or (not beside and new.status = 'queued') then
      return new;
    end if;
    raise exception 'illegal first status % of a % deployment', new.status, new.mode using errcode = 'SV001';
  end if;
  if new.mode <> old.mode then
    raise exception 'a deployment keeps its mode' using errcode = 'SV001';
  end if;
  if new.status = old.status then
    return new;
  end if;
  if beside and (new.status = 'queued'
    or (old.status = 'planning' and new.status in ('waiting', 'applying'))
    or (old.status = 'waiting' and new.status = 'applying')) then
    raise exception 'illegal transition % -> % of a % deployment', old.status, new.status, new.mode using errcode = 'SV001';
  end if;
  if not (new.status = any (case old.status
    when 'queued' then array['pending', 'skipped', 'cancelled']
    when 'pending' then array['planning', 'applying', 'failed', 'cancelled']
    when 'planning' then array['waiting', 'applying', 'finished', 'failed', 'requested_cancellation', 'cancelled']
    when 'waiting' then array['applying', 'pending', 'skipped', 'cancelled']
    when 'applying' then array['finished', 'failed', 'requested_cancellation', 'cancelled']
    when 'requested_cancellation' then array['cancelling', 'cancelled', 'finished']
    when 'cancelling' then array['cancelled', 'finished']
    else array[]::text[] end)) then
    raise exception 'illegal transition % -> % of a deployment', old.status, new.status using errcode = 'SV001';
  end if;
  return new;
end $$;

-- A check is nobody's who waits, so it is not counted as such.
create or replace function hold_quotas(additions jsonb) returns boolean language plpgsql as $$
declare
  a record;
  present bigint;
begin
  for a in
    select * from jsonb_to_recordset(additions) as x (quota text, owner text, added integer, most bigint) order by quota, owner
  loop
    perform pg_advisory_xact_lock(hashtextextended('quota:' || a.quota || ':' || a.owner, 0));
    -- Each statement of a volatile function sees what was committed before it.
    if a.quota = 'organizations' then
      -- Those that a super-admin makes are for others.
      select count(*) into present from organizations
      where created_by = a.owner and not exists (select from users where id = a.owner and is_super_admin);
    elsif a.quota = 'stacks' then
      select count(*) into present from stacks where org_id = a.owner::uuid and deleted_at is null;
    elsif a.quota = 'queued_deployments' then
      select count(*) into present from deployments
      where org_id = a.owner::uuid and status in ('queued', 'pending') and mode <> 'drift';
    else
      raise exception 'there is no quota %', a.quota;
    end if;
    if present > a.most then
      raise exception 'the quota % is reached', a.quota using errcode = 'SVQ01',
        detail = jsonb_build_object('quota', a.quota, 'most', a.most, 'present', present - a.added)::text;
    end if;
  end loop;
  return true;
end $$;

-- Claimed after everything else of its group, and only within what the group gives to checks.
alter table runs
  add column background boolean not null default false,
  -- What a check found: at most some hundred addresses, as its runner masked them.
  add column drift jsonb;
drop index runs_claimable;
create index runs_claimable on runs (selector_id, background, prioritized_at, first_pending_at, id) where status = 'pending';
alter table runner_groups add column max_drift_runs integer not null default 2 check (max_drift_runs >= 0);

create table drift_schedules (
  id uuid primary key default uuidv7(),
  org_id uuid not null references organizations on delete cascade,
  name text not null check (length(name) between 1 and 100),
  selector jsonb not null,
  policy jsonb not null,
  created_at timestamptz not null default svc_now(),
  updated_at timestamptz not null default svc_now(),
  unique (org_id, name)
);

-- The organization's own budget of checks per hour.
create table drift_budgets (
  org_id uuid primary key references organizations on delete cascade,
  tokens double precision not null,
  refilled_at timestamptz not null
);

-- A stack that is, was or could be checked. What is due is asked by (org_id, due_at).
create table stack_drift (
  stack_key uuid primary key references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  -- What the stack itself says; it goes before every schedule.
  policy jsonb,
  -- What counts, and the schedule it comes from; both are worked out anew where `stale`.
  effective jsonb,
  schedule_id uuid references drift_schedules on delete set null,
  stale boolean not null default false,
  status text not null default 'unknown' check (status in ('none', 'drifted', 'unknown', 'failed')),
  since timestamptz not null default svc_now(),
  checked_at timestamptz,
  -- The check whose end the status tells of.
  checked_id uuid,
  error text,
  -- What is drifted and not ignored, as shown; `total` also counts what is not listed.
  resources jsonb not null default '[]',
  total integer not null default 0,
  ignored integer not null default 0,
  -- SHA-256 of the set of addresses that notifications told of; null when none or when they told that it is over.
  told text,
  -- A check that is under way, or has ended and is to be read.
  check_id uuid,
  check_phase text check (check_phase in ('running', 'ended')),
  due_at timestamptz,
  -- Somebody asked for the check that is due.
  asked boolean not null default false,
  -- Over how long the checks of its schedule are spread, and how long the last one took.
  spread_ms double precision,
  duration_ms double precision,
  -- Why the check that was due has not begun, and how often in a row.
  put_off text,
  put_off_times integer not null default 0,
  -- The set that an ordinary deployment was made for, and that deployment.
  reconciled text,
  reconcile_id uuid,
  reconcile_due boolean not null default false,
  check ((check_id is null) = (check_phase is null))
);
create index stack_drift_due on stack_drift (org_id, due_at) where due_at is not null;
create index stack_drift_open on stack_drift (org_id) where stale or reconcile_due or check_phase is not null;
create index stack_drift_by_status on stack_drift (org_id, status, since desc, stack_key desc);
create index stack_drift_by_schedule on stack_drift (schedule_id) where schedule_id is not null;

-- Says that the organization's workflow has something to look at.
create function tell_drift(org uuid) returns void language sql as $$
  insert into outbox (message, due_at) values (jsonb_build_object('kind', 'driftChanged', 'orgId', org), svc_now())
$$;

-- Whatever ends a check leaves its result to be read; whatever changes a stack's infrastructure has a finding looked at again.
create function drift_after_end() returns trigger language plpgsql as $$
begin
  if new.mode = 'drift' then
    update stack_drift set check_phase = 'ended' where stack_key = new.stack_key and check_id = new.id;
  else
    update stack_drift set due_at = svc_now(), put_off = null, put_off_times = 0
    where stack_key = new.stack_key and status = 'drifted' and effective is not null;
  end if;
  if found then
    perform tell_drift(new.org_id);
  end if;
  return null;
end $$;
create trigger deployments_drift after update of completed_at on deployments for each row
  when (old.completed_at is null and new.completed_at is not null
    and (new.mode = 'drift' or (new.status = 'finished' and new.mode in ('plan', 'destroy', 'refresh', 'raw'))))
  execute function drift_after_end();

-- Which schedule counts for a stack hangs on its labels; a stack that is deleted is not checked any more.
create function drift_of_stack() returns trigger language plpgsql as $$
begin
  if new.deleted_at is not null then
    update stack_drift set due_at = null, asked = false, stale = false, effective = null, schedule_id = null, reconcile_due = false
    where stack_key = new.stack_key;
    return null;
  end if;
  if not exists (select from drift_schedules where org_id = new.org_id) then
    return null;
  end if;
  insert into stack_drift (stack_key, org_id, stale) values (new.stack_key, new.org_id, true)
  on conflict (stack_key) do update set stale = true;
  perform tell_drift(new.org_id);
  return null;
end $$;
create trigger stacks_drift_added after insert on stacks for each row execute function drift_of_stack();
create trigger stacks_drift_changed after update of labels, deleted_at on stacks for each row
  when (old.labels is distinct from new.labels or old.deleted_at is distinct from new.deleted_at)
  execute function drift_of_stack();
