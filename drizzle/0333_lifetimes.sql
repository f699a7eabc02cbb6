-- Stacks for a while: a reminder, then a destroy, then the end of the stack itself.

alter table stacks add column expires_at timestamptz;

create table stack_lifetimes (
  stack_key uuid primary key references stacks on delete cascade,
  org_id uuid not null references organizations on delete cascade,
  remind_ms double precision not null check (remind_ms >= 0),
  -- Why it ends then, in words of whoever said so last.
  reason text not null,
  set_by text not null,
  set_by_kind text not null,
  set_at timestamptz not null default svc_now(),
  phase text not null default 'alive' check (phase in ('alive', 'destroying', 'failed')),
  reminded_at timestamptz,
  destroy_id uuid,
  error text,
  -- Why what is due has not begun, and how often in a row.
  put_off text,
  put_off_times integer not null default 0,
  -- Null while a deployment, or somebody, is waited for.
  due_at timestamptz
);
create index stack_lifetimes_due on stack_lifetimes (org_id, due_at) where due_at is not null;

-- Says that the organization's workflow has something to look at.
create function tell_schedules(org uuid) returns void language sql as $$
  insert into outbox (message, due_at) values (jsonb_build_object('kind', 'schedulesChanged', 'orgId', org), svc_now())
$$;

-- The end of a destroy is read where the stack's lifetime has run out; so is one that a person made after it failed.
create function lifetime_after_end() returns trigger language plpgsql as $$
begin
  update stack_lifetimes set due_at = svc_now(), put_off = null, put_off_times = 0
  where stack_key = new.stack_key and phase in ('destroying', 'failed');
  if found then
    perform tell_schedules(new.org_id);
  end if;
  return null;
end $$;
create trigger deployments_lifetime after update of completed_at on deployments for each row
  when (old.completed_at is null and new.completed_at is not null and new.mode in ('plan', 'destroy', 'refresh', 'raw'))
  execute function lifetime_after_end();
